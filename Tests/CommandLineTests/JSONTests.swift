import MacrologJSON
import Testing

/// Goal: scripts get one JSON document, with units in the names of keys and ids in full.
/// Method: everything that prints is asked for JSON, and the answers are read back.
@Suite struct JSONOutputTests {
    @Test func `everything that prints prints one JSON document when asked`() throws {
        let computer = try Computer()
        for words in [
            "init --name Ada --kcal 2100", "food add Oats --kcal 372 --p 13.5",
            "add Oats --grams 60", "quick 250", "weight log 80.2kg", "day show", "meal list",
            "meal list --days 3", "food search", "food search otas", "calendar",
            "chart weight", "chart kcal --days 7", "chart macros",
            "recipe add Chili --serves 4", "recipe add-item Chili Oats --grams 60",
            "recipe show Chili", "recipe list", "recipe edit Chili --serves 2",
            "add Chili --recipe", "template list", "copy day today yesterday",
            "config get", "config get decimal", "config set decimal point", "profile show",
            "profile set --sex female", "onboard --height 168 --yes", "tdee", "tdee --explain",
            "macro preset loss", "diet set keto", "diet score", "diet score today --explain",
            "diet trend", "trends", "trends 30d", "streak", "top foods",
            "top foods --by protein",
            "home", "coach context", "coach say", "coach advise", "reminder add meal 12:30",
            "reminder list", "reminders due", "reminders due --now",
            "food portion add Oats cup 90g", "food portion list Oats", "food favourite Oats",
            "food archive Oats", "food unarchive Oats", "food unfavourite Oats",
            "add --food Oats --amount '1 cup'", "food edit Oats --kcal 380",
            "food apply-to-history Oats --from -3 --dry-run",
            "food apply-to-history Oats --from -3", "food portion delete Oats cup",
            "food add Bar --kcal 400 --barcode 4006381333931", "food barcode 4006381333931",
            "food delete Bar", "nutrient add x:iodide Iodide --unit ug", "nutrient pin x:iodide",
            "nutrient list", "nutrient unpin x:iodide", "nutrient delete x:iodide",
            "recipe scale Chili --serves 6", "recipe scale Chili --serves 6 --save",
            "recipe log Chili", "plan add Chili --recipe --slot dinner", "plan show",
            "plan copy-week today", "recipe delete Chili", "food show Oats", "weight list",
            "weight trend",
            "goal show", "targets", "goal history", "goal set --p 120", "stats", "stats 30d", "log",
            "day note hi", "day complete", "conflicts list", "db check", "db stats", "db rebuild",
            "doctor", "version", "sync status", "auth status", "undo",
        ] {
            let result = try computer.run(Transcript.words("macrolog \(words) --json"))
            #expect(result.status == 0, "\(words): \(result.errors)")
            #expect(throws: Never.self, "\(words): \(result.output)") {
                try JSON.parse(Array(result.output.utf8))
            }
        }
    }

    @Test func `a day in JSON has exact numbers with their units`() throws {
        let computer = try Computer()
        let at = ["--at", "2024-03-10T07:40", "--tz", "Europe/Zurich"]
        let added = try computer.run(
            ["add", "Oats", "--kcal", "223,2", "--p", "8.1", "--fiber", "n/a", "--json"] + at)
        let meal = try JSON.parse(Array(added.output.utf8))
        #expect(meal["id"]?.string?.utf8.count == 36)
        #expect(meal["occurred_at"]?.string == "2024-03-10T06:40:00.000Z")
        #expect(meal["zone"]?.string == "Europe/Zurich")
        #expect(meal["nutrients"]?["energy_kcal"] == .number("223.2"))
        #expect(meal["nutrients"]?["fiber_g"] == .null)
        let shown = try computer.run(["day", "show", "2024-03-10", "--json"])
        let day = try JSON.parse(Array(shown.output.utf8))
        #expect(day["totals"]?["sums"]?["protein_g"] == .number("8.1"))
        #expect(day["totals"]?["parts_known"]?["fiber"] == 0)
        #expect(day["totals"]?["part_count"] == 1)
    }

    @Test func `the log in JSON spells its clocks out`() throws {
        let computer = try Computer()
        _ = try computer.run(["quick", "100"])
        _ = try computer.run(["quick", "200"])
        let result = try computer.run(["log", "--json"])
        let events = try #require(try JSON.parse(Array(result.output.utf8)).array)
        #expect(events.count == 2)
        #expect(events[0]["event"]?.string == "a2")
        #expect(events[0]["clock_notation"]?.string == "a2")
        let device = try #require(events[0]["device_id"]?.string)
        #expect(events[0]["clock"] == [["device_id": .string(device), "seq": 2]])
    }

    @Test func `quiet says nothing but errors`() throws {
        let computer = try Computer()
        let good = try computer.run(["quick", "100", "--quiet"])
        #expect((good.status, good.output, good.errors) == (0, "", ""))
        let bad = try computer.run(["quick", "30000", "--quiet"])
        #expect(bad.status == 65 && bad.errors != "")
    }
}
