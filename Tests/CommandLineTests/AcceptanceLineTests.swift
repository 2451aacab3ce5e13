import Foundation
import MacrologJSON
import Testing

/// The acceptance tests of the domain, by their numbers, as a person would try them: with the real
/// program. `NutritionTests/AcceptanceTests` has those that need no log.
@Suite struct AcceptanceLineTests {
    private func run(_ words: String, on computer: Computer) throws -> String {
        let result = try computer.run(Transcript.words("macrolog " + words))
        #expect(result.status == 0, "\(words): \(result.errors)")
        return result.output
    }

    private func json(_ words: String, on computer: Computer) throws -> JSON {
        try JSON.parse(Array(try run(words + " --json", on: computer).utf8))
    }

    /// 79.861 kg with 20 % fat are 1,750 kcal at rest by Katch-McArdle: a base of 2,100 kcal.
    private func airFit() throws -> Computer {
        let computer = try Computer()
        _ = try run(
            "onboard --sex male --birth 1990-05-17 --weight 79861g --body-fat 20 --aim maintain "
                + "--yes --date 2026-03-01", on: computer)
        return computer
    }

    private func target(_ day: String, on computer: Computer) throws -> String {
        try run("targets \(day)", on: computer)
    }

    @Test func `2 AirFit scenario 1: a training day of 450 kcal has a target of 2550`() throws {
        let computer = try airFit()
        #expect(try target("2026-03-10", on: computer).contains("2,100 + 0 = 2,100 kcal"))
        _ = try run("add Oats --kcal 700 --p 60 --c 90 --f 20 --at 2026-03-10T07:30", on: computer)
        _ = try run("add Soup --kcal 500 --p 25 --c 60 --f 20 --at 2026-03-10T16:30", on: computer)
        _ = try run(
            "activity log 'strength training - legs' --minutes 45 --kcal 450 "
                + "--at 2026-03-10T16:45", on: computer)
        #expect(try target("2026-03-10", on: computer).contains("2,100 + 450 = 2,550 kcal"))
        // Letter by letter what AirFit's design gives a model as its example.
        #expect(
            try run("coach context --at 2026-03-10T18:30", on: computer) == """
                {
                  "baseCalories": 2100,
                  "activeCaloriesEarned": 450,
                  "totalTarget": 2550,
                  "currentIntake": {
                    "calories": 1200,
                    "protein": 85,
                    "carbs": 150,
                    "fat": 40
                  },
                  "workoutsToday": [
                    "45 min strength training - legs"
                  ],
                  "lastMealTime": "2 hours ago",
                  "timeSinceWorkout": "1 hour"
                }

                """)
    }

    @Test func `2 AirFit scenario 2: a rest day of 80 kcal has a target of 2180, kindly`() throws {
        let computer = try airFit()
        _ = try run("activity log Walk --kcal 80 --at 2026-03-10T12:00", on: computer)
        #expect(try target("2026-03-10", on: computer).contains("2,100 + 80 = 2,180 kcal"))
        let said = try run("coach advise --at 2026-03-10T20:00", on: computer)
        #expect(said.contains("A quiet day with 80 kcal of activity"))
        #expect(said.contains("2,180 kcal"))
    }

    @Test func `2 AirFit scenario 3: a hike no one planned adds its 600 kcal`() throws {
        let computer = try airFit()
        _ = try run("activity log Walk --kcal 80 --at 2026-03-10T09:00", on: computer)
        _ = try run(
            "activity log Hike --minutes 120 --kcal 600 --at 2026-03-10T13:00", on: computer)
        #expect(try target("2026-03-10", on: computer).contains("2,100 + 680 = 2,780 kcal"))
        #expect(try target("2026-03-09", on: computer).contains("2,100 + 0 = 2,100 kcal"))
    }

    @Test func `2 AirFit scenario 4: what is missing is named, and guessed only when asked`() throws
    {
        let computer = try Computer()
        _ = try run("goal set --mode dynamic --date 2026-03-01", on: computer)
        let plain = try computer.run(["targets", "2026-03-10"])
        #expect(plain.errors.contains("no weight is known: log a weight"))
        #expect(!plain.output.contains("kcal"))
        let guessed = try computer.run(["targets", "2026-03-10", "--allow-default", "--explain"])
        #expect(guessed.output.contains("2,160 kcal"))
        #expect(guessed.output.contains("a guess, nothing computed = 1,800 kcal"))
        #expect(guessed.errors.contains("1,800 kcal are assumed"))
    }

    @Test func `8 plan changed on the 10th leaves 1st-9th untouched`() throws {
        let computer = try Computer()
        _ = try run("goal set --kcal 2100 --p 120 --date 2026-11-01", on: computer)
        let before = try (1...9).map {
            try run("goal show --date 2026-11-0\($0) --json", on: computer)
        }
        _ = try run("goal set --kcal 1800 --p 140 --date 2026-11-10", on: computer)
        let after = try (1...9).map {
            try run("goal show --date 2026-11-0\($0) --json", on: computer)
        }
        #expect(before == after)
        for day in 10...12 {
            let text = try run("goal show --date 2026-11-\(day)", on: computer)
            #expect(text.contains("1,800 kcal") && text.contains("140.0 g"))
        }
    }

    /// A zone, what was typed there, and the day and the instant that it is; `nil` for a time that
    /// does not exist there.
    struct Moment: CustomTestStringConvertible {
        let zone: String
        let typed: String
        let day: String?
        let instant: String?
        var testDescription: String { "\(zone) \(typed)" }

        init(_ zone: String, _ typed: String, _ day: String? = nil, _ instant: String? = nil) {
            (self.zone, self.typed, self.day, self.instant) = (zone, typed, day, instant)
        }
    }

    static let moments = [
        Moment("America/New_York", "2026-03-10T23:30", "2026-03-10", "2026-03-11T03:30:00.000Z"),
        Moment("America/New_York", "2026-03-08T02:30"),
        Moment(
            "America/New_York", "2026-11-01T01:30-04:00", "2026-11-01", "2026-11-01T05:30:00.000Z"),
        Moment(
            "America/New_York", "2026-11-01T01:30-05:00", "2026-11-01", "2026-11-01T06:30:00.000Z"),
        Moment("Australia/Lord_Howe", "2026-10-04T02:15"),
        Moment("Australia/Lord_Howe", "2026-10-04T02:45", "2026-10-04", "2026-10-03T15:45:00.000Z"),
        Moment("Asia/Kathmandu", "2026-03-10T00:10", "2026-03-10", "2026-03-09T18:25:00.000Z"),
        Moment("Pacific/Kiritimati", "2026-03-10T00:30", "2026-03-10", "2026-03-09T10:30:00.000Z"),
        Moment("Pacific/Pago_Pago", "2026-03-08T23:30", "2026-03-08", "2026-03-09T10:30:00.000Z"),
    ]

    @Test(arguments: moments)
    func `10 every zone fixture`(moment: Moment) throws {
        let computer = try Computer()
        let typed = try computer.run(
            ["add", "Soup", "--kcal", "300", "--at", moment.typed, "--tz", moment.zone, "--json"])
        guard let day = moment.day else {
            #expect(typed.status == 64)
            #expect(typed.errors.contains("does not exist: the clocks go forward then"))
            #expect(try run("meal list --days 3000", on: computer).contains("No meals"))
            return
        }
        #expect(typed.status == 0, "\(typed.errors)")
        let meal = try JSON.parse(Array(typed.output.utf8))
        #expect(meal["day"] == .string(day))
        #expect(meal["occurred_at"] == moment.instant.map { .string($0) })
        // Read elsewhere it stays where it was eaten.
        for zone in ["Europe/Paris", "Pacific/Kiritimati", "Pacific/Pago_Pago"] {
            let list = try json("meal list --date \(day) --tz \(zone)", on: computer)
            guard case .array(let meals) = list else { return }
            #expect(meals.count == 1, "\(zone)")
        }
    }

    @Test func `10 a day that begins at 04:00, and what was recorded before that was said`() throws
    {
        let computer = try Computer()
        _ = try run("add Crisps --kcal 100 --at 2026-03-10T00:40", on: computer)
        _ = try run("config set day-start 04:00", on: computer)
        _ = try run("add Toast --kcal 120 --at 2026-03-12T00:40", on: computer)
        #expect(try run("meal list --date 2026-03-10", on: computer).contains("Crisps"))
        #expect(try run("meal list --date 2026-03-11", on: computer).contains("Toast"))
        _ = try run("config set day-start default", on: computer)
        #expect(try run("meal list --date 2026-03-11", on: computer).contains("Toast"))
    }

    @Test func `16 unknown fibre in one of four items: coverage 3 of 4, not 0`() throws {
        let computer = try Computer()
        for fiber in ["4", "4", "4", "n/a"] {
            _ = try run("add Bread --kcal 100 --fiber \(fiber) --date 2026-03-10", on: computer)
        }
        let totals = try #require(try json("day show 2026-03-10", on: computer)["totals"])
        #expect(totals["sums"]?["fiber_g"] == .integer(12))
        #expect(totals["parts_known"]?["fiber"] == .integer(3))
        #expect(totals["part_count"] == .integer(4))
    }

    @Test func `19 weekly weigh-in window: no division by zero`() throws {
        let computer = try Computer()
        _ = try run("profile set --sex male --height 180 --birth 1990-05-17", on: computer)
        _ = try run("goal set --mode adaptive --date 2026-01-01", on: computer)
        for (index, day) in ["03", "10", "17", "24"].enumerated() {
            _ = try run("weight log 8\(index).1kg --date 2026-03-\(day)", on: computer)
            for day in ["2026-03-01", "2026-03-10", "2026-03-31", "2026-05-01"] {
                for verb in [
                    "tdee \(day)", "targets \(day) --explain", "weight trend --date \(day)",
                ] {
                    #expect(try computer.run(Transcript.words("macrolog " + verb)).status == 0)
                }
            }
        }
    }

    @Test func `20 logged 0 g counts in averages`() throws {
        let computer = try Computer()
        for (day, protein) in [("08", "0"), ("09", "10"), ("10", "n/a")] {
            _ = try run("add Tea --kcal 0 --p \(protein) --date 2026-03-\(day)", on: computer)
        }
        let stats = try json("stats --date 2026-03-10", on: computer)
        let averages = try #require(stats["averages"]?.array)
        func logged(_ nutrient: String) -> JSON? {
            averages.first { $0["nutrient"]?.string == nutrient }?["over_logged_days"]
        }
        #expect(logged("protein")?["mean_g"] == .integer(5))
        #expect(logged("protein")?["counted_days"] == .integer(2))
        #expect(logged("energy")?["mean_kcal"] == .integer(0))
        #expect(logged("energy")?["counted_days"] == .integer(3))
    }
}
