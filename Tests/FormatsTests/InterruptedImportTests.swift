import MacrologEvents
import MacrologFormats
import MacrologLog
import Macrolog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import Testing

/// Goal: however often an import is interrupted, and whatever happens in between, a person reads the
/// truth, and undo does what it says.
/// Method: imports of three transactions that stop after some of them, in any order with edits and with
/// a compaction; the counts that the log keeps are compared with those of the rows.
@Suite struct InterruptedImportTests {
    private struct Stop: Error {}
    private let map = "date=date,name=name,energy=kcal"

    private func text(_ count: Int = 2_200, energy: (Int) -> Int = { $0 }) -> String {
        (0..<count).reduce("date,name,kcal\n") { $0 + "2026-11-01,Rice \($1),\(energy($1))\n" }
    }

    /// Runs an import that stops after some transactions of 1,000 rows.
    private func interrupt(_ file: CSVImport, after transactions: Int, in world: World) throws {
        let last = (transactions - 1) * 1_000 + 1
        #expect(throws: Stop.self) {
            try file.run(in: world.replica, each: { if $0.line > last { throw Stop() } })
        }
    }

    /// What the log says about the imports of a device, oldest first.
    private func notes(_ world: World) throws -> [ImportBatch] {
        try world.replica.withStore { try $0.entities(ImportBatch.self) }
    }

    private func meals(_ world: World) throws -> [Meal] {
        try world.replica.meals(on: .earliest ... .latest).map(\.meal)
    }

    @Test(arguments: [[1], [1, 2], [2, 1]])
    func `all parts of an import are counted as one action`(stops: [Int]) throws {
        let world = try World()
        let file = try World.file(text(), map)
        for stop in stops { try interrupt(file, after: stop, in: world) }
        let before = (stops.max() ?? 0) * 1_000
        let told = try file.run(in: world.replica)
        #expect(told.new == 2_200 - before && told.same == before)
        #expect(told.notices.count == 1 && told.notices[0].contains("after \(before) rows:"))
        let note = try #require(try notes(world).first)
        #expect(try notes(world).count == 1 && note.id == told.group)
        #expect(note.newRows == 2_200 && note.sameRows == 0 && note.changedRows == 0)
        try world.replica.undo()
        #expect(try meals(world).isEmpty)
    }

    @Test func `of a corrected file the rows that were corrected before count as changed`() throws {
        let world = try World()
        let first = try World.file(text(1_500), map)
        try first.run(in: world.replica)
        let corrected = try World.file(text { $0 < 1_200 ? $0 + 1 : $0 }, map)
        try interrupt(corrected, after: 1, in: world)
        // A person disagrees about one row, where the file has the last word, and deletes another, which stays deleted.
        var meal = try #require(try meals(world).first { $0.dishName == "Rice 7" })
        meal[.energy] = 5_000
        try world.replica.save(meal)
        let gone = try #require(try meals(world).first { $0.dishName == "Rice 8" })
        try world.replica.delete(Meal.self, gone.id)
        let told = try corrected.run(in: world.replica)
        #expect(told.changed == 201 && told.new == 700 && told.same == 1_298)
        let note = try #require(try notes(world).first { $0.id == told.group })
        #expect(note.changedRows == 1_199 && note.newRows == 700 && note.sameRows == 300)
        #expect(told.notices[0].contains("after 998 rows:"))
    }

    @Test func `what began in history that was compacted is completed by an action of its own`()
        throws
    {
        let world = try World()
        let file = try World.file(text(), map)
        try interrupt(file, after: 1, in: world)
        try world.seal(at: 1_795_000_000_000)
        // All that the import wrote about three meals is overwritten by edits that have seen it.
        try world.replica.record(
            try meals(world).prefix(3).map { meal in
                var fields = meal.fields
                fields["energy"] = 9_000
                return Draft(
                    "meal.edited", [Change(EntityKey("meal", meal.id), [.set(fields)])])
            })
        try world.seal(at: 1_795_000_001_000)
        let compacted = try world.replica.withStore { try $0.compact(before: $0.newestSeal() + 1) }
        #expect(compacted.events > 0)
        let before = try meals(world)
        let told = try file.run(in: world.replica)
        #expect(told.notices.count == 1 && told.notices[0].contains("undo reverses only this"))
        #expect(told.new + told.changed == 1_203)
        #expect(try world.replica.undo().skipped.isEmpty)
        #expect(try meals(world) == before)
        // Nothing is left to do but what undo took back.
        try world.replica.redo()
        let again = try file.run(in: world.replica)
        #expect(again.same == 2_200 && again.group == nil)
    }

    @Test func `a compaction that leaves the beginning whole changes nothing`() throws {
        let world = try World()
        let file = try World.file(text(), map)
        try interrupt(file, after: 1, in: world)
        try world.seal(at: 1_795_000_000_000)
        #expect(
            try world.replica.withStore { try $0.compact(before: $0.newestSeal() + 1) }.events == 0)
        let told = try file.run(in: world.replica)
        #expect(told.notices[0].contains("both are one action"))
        try world.replica.undo()
        #expect(try meals(world).isEmpty)
    }
}
