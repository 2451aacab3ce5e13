import Foundation
import Testing

/// Goal: who wants to look around finds something on every screen, and no log of a person is spoilt.
/// Method: the real program fills a log, is asked for every kind of entry, and takes all of it back.
@Suite struct DemoSeedTests: TypingSuite {
    let computer: Computer

    init() throws { computer = try Computer() }

    @Test func `an empty log gets a month that every screen shows, and one undo takes it back`()
        throws
    {
        let told = try type("demo seed --date 2024-03-10")
        #expect(
            told.hasPrefix(
                "Recorded 120 invented meals from 2024-02-10 to 2024-03-10; macrolog undo undoes it."
            ), "\(told)")
        for list in [
            "meal list", "food search", "recipe list", "template list", "weight list",
            "water list --days 2", "fast list --days 7", "activity list --days 7",
            "measure list", "bodyfat list", "ketone list", "goal history",
            "plan show --date 2024-03-11",
        ] {
            let line = list.contains("--date") ? list : list + " --date 2024-03-10"
            let result = try computer.run(Transcript.words("macrolog \(line) --json"))
            #expect(result.status == 0, "\(line): \(result.errors)")
            let text = result.output.filter { !$0.isWhitespace }
            #expect(text.contains("\"id\":"), "\(line): \(text)")
        }
        let stats = try json("stats --from 2024-02-10 --to 2024-03-10")
        #expect(stats["logged_days"] as? Int == 30)
        #expect(try type("profile show").contains("Sam Sample"))
        #expect(try type("steps --date 2024-03-10").contains("steps on 2024-03-10"))
        try type("undo")
        let day = try json("day show 2024-03-10")
        #expect((day["meals"] as? [Any])?.isEmpty == true)
        #expect(try type("weight list --date 2024-03-10").contains("No weigh-ins"))
        #expect(try computer.run(["undo"]).status == 66, "it was one action")
    }

    @Test func `the same day is the same diary, and its goal is met on some days only`() throws {
        let other = try Computer()
        var exports: [String] = []
        for computer in [computer, other] {
            for words in [["demo", "seed", "--date", "2024-03-10"], ["export", "csv", "all.csv"]] {
                let result = try computer.run(words)
                #expect(result.status == 0, "\(result.errors)")
            }
            let csv = try String(
                contentsOf: computer.folder.appending(path: "all.csv"), encoding: .utf8)
            // Ids are new ones each time.
            let id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/
            exports.append(csv.replacing(id, with: "id"))
        }
        #expect(exports[0] == exports[1])
        let stats = try json("stats --from 2024-02-10 --to 2024-03-10")
        let (achieved, missed) = (stats["achieved_days"] as? Int, stats["missed_days"] as? Int)
        #expect(achieved ?? 0 > 0 && missed ?? 0 > 0, "\(achieved ?? 0) and \(missed ?? 0)")
    }

    @Test func `what lies later today is planned, not eaten`() throws {
        try type("demo seed --days 1 --at 2024-03-10T10:30 --date 2024-03-10")
        let meals = try #require(
            try JSONSerialization.jsonObject(
                with: Data(try type("meal list --date 2024-03-10 --json").utf8)) as? [NSDictionary])
        #expect(meals.map { $0["consumed"] as? Bool } == [true, false, false, false])
        #expect(try type("activity list --date 2024-03-10").contains("Walking") == false)
    }

    @Test func `a log with anything in it is refused, and stays as it is`() throws {
        try type("quick 250")
        let before = try type("log")
        let result = try computer.run(["demo", "seed"])
        #expect(result.status == 65 && result.output == "")
        #expect(result.errors.contains("--db demo.db"), "\(result.errors)")
        #expect(try type("log") == before)
        #expect(try type("demo seed --db demo.db --days 2").contains("8 invented meals"))
    }
}
