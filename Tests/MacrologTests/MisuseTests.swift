import Foundation
import Macrolog
import MacrologTestSupport
import Testing

/// Goal: what an app gets wrong is refused or does nothing, and ends no process.
/// Method: calls in a wrong order or with values that make no sense, on a real file.
@Suite struct MisuseTests {
    private let folder = ScratchFolder()
    private let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private func open() throws -> Replica { try Replica.open(at: folder.file("log.db")) }

    private func meal(_ replica: Replica, _ kilocalories: Int64 = 300) -> Meal {
        Meal(
            id: replica.newID(), on: LocalDate(day: day), dishName: "Soup",
            nutrients: Nutrients(energy: kilocalories * 1_000))
    }

    @Test func `a part of what is deleted is refused, and the whole stays deleted`() throws {
        let replica = try open()
        let (soup, bread) = (meal(replica), meal(replica, 100))
        let item = MealItem(
            id: replica.newID(), of: bread.id, name: "Butter",
            nutrients: Nutrients(energy: 50_000))
        try replica.write { diary in
            try diary.add(soup)
            try diary.add(bread, items: [item])
            try diary.delete(Meal.self, soup.id)
        }
        let count = try replica.latestEvents(99).count
        #expect(throws: EntryError.self) {
            try replica.write { diary in
                try diary.add(MealItem(id: diary.newID(), of: soup.id, name: "Late"))
            }
        }
        var moved = item
        moved.mealID = soup.id
        #expect(throws: EntryError.self) { try replica.write { try $0.save(moved) } }
        #expect(throws: EntryError.self) {
            try replica.write { try $0.save(moved, since: item) }
        }
        #expect(try replica.latestEvents(99).count == count)
        #expect(try replica.dayReport(of: day).meals.map(\.meal.id) == [bread.id])
    }

    @Test func `a part of a deleted whole is neither restored nor deleted, and leaves it deleted`()
        throws
    {
        let replica = try open()
        let soup = meal(replica)
        let items = ["Leek", "Cream"].map { MealItem(id: replica.newID(), of: soup.id, name: $0) }
        let food = Food(id: replica.newID(), name: "Rice")
        let cup = FoodPortion(of: food.id, label: "cup", milligrams: 185_000)
        try replica.write { diary in
            try diary.add(soup, items: items)
            try diary.delete(MealItem.self, items[0].id)
            try diary.delete(Meal.self, soup.id)
            try diary.add(food)
            try diary.add(cup)
            try diary.delete(FoodPortion.self, cup.id)
            try diary.delete(Food.self, food.id)
        }
        let count = try replica.latestEvents(99).count
        let restoring = #expect(throws: EntryError.self) {
            try replica.write { try $0.restore(MealItem.self, items[0].id) }
        }
        #expect(restoring?.code == .deleted(.meal))
        let deleting = #expect(throws: EntryError.self) {
            try replica.write { try $0.delete(MealItem.self, items[1].id) }
        }
        #expect(deleting?.code == .deleted(.meal))
        let cream = {
            var part = items[1]
            part.name = "Sour cream"
            return part
        }()
        for isSince in [true, false] {
            let saving = #expect(throws: EntryError.self) {
                try replica.write {
                    isSince ? try $0.save(cream, since: items[1]) : try $0.save(cream)
                }
            }
            #expect(saving?.code == .deleted(.meal))
        }
        let putting = #expect(throws: EntryError.self) { try replica.write { try $0.put(cup) } }
        #expect(putting?.code == .deleted(.food))
        #expect(try replica.latestEvents(99).count == count)
        #expect(try replica.dayReport(of: day).meals.isEmpty)
        try replica.write { diary in
            try diary.restore(Meal.self, soup.id)
            try diary.restore(MealItem.self, items[0].id)
        }
        #expect(try replica.meal(soup.id)?.items.count == 2)
    }

    @Test func `a recipe that would contain itself is refused by every verb`() throws {
        let replica = try open()
        let (dough, bread) = (
            Recipe(id: replica.newID(), name: "Dough"), Recipe(id: replica.newID(), name: "Bread")
        )
        let inBread = RecipeItem(id: replica.newID(), of: bread.id, subRecipeID: dough.id)
        let inDough = RecipeItem(id: replica.newID(), of: dough.id, subRecipeID: bread.id)
        var flour = RecipeItem(id: replica.newID(), of: dough.id, name: "Flour")
        try replica.write { diary in
            try diary.add(dough)
            try diary.add(bread)
            try diary.add(flour)
            try diary.add(inBread)
        }
        func isRefused(_ verb: (inout Diary) throws -> Void) {
            let error = #expect(throws: EntryError.self) { try replica.write { try verb(&$0) } }
            #expect(error?.code == .recursiveRecipe)
        }
        isRefused { try $0.add(inDough) }
        isRefused { try $0.addIngredient(inDough) }
        let read = flour
        flour.subRecipeID = bread.id
        isRefused { [flour] in try $0.save(flour) }
        isRefused { [flour] in try $0.save(flour, since: read) }
        try replica.write { diary in
            try diary.delete(RecipeItem.self, inBread.id)
            try diary.add(inDough)
        }
        isRefused { try $0.restore(RecipeItem.self, inBread.id) }
        isRefused { try $0.put(inBread) }
        #expect(try replica.read { try $0.recipe(bread.id) }?.items.isEmpty == true)
    }

    @Test func `one entity is not saved as a change of another`() throws {
        let replica = try open()
        let (soup, bread) = (meal(replica), meal(replica, 100))
        try replica.write { diary in
            try diary.add(soup)
            try diary.add(bread)
        }
        let error = #expect(throws: EntryError.self) {
            try replica.write { try $0.save(soup, since: bread) }
        }
        #expect(error?.explanation == "meal id is not that of what was read")
        #expect(try replica.latestEvents(99).count == 2)
    }

    @Test func `a copy needs a free name in a folder, and a log is kept in a file`() throws {
        let replica = try open()
        try replica.add(meal(replica))
        let copy = folder.file("copy.db")
        try replica.backUp(to: copy)
        let again = #expect(throws: ReplicaError.self) { try replica.backUp(to: copy) }
        #expect(again?.code == .cannotOpen && again?.operation == "back up the log")
        #expect(again?.hint == "choose a name that no file has")
        let nowhere = #expect(throws: ReplicaError.self) {
            try replica.backUp(to: folder.file("no/copy.db"))
        }
        #expect(nowhere?.code == .cannotOpen)
        #expect(nowhere?.hint == "choose a folder that exists and that you may write to")
        for path in ["", ":memory:"] {
            let error = #expect(throws: ReplicaError.self) { try Replica.open(at: path) }
            #expect(error?.code == .cannotOpen && error?.hint != nil)
            #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
        }
    }

    @Test func `photos are copied while the log is in use`() throws {
        let replica = try open()
        let soup = meal(replica)
        try replica.add(soup)
        try replica.attachPhoto(PhotoTests.png(500), to: soup.id)
        // Where the folder of photos would be lies a file: the copy ends with the first photo.
        let copy = folder.file("copy.db")
        try Data().write(to: URL(filePath: copy + ".blobs"))
        let done = DispatchSemaphore(value: 0)
        let ended = try replica.read { _ in
            Thread.detachNewThread {
                _ = try? replica.backUp(to: copy)
                done.signal()
            }
            return done.wait(timeout: .now() + 60) == .success
        }
        #expect(ended)
        #expect(throws: PhotoError.self) { try replica.backUp(to: copy) }
        try FileManager.default.removeItem(atPath: copy + ".blobs")
        #expect(try replica.backUp(to: copy) == 0)
        #expect(try Replica.open(at: copy).photos(of: soup.id).allSatisfy { $0.bytes != nil })
    }

    @Test func `a set has an element once, and more than it is meant to hold are kept and found`()
        throws
    {
        let replica = try open()
        var soup = meal(replica)
        let id = soup.id
        soup.tags = ["hot", "vegan", "hot"]
        try replica.write { try $0.add(soup) }
        let stored = try replica.read { try $0.require(Meal.self, id) }
        #expect(stored.tags.sorted() == ["hot", "vegan"])
        soup.tags = (1...51).map { "tag \($0)" }
        let findings = try replica.write { try $0.save(soup) }
        #expect(
            findings.map { "\($0.subject) \($0.problem.string)" } == ["meal tags are more than 50"])
        #expect(try replica.read { try $0.require(Meal.self, id) }.tags.count == 51)
        soup.tags.removeLast()
        #expect(try replica.write { try $0.save(soup) }.isEmpty)
    }

    @Test func `an amount of 0 is a finding, because nothing can be scaled from it`() throws {
        let replica = try open()
        let soup = meal(replica)
        let bread = MealItem(
            id: replica.newID(), of: soup.id, name: "Bread",
            amount: Amount(milli: 0, unit: "slice"))
        let findings = try replica.add(soup, items: [bread])
        #expect(findings.map { "\($0.subject) \($0.problem.string)" } == ["item amount is 0"])
        #expect(try replica.meal(soup.id)?.items.first?.amount?.milli == 0, "it is kept")
    }

    @Test func `a replica that is borrowed keeps its file, and a negative limit is none`() throws {
        let replica = try open()
        let soup = meal(replica)
        try replica.write { diary in
            try diary.add(soup)
            replica.releaseFile()
            try diary.logWeight(grams: 80_000, on: LocalDate(day: day))
        }
        try replica.read { diary in
            replica.releaseFile()
            let (meals, foods) = (try diary.meals(on: day), try diary.foods(limit: -1))
            #expect(meals.count == 1 && foods.isEmpty)
        }
        #expect(try replica.latestEvents(-1).isEmpty)
        let early = try replica.snapshot(asOf: .time(-1))
        #expect(try early.dayReport(of: day).meals.isEmpty, "nothing was compacted")
    }

    @Test func `a weight far from the trend is a finding`() throws {
        let replica = try open()
        for offset in 0..<5 {
            let date = LocalDate(day: day.advanced(by: offset))
            #expect(
                try replica.write { try $0.logWeight(grams: 80_000, on: date) }.findings.isEmpty)
        }
        let date = LocalDate(day: day.advanced(by: 5))
        let pounds = try replica.write { try $0.logWeight(grams: 176_000, on: date) }
        #expect(pounds.findings.map(\.problem) == ["is more than 3 % away from the trend"])
    }

    @Test func `a session can be kept anywhere`() throws {
        let session = Session(
            server: "https://sync.example.org", email: "ana@example.org", account: "a",
            accessToken: "b", refreshToken: "c")
        let stored = try JSONEncoder().encode(session)
        #expect(try JSONDecoder().decode(Session.self, from: stored) == session)
    }
}
