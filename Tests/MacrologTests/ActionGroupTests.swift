import Macrolog
import MacrologReadModels
import MacrologSQLite
import MacrologTestSupport
import Testing

/// Goal: what a block records is undone together, and an action of one event takes no group. Method:
/// blocks that record, read, fail and undo in every order, on a real file.
@Suite struct ActionGroupTests {
    private let folder = ScratchFolder()
    private let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private func open() throws -> Replica { try Replica.open(at: folder.file("log.db")) }

    private func meal(_ replica: Replica, _ name: String = "Soup") -> Meal {
        Meal(id: replica.newID(), on: LocalDate(day: day), dishName: name)
    }

    /// The events, oldest first.
    private func events(_ replica: Replica) throws -> [Event] {
        try replica.read { try $0.latestEvents(1_000) }.map(\.event).reversed()
    }

    /// A draft that the log refuses, after everything that the diary checks.
    private let malformed = Draft(UTF8Text(String(repeating: "x", count: 300)), [])

    @Test func `reminders that are marked between two events stay marked`() throws {
        let replica = try open()
        let noon = day.number * 86_400_000 + 43_200_000
        try replica.write { diary in
            try diary.add(meal(replica))
            try diary.markReminded(try diary.dueReminders(at: noon))
            try diary.add(meal(replica))
        }
        let marked = try replica.withStore {
            try $0.db.first("SELECT reminded_minute FROM maintenance") { $0.intOrNull(0) } ?? nil
        }
        #expect(marked != nil)
    }

    @Test func `one event has no group, several have one`() throws {
        let replica = try open()
        let (tea, soup, bread) = (meal(replica), meal(replica), meal(replica))
        try replica.write { try $0.add(tea) }
        let seen = try replica.write { diary in
            try diary.add(soup)
            let alone = try diary.meals(on: day).count
            try diary.add(bread)
            try diary.logWeight(grams: 80_200, on: LocalDate(day: day))
            return [alone, try diary.meals(on: day).count]
        }
        #expect(seen == [2, 3], "the block reads what it has written")
        let events = try events(replica)
        #expect(events.map { $0.dot.seq.rawValue } == [1, 2, 3, 4], "nothing is there twice")
        #expect(events[0].group == nil)
        #expect(events[1].group != nil && Set(events[1...].map(\.group)).count == 1)
        #expect(try replica.write { try $0.undo() }.events == 3)
        #expect(try replica.read { try $0.meals(on: day) }.map(\.meal.id) == [tea.id])
        #expect(try replica.write { try $0.undo() }.events == 1)
        #expect(try replica.read { try $0.meals(on: day) }.isEmpty)
    }

    @Test func `what the log refuses takes nothing of the block with it`() throws {
        let replica = try open()
        let (soup, bread) = (meal(replica), meal(replica))
        try replica.write { diary in
            #expect(throws: DiaryError.self) { try diary.record([malformed]) }
            try diary.add(soup)
            #expect(throws: DiaryError.self) { try diary.record([malformed]) }
            #expect(throws: DiaryError.self) { try diary.record([malformed, malformed]) }
            try diary.add(bread)
        }
        replica.releaseFile()
        #expect(
            try Set(replica.read { try $0.meals(on: day) }.map(\.meal.id)) == [soup.id, bread.id])
        #expect(try events(replica).map { $0.dot.seq.rawValue } == [1, 2])
        #expect(try replica.write { try $0.undo() }.events == 2)
    }

    @Test func `the second event keeps what was said of a photo between the two`() throws {
        let replica = try open()
        let (soup, bread) = (meal(replica), meal(replica))
        let name = [UInt8](repeating: 7, count: 32)
        try replica.withStore {
            try $0.db.run(
                "INSERT INTO server_blob (name, epoch, at) VALUES (?, 1, 1)", name)
        }
        try replica.write { diary in
            try diary.add(soup)
            try diary.forgetPhoto(name)
            try diary.add(bread)
        }
        let left = try replica.withStore {
            try $0.db.first("SELECT count(*) FROM server_blob") { $0.int(0) }
        }
        #expect(left == 0)
        #expect(try Set(events(replica).map(\.group)).count == 1)
    }

    @Test func `random blocks leave what they recorded, each with its own group`() throws {
        var dice = Dice.fresh("groups of actions")
        let replica = try open()
        var blocks: [(events: Int, undos: Int)] = []
        var expected: Set<Identifier> = []
        for _ in 0..<60 {
            var steps = (0..<Int.random(in: 0..<5, using: &dice)).map { _ in
                Int.random(in: 0..<10, using: &dice)
            }
            // An undo closes an action: at most one, so that the rest stays countable.
            if let first = steps.firstIndex(of: 9) {
                steps = steps.enumerated().filter { $0.offset <= first || $0.element != 9 }.map(
                    \.element)
            }
            let plan = steps
            let meals = plan.map { _ in meal(replica) }
            let before = try events(replica).count
            let fails = Int.random(in: 0..<4, using: &dice) == 0
            var added: [Identifier] = []
            var undone: [Identifier] = []
            struct Stop: Error {}
            do {
                try replica.write { diary in
                    for (step, meal) in zip(plan, meals) {
                        switch step {
                        case 0: _ = try diary.meals(on: day)
                        case 1: _ = try? diary.record([malformed])
                        case 9:
                            // What this block has recorded so far is one action.
                            if !added.isEmpty {
                                try diary.undo()
                                (undone, added) = (added, [])
                            }
                        default:
                            try diary.add(meal)
                            added.append(meal.id)
                        }
                    }
                    if fails { throw Stop() }
                }
            } catch is Stop {
                #expect(try events(replica).count == before)
                continue
            }
            expected.formUnion(added)
            let new = try Array(events(replica)[before...])
            for ids in [undone, added] where !ids.isEmpty {
                let own = new.filter { event in
                    event.type == "meal.added"
                        && event.changes.contains { ids.contains($0.entity.id) }
                }
                #expect(own.count == ids.count)
                #expect(Set(own.map(\.group)).count == 1)
                // An event that the log refused was the second one of its action until then.
                if !plan.contains(1) { #expect((own[0].group == nil) == (ids.count == 1)) }
            }
            blocks.append((new.count, undone.count))
        }
        #expect(blocks.contains { $0.undos > 0 } && blocks.contains { $0.events > 1 })
        let groups = try events(replica).compactMap(\.group)
        #expect(Set(groups).count < groups.count, "a group is one of several events")
        #expect(try Set(replica.read { try $0.meals(on: day) }.map(\.meal.id)) == expected)
        let hash = try replica.withStore { try $0.stateHash() }
        try replica.withStore { try $0.rebuild() }
        #expect(try replica.withStore { try $0.stateHash() } == hash)
    }
}
