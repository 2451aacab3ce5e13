import Foundation
import Macrolog
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: `edit`, `delete`, `restore` and `history` take an id of any kind and do what the kind's own verb
/// does. Method: one of everything is deleted and restored by its id alone; where a kind has verbs of its
/// own, both are typed on copies of one log and their answers compared.
@Suite struct AnyEntryTests {
    /// The kinds whose entries people delete one by one.
    private static let kinds: [Kind] = [
        .meal, .mealItem, .weighIn, .bodyFat, .bodyMeasure, .ketone, .water, .fast, .activity,
        .checkIn, .food,
        .foodPortion, .customNutrient, .recipe, .recipeItem, .mealTemplate, .planEntry, .goalPlan,
        .reminder,
    ]

    private func ids(of kind: Kind, on computer: Computer) throws -> [Identifier] {
        let replica = try Replica.open(at: computer.log)
        defer { replica.releaseFile() }
        return try replica.read { try $0.ids(of: kind, endingIn: "") }
    }

    private func run(_ words: [String], _ computer: Computer) throws -> Computer.Result {
        try computer.run(words)
    }

    @Test func `an entry of each kind is deleted, restored, and shows both in its history`() throws
    {
        let sample = try Sample()
        for kind in Self.kinds {
            let computer = try sample.computer.copy()
            let found = try ids(of: kind, on: computer)
            let id = try #require(found.first, "no \(kind.title)")
            let before = try JSON.parse(
                Array(try run(["history", "\(id)", "--json"], computer).output.utf8))
            let refused = try run(["edit", "\(id)"], computer)
            #expect([64, 65].contains(refused.status), "\(kind.title): \(refused.errors)")
            #expect(refused.errors.contains("--") || refused.errors.contains("macrolog "))

            let deleted = try run(["delete", "\(id)", "--json"], computer)
            #expect(deleted.status == 0, "\(kind.title): \(deleted.errors)")
            #expect(try !ids(of: kind, on: computer).contains(id), "\(kind.title)")
            for verb in ["edit", "delete"] {
                let gone = try run([verb, "\(id)"], computer)
                #expect(
                    gone.status == 65 && gone.errors.contains("macrolog restore \(id)"), "\(gone)")
            }
            let restored = try run(["restore", "\(id)", "--json"], computer)
            #expect(restored.status == 0, "\(kind.title): \(restored.errors)")
            #expect(try ids(of: kind, on: computer).contains(id), "\(kind.title)")
            let again = try run(["restore", "\(id)"], computer)
            #expect(again.status == 0 && again.output == "Nothing changed.\n", "\(kind.title)")
            let after = try JSON.parse(
                Array(try run(["history", "\(id)", "--json"], computer).output.utf8))
            #expect(count(after) == count(before) + 2, "\(kind.title)")
        }
    }

    private func count(_ json: JSON) -> Int {
        if case .array(let members) = json { members.count } else { -1 }
    }

    @Test(arguments: [
        ("meal", Kind.meal, ["--kcal", "410", "--note", "-x-"]),
        ("item", .mealItem, ["--grams=80"]), ("weight", .weighIn, ["--weight", "80.4kg"]),
        ("weight", .weighIn, ["--date", "-3"]),
        ("food", .food, ["--fiber", "10.6", "--favourite"]),
        ("recipe", .recipe, ["--serves", "6"]), ("reminder", .reminder, ["--off"]),
        ("water", .water, ["--time", "06:00"]),
    ])
    func `edit by the id alone answers as the kind's own verb`(
        group: String, kind: Kind, change: [String]
    ) throws {
        let sample = try Sample()
        let (own, any) = (try sample.computer.copy(), try sample.computer.copy())
        let id = try #require(try ids(of: kind, on: own).first)
        let words = change.map { $0 == "-x-" ? "a note" : $0 } + ["--json"]
        let expected = try run([group, "edit", "\(id)"] + words, own)
        let result = try run(["edit"] + words + ["\(id)"], any)
        #expect(result.status == 0 && expected.status == 0, "\(result.errors)")
        #expect(result.output == expected.output)
        #expect(result.errors == expected.errors)
    }

    @Test(arguments: [
        ("meal", Kind.meal, true), ("item", .mealItem, false), ("weight", .weighIn, false),
        ("bodyfat", .bodyFat, true), ("water", .water, true), ("fast", .fast, true),
        ("checkin", .checkIn, true), ("goal", .goalPlan, false), ("reminder", .reminder, false),
    ])
    func `delete and restore by the id alone answer as the kind's own verbs`(
        group: String, kind: Kind, hasRestore: Bool
    ) throws {
        let sample = try Sample()
        let (own, any) = (try sample.computer.copy(), try sample.computer.copy())
        let id = try #require(try ids(of: kind, on: own).first)
        for verb in hasRestore ? ["delete", "restore", "restore"] : ["delete"] {
            let expected = try run([group, verb, "\(id)"], own)
            let result = try run([verb, "\(id)"], any)
            #expect(result.status == 0 && expected.status == 0, "\(result.errors)")
            #expect(result.output == expected.output)
            #expect(result.errors == expected.errors)
        }
    }

    @Test func `a day is refused for an entry that is not moved by editing`() throws {
        let sample = try Sample()
        let computer = sample.computer
        let before = try run(["log", "show", "--json"], computer).output
        for kind in [Kind.meal, .mealItem, .food, .recipe, .reminder] {
            let id = try #require(try ids(of: kind, on: computer).first)
            let result = try run(["edit", "\(id)", "--date", "yesterday"], computer)
            #expect(result.status == 64 && result.errors.contains("--date"), "\(result.errors)")
        }
        #expect(try run(["log", "show", "--json"], computer).output == before)
    }

    @Test func `an ingredient of a deleted recipe is neither deleted nor restored`() throws {
        let sample = try Sample()
        let computer = sample.computer
        let item = try #require(try ids(of: .recipeItem, on: computer).first)
        let recipe = try #require(try ids(of: .recipe, on: computer).first)
        for first in ["restore", "delete"] {
            if first == "restore" { #expect(try run(["delete", "\(item)"], computer).status == 0) }
            #expect(try run(["delete", "\(recipe)"], computer).status == 0)
            let before = try run(["log", "show", "--json"], computer).output
            let refused = try run([first, "\(item)"], computer)
            #expect(refused.status != 0 && refused.errors.contains("recipe"), "\(refused.errors)")
            #expect(try run(["log", "show", "--json"], computer).output == before)
            #expect(try run(["restore", "\(recipe)"], computer).status == 0)
            if first == "restore" {
                #expect(try run(["restore", "\(item)"], computer).status == 0)
            }
        }
    }

    @Test func `an option of another kind, an id of none and one of several are refused`() throws {
        let sample = try Sample()
        let computer = sample.computer
        let meal = try #require(try ids(of: .meal, on: computer).first)
        let wrong = try run(["edit", "\(meal)", "--weight", "80kg"], computer)
        #expect(wrong.status == 64)
        #expect(wrong.errors.hasPrefix("macrolog meal edit: has no option \"--weight\""))
        let value = try run(["edit", "\(meal)", "--kcal", "many"], computer)
        #expect(value.status == 64 && value.errors.hasPrefix("macrolog meal edit: --kcal"))
        let none = try run(["edit", "ffffffff0", "--kcal", "1"], computer)
        #expect(none.status == 66)
        #expect(none.errors.contains("there is no entry whose id ends with ffffffff0"))
        let goal = try #require(try ids(of: .goalPlan, on: computer).first)
        let other = try run(["edit", "\(goal)"], computer)
        #expect(other.status == 65 && other.errors.contains("macrolog goal set"))
        // Its id follows from the person, so that it is the end of no other.
        let profile = try run(["init", "--height", "178"], computer)
        #expect(profile.status == 0, "\(profile.errors)")
        let person = try #require(try ids(of: .profile, on: computer).first)
        let kept = try run(["delete", "\(person)"], computer)
        #expect(kept.status == 65 && kept.errors.contains("profile"), "\(kept.errors)")
        let history = try run(["history", "\(person)"], computer)
        #expect(history.status == 0 && history.output.contains("178"), "\(history)")
    }

    @Test
    func `an id that ends like one of another kind is listed with both, and nothing is changed`()
        throws
    {
        let computer = try Computer()
        let replica = try Replica.open(at: computer.log)
        let ids = [
            try #require(Identifier("01890a5d-ac96-774b-bcce-b302099a8057")),
            try #require(Identifier("01890a5d-ac96-774b-bcce-b302119a8057")),
        ]
        let today = try replica.read { try $0.today() }
        try replica.add(Meal(id: ids[0], on: LocalDate(day: today), dishName: "Soup"))
        try replica.add(WeighIn(id: ids[1], on: LocalDate(day: today), grams: 80_000))
        replica.releaseFile()
        let both = try run(["delete", "8057"], computer)
        #expect(both.status == 64)
        for id in ids { #expect(both.errors.contains("\(id)"), "\(both.errors)") }
        #expect(both.errors.contains("meal Soup") && both.errors.contains("weigh-in"))
        #expect(try run(["delete", "119a8057"], computer).status == 0)
        // The deleted one is out of the way, and the other is not when one is restored.
        #expect(try run(["edit", "8057", "--kcal", "300"], computer).status == 0)
        #expect(try run(["restore", "8057"], computer).status == 0)
        #expect(try run(["edit", "8057", "--kcal", "310"], computer).status == 64)
    }
}
