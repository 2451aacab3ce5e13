import MacrologEvents
import MacrologFormats
import Macrolog
import MacrologNutrition
import MacrologTestSupport
import Testing

/// Goal: in a file that this program wrote, a person may add, sort and correct rows, and loses nothing. Method: exports
/// that are changed as a spreadsheet would change them.
@Suite struct OwnRowsTests {
    @Test func `the day and the time of a row can be changed at once`() throws {
        let world = try World()
        let meal = try OwnFileTests.supper(world)
        let text = try OwnFileTests.export(.meals, world)
        let changed = text.replacing("\r\n2026-10-25,02:00:30,", with: "\r\n2026-10-27,13:00,")
        try #require(changed != text)
        try world.run(changed)
        let moved = try #require(try world.replica.meal(meal.id)?.meal.localDate)
        #expect(moved.day.description == "2026-10-27" && moved.minuteOfDay == 780)
        let offset = try #require(moved.offsetMinutes)
        let instant = try #require(moved.occurredAt)
        #expect(Day(instant: instant, offsetMinutes: offset) == moved.day)
        #expect(try world.run(changed).summary.changed == 0)
        #expect(try world.replica.meal(meal.id)?.meal.localDate == moved)
    }

    @Test func `a row without an id is none of those that the file states`() throws {
        let world = try World()
        let day = try #require(Day("2026-11-20"))
        func addRow() throws {
            let text = try OwnFileTests.export(.water, world)
            let header = text.split(separator: "\r\n")[0].split(separator: ",")
            let row = header.map { $0 == "date" ? "2026-11-20" : $0 == "ml" ? "250" : "" }
            let more = text + row.joined(separator: ",") + "\r\n"
            #expect(try world.run(more).summary.new == 1)
            #expect(try world.run(more).summary.new == 0)
        }
        for count in 1...3 {
            try addRow()
            #expect(try world.replica.entities(Water.self, on: day...day).count == count)
        }
    }

    @Test func `the rows of a meal in another order keep its note`() throws {
        let (world, other) = (try World(), try World())
        var meal = try OwnFileTests.supper(world)
        meal.note = "At the lake"
        try world.replica.save(meal)
        let lines = try OwnFileTests.export(.meals, world).split(separator: "\r\n")
        let turned = [lines[0]] + lines.dropFirst().reversed()
        try other.run(turned.joined(separator: "\r\n") + "\r\n")
        #expect(try other.replica.meal(meal.id)?.meal.note == "At the lake")
    }

    @Test func `rows that were added by hand become meals and parts of their own`() throws {
        let world = try World()
        let meal = try OwnFileTests.supper(world)
        let text = try OwnFileTests.export(.meals, world)
        let lines = text.split(separator: "\r\n")
        func without(_ ids: [String], _ name: String) -> String {
            ids.reduce(String(lines[1].replacing("Part 0", with: name))) {
                $0.replacing($1, with: "")
            }
        }
        let item = Identifier(high: 8, low: 9).description
        let more =
            text + without([item], "Extra") + "\r\n"
            + without([item, meal.id.description], "Alone") + "\r\n"
        let rows = try world.run(more).rows
        #expect(rows.map(word) == ["same", "same", "same", "new", "new"], "\(rows.map(word))")
        #expect(try world.replica.meal(meal.id)?.items.contains { $0.name == "Extra" } == true)
        #expect(try world.run(more).summary.same == 5)
    }
}
