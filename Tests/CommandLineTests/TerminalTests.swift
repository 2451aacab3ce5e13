import Foundation
import Testing

/// Goal: colours and lines where someone looks, plain text everywhere else.
/// Method: the real program with a pseudo-terminal or a file as its output.
@Suite struct TerminalTests {
    /// Runs the program on a pseudo-terminal, with a cake recorded, and returns what it wrote there.
    private func show(
        _ words: [String], on computer: Computer? = nil, typing answers: String? = nil,
        _ change: (inout [String: String]) -> Void = { _ in }
    ) throws -> String {
        let computer = try computer ?? Computer()
        let added = try computer.run(["quick", "250", "Cake", "--estimated"])
        #expect(added.status == 0)
        change(&computer.environment)
        return try computer.show(words, typing: answers)
    }

    @Test func `a terminal gets colours`() throws {
        #expect(try show(["day", "show"]).contains("\u{1B}["))
    }

    @Test func `a person who refuses colours gets none`() throws {
        #expect(!(try show(["day", "show", "--no-color"]).contains("\u{1B}")))
        #expect(!(try show(["day", "show"]) { $0["NO_COLOR"] = "1" }.contains("\u{1B}")))
        #expect(!(try show(["day", "show"]) { $0["TERM"] = "dumb" }.contains("\u{1B}")))
        #expect(!(try show(["day", "show"]) { $0["TERM"] = nil }.contains("\u{1B}")))
    }

    @Test func `a file gets neither colours nor, without UTF-8, anything but ASCII`() throws {
        let computer = try Computer()
        for words in [["quick", "250", "Cake"], ["goal", "set", "--kcal", "2100"]] {
            #expect(!(try computer.run(words).output.contains("\u{1B}")))
        }
        computer.environment["LANG"] = "C"
        for words in [
            ["day", "show"], ["meal", "list"], ["stats"], ["log"], ["goal", "show"], ["doctor"],
            ["--help"],
        ] {
            let result = try computer.run(words)
            #expect(result.status == 0)
            #expect(!result.output.contains("\u{1B}"))
        }
        let drawn = try computer.run(["day", "show"]).output.replacing("–", with: "")
        #expect(drawn.utf8.allSatisfy { $0 < 0x80 }, "\(drawn)")
    }

    @Test func `init asks in a terminal, asks again after a mistake, and nowhere else`() throws {
        let computer = try Computer()
        let answers = "Ada\nstone\nlb\n\n\n\n\n176,5\n\n\n\n2100\nyes\n"
        let text = try show(["init"], on: computer, typing: answers) { $0["NO_COLOR"] = "1" }
        #expect(text.contains("What is your name?"))
        #expect(text.contains("name              Ada"))
        #expect(text.contains("weight-unit       lb"))
        #expect(try computer.run(["weight", "list"]).output.contains("176.5 lb"))
        #expect(try computer.run(["goal", "show"]).output.contains("2,100 kcal"))
        let silent = try Computer().run(["init"], input: "Ben\n")
        #expect(silent.status == 0 && !silent.output.contains("What is your name?"))
        let told = try show(["init", "--name", "Eva"], typing: "Ben\n")
        #expect(!told.contains("What is your name?"))
    }

    @Test func `the yield of a recipe and what a day lacks fit forty columns`() throws {
        let computer = try Computer()
        computer.environment["NO_COLOR"] = "1"
        for words in [
            "recipe add Chili --serves 4", "recipe add-item Chili Beans --grams 400 --kcal 300",
        ] {
            #expect(try computer.run(Transcript.words("macrolog " + words)).status == 0)
        }
        for words in [["recipe", "show", "Chili"], ["day", "show", "2026-11-20"]] {
            let text = try computer.show(words, columns: 40)
            // What is to be typed stays in one line.
            let told = text.split(separator: "\r\n").filter { !$0.hasPrefix("macrolog ") }
            for line in told { #expect(line.count <= 40, "\(line)") }
        }
    }

    @Test(arguments: ["day show", "meal list", "weight list", "stats"])
    func `a terminal of forty columns shows names and days whole`(verb: String) throws {
        let computer = try Computer()
        for words in [
            "add 'Lentil soup' --kcal 400 --p 20 --c 30 --f 12 --date 2026-11-20",
            "add Bread --kcal 180 --date 2026-11-20",
            "weight log 80.2kg --date 2026-11-20", "weight log 80.4kg --date 2026-11-20",
            "goal set --kcal 2100 --p 120 --date 2026-11-20",
        ] { #expect(try computer.run(Transcript.words("macrolog " + words)).status == 0) }
        computer.environment["NO_COLOR"] = "1"
        let words = verb.split(separator: " ").map(String.init) + ["--date", "2026-11-20"]
        let text = try computer.show(words, columns: 40)
        for line in text.split(separator: "\r\n") { #expect(line.count <= 40, "\(line)") }
        let whole = [
            "day show": ["Lentil soup", "carbs 30.0 g", "2,100 kcal"],
            "meal list": ["name Lentil soup", "day 2026-11-20", "protein 20.0"],
            "weight list": ["2026-11-20", "80.2 kg"], "stats": ["Protein (1 of 2)"],
        ]
        for part in try #require(whole[verb]) { #expect(text.contains(part), "\(text)") }
        #expect(!text.contains("…"), "\(text)")
    }

    @Test(
        arguments: [
            ("add Oats --kcal abc", 64), ("add Oats --kcal 30000", 65), ("meal show 3f2a", 66),
            ("weight log 900kg --json", 65),
        ] as [(String, Int32)])
    func `an error on a narrow terminal is broken at words, and is one line anywhere else`(
        words: String, status: Int32
    ) throws {
        let computer = try Computer()
        let typed = words.split(separator: " ").map(String.init)
        let whole = try computer.run(typed).errors.split(separator: "\n")
        let shown = try computer.show(typed, columns: 40, status: status)
            .split(separator: "\r\n")
        #expect(whole.contains { $0.count > 40 })
        if typed.last == "--json" { return #expect(shown.count == 1, "JSON stays one line") }
        for line in shown { #expect(line.count <= 40, "\(line)") }
        #expect(shown.count > whole.count && shown.contains { $0.hasPrefix("  ") })
        #expect(
            shown.joined(separator: " ").split(separator: " ")
                == whole.joined(separator: " ").split(separator: " "))
    }

    @Test(arguments: ["day show", "home", "stats", "trends", "diet score", "targets --explain"])
    func `no line is wider than the terminal`(verb: String) throws {
        let computer = try Computer()
        for words in [
            "onboard --sex male --weight 80kg --height 180 --aim cut --diet keto --yes --name Ada",
            "add 'Soup with a name that is longer than any column' --kcal 400 --p 20 --c 30 --f 12",
            "config set pinned-nutrients sodium,iron,calcium,zinc,magnesium,vit_b12,vit_d",
            "reminder add meal 12:30", "activity log 'A long walk along the lake' --kcal 1200",
        ] { #expect(try computer.run(Transcript.words("macrolog " + words)).status == 0) }
        let text = try show(verb.split(separator: " ").map(String.init), on: computer) {
            $0["NO_COLOR"] = "1"
        }
        for line in text.split(separator: "\r\n") { #expect(line.count <= 80, "\(line)") }
    }
}
