import Foundation
import MacrologTestSupport
import Testing

/// Goal: for who goes to bed after midnight, a night belongs to the day before, wherever a time is typed,
/// copied or reminded of.
/// Method: the real program with a day that begins at 04:00, at moments that the test chooses.
@Suite struct DayStartTests: TypingSuite {
    let computer: Computer

    init() throws {
        computer = try Computer(zone: "Europe/Zurich")
        try type("config set day-start 04:00")
    }

    /// The times of the meals of a day.
    private func times(_ day: String) throws -> [String] {
        try type("meal list --date \(day) --json").matches(
            of: /"occurred_at": "([^"]+)"/
        ).map { String($0.1) }
    }

    @Test(.enabled(if: FakeClock.program != nil, "\(FakeClock.missing)"))
    func `a time before the day begins is the night that was, not the one that comes`() throws {
        computer.clock = "@2026-11-03 20:00:00"
        try type("fast start --preset 16:8")
        computer.clock = "@2026-11-04 12:00:00"
        let ended = try type("fast end --time 03:30")
        #expect(ended.contains("2026-11-04 03:30") && ended.contains("7 h "), "\(ended)")
        try type("add Toast --kcal 100 --time 02:30")
        #expect(try times("2026-11-03") == ["2026-11-04T01:30:00.000Z"])
        // It was recorded at noon.
        let day = "day show --date 2026-11-03"
        #expect(try type(day).contains("Toast") && !type("\(day) --as-of 03:00").contains("Toast"))
        // What is before now is of this day, and a day that is named is that day.
        try type("add Soup --kcal 100 --time 07:30")
        #expect(try times("2026-11-04") == ["2026-11-04T06:30:00.000Z"])
        try type("add Tea --kcal 1 --time 02:30 --date 2026-11-04")
        #expect(try times("2026-11-04").contains("2026-11-05T01:30:00.000Z"))
        computer.clock = "@2026-11-05 02:45:00"
        try type("add Milk --kcal 50 --time 02:40")
        #expect(try times("2026-11-04").contains("2026-11-05T01:40:00.000Z"))
    }

    @Test func `a copy and a plan that is done keep the night at the end of their day`() throws {
        try type("add Dinner --kcal 500 --at 2026-11-02T20:00")
        try type("add Late --kcal 100 --at 2026-11-03T01:30")
        try type("copy day 2026-11-02 2026-11-10")
        #expect(
            try times("2026-11-10") == ["2026-11-10T19:00:00.000Z", "2026-11-11T00:30:00.000Z"])
        let plan = try type("plan add Pizza --slot dinner --date 2026-11-12 --json")
        let id = try #require(plan.firstMatch(of: /"id": "[^"]*([0-9a-f]{8})"/)).1
        try type("plan done \(id) --time 01:30")
        #expect(try times("2026-11-12") == ["2026-11-13T00:30:00.000Z"])
    }

    @Test func `the next meal in the night is one of the day that ends, if any`() throws {
        func next(_ moment: String) throws -> Substring? {
            try type("home --at \(moment)").split(separator: "\n").first { $0.hasPrefix("Next") }?
                .dropFirst(9)
        }
        #expect(try next("2026-11-03T21:00") == "Dinner, until 21:59")
        for time in ["00:30", "03:59"] { #expect(try next("2026-11-04T\(time)") == nil) }
        #expect(try next("2026-11-04T04:30") == "Breakfast, from 05:00")
        // For a person who works at night.
        try type(
            "config set meal-slots breakfast=17:00-19:59,lunch=23:00-00:59,dinner=02:00-04:29")
        #expect(try next("2026-11-03T17:30") == "Breakfast, until 19:59")
        #expect(try next("2026-11-03T23:30") == "Lunch, until 00:59")
        #expect(try next("2026-11-04T00:30") == "Lunch, until 00:59")
        try type("add Rice --kcal 500 --at 2026-11-03T23:30")
        #expect(try next("2026-11-03T23:40") == "Dinner, from 02:00")
        #expect(try next("2026-11-04T03:50") == "Dinner, until 04:29")
        #expect(try next("2026-11-04T04:10") == "Dinner, until 04:29")
        #expect(try next("2026-11-04T05:00") == "Breakfast, from 17:00")
    }

    @Test func `a fast that begins or ends in the night is one of the day before`() throws {
        func shown(_ day: String, at moment: String) throws -> Int {
            try type("day show \(day) --at \(moment)").split(separator: "\n").filter {
                $0.hasPrefix("Fast ")
            }.count
        }
        try type("fast start --at 2024-11-02T06:00")
        try type("fast end --at 2024-11-03T00:30")
        #expect(try shown("2024-11-02", at: "2024-11-03T01:00") == 1)
        #expect(try shown("2024-11-03", at: "2024-11-03T08:00") == 0)
        #expect(try !type("home --at 2024-11-03T08:00").contains("Fast "))
        try type("fast start --at 2024-11-04T00:30")
        // 3 November has not ended.
        #expect(try type("fast list --days 1 --at 2024-11-04T00:40").contains("2024-11-04 00:30"))
        #expect(try shown("2024-11-03", at: "2024-11-04T00:40") == 1)
        try type("fast end --at 2024-11-04T16:30")
        for day in ["2024-11-03", "2024-11-04"] {
            #expect(try shown(day, at: "2024-11-04T20:00") == 1, "\(day)")
        }
        #expect(try type("fast list --days 1 --date 2024-11-03").contains("16 h"))
        #expect(try type("fast list --days 1 --date 2024-11-04") == "No fasts there.\n")
    }

    @Test func `a reminder in the night looks at the day that it ends`() throws {
        try type("goal set --kcal 2000 --water 2l --date 2026-11-01")
        for reminder in ["weight 01:00", "water 01:10", "meal 01:20 --slot dinner"] {
            try type("reminder add \(reminder) --days mon")
        }
        func due(_ day: String) throws -> Int {
            try ["01:00", "01:10", "01:20"].reduce(0) { sum, time in
                let lines = try type("reminders due --now --at \(day)T\(time)")
                return sum + lines.split(separator: "\n").count
            }
        }
        #expect(try type("home --at 2026-11-03T00:30").contains("01:00"))
        #expect(try due("2026-11-02") == 0, "it ends a Sunday")
        #expect(try due("2026-11-03") == 3)
        // What the civil day has says nothing.
        try type("weight log 64 --at 2026-11-03T07:30")
        try type("water add 2l --at 2026-11-03T15:30")
        try type("add Dinner --kcal 500 --slot dinner --at 2026-11-03T19:30")
        #expect(try due("2026-11-03") == 3)
        try type("weight log 64 --at 2026-11-02T07:30")
        try type("water add 2l --at 2026-11-03T00:30")
        try type("add Dinner --kcal 500 --slot dinner --at 2026-11-02T19:30")
        #expect(try due("2026-11-03") == 0)
        #expect(try type("reminders due --at 2026-11-03T01:30") == "")
    }

    @Test func `a day and a time of another day are refused`() throws {
        for line in ["weight log 70", "add Soup --kcal 1", "water add 1l"] {
            let words = Transcript.words(
                "macrolog \(line) --date 2026-11-26 --time 2026-11-20T07:00")
            let result = try computer.run(words)
            #expect(
                result.status == 64 && result.errors.contains("another day than --date"),
                "\(result.errors)")
        }
        try type("weight log 70 --date 2026-11-20 --time 2026-11-20T07:00")
    }
}
