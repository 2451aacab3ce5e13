import Foundation
import Testing

/// Goal: the first conversation asks only what is missing, says what answers change, and records
/// everything that was agreed to, or nothing.
/// Method: the real program on a pseudo-terminal of 80 columns, with answers typed at its prompts.
@Suite struct OnboardTests {
    /// A computer whose terminal shows no colours.
    private static func computer() throws -> Computer {
        let computer = try Computer()
        computer.environment["NO_COLOR"] = "1"
        return computer
    }

    private static func lines(_ words: [String]) -> String {
        words.map { $0 + "\n" }.joined()
    }

    private static let answers = [
        "Ada", "", "", "female", "1990-05-17", "168", "64.2kg", "62", "light", "balanced", "cut",
        "strength",
    ]

    @Test func `what was answered is recorded together, and undone together`() throws {
        let computer = try Self.computer()
        let text = try computer.show(
            ["onboard", "--date", "2024-03-10"], typing: Self.lines(Self.answers + ["yes"]))
        #expect(text.contains("Welcome to Macrolog."))
        #expect(text.contains("→ Hello, Ada."))
        // 10 × 64.2 + 6.25 × 168 - 5 × 33 - 161 = 1366 kcal; × 1.2 × 85 % = 1393.32 kcal.
        #expect(text.contains("→ resting energy 1,366 kcal"))
        #expect(text.contains("energy 1,393 kcal"))
        #expect(text.contains("protein 184.0 g, it was 127.4 g"))
        #expect(text.contains("Aim: 1,639 kcal × -15 % = -246 kcal"))
        #expect(text.contains("Recorded; macrolog undo undoes it."))
        let goal = try computer.run(["goal", "show", "--date", "2024-03-10"]).output
        #expect(goal.contains("at most  1,393 kcal"))
        #expect(try computer.run(["undo"]).status == 0)
        #expect(try computer.run(["weight", "list"]).output.contains("No weigh-ins"))
        #expect(try computer.run(["profile", "show"]).output.contains("name              –"))
    }

    @Test func `a person who leaves before the end has recorded nothing`() throws {
        // Ctrl-D after every number of answers, and "no" at the end.
        for count in [0, 3, 7, 12] {
            let computer = try Self.computer()
            let text = try computer.show(
                ["onboard"], typing: Self.lines(Array(Self.answers.prefix(count))) + "\u{4}")
            #expect(text.contains("Nothing was recorded"))
            #expect(try computer.run(["log", "--json"]).output == "[]\n")
        }
        let computer = try Self.computer()
        _ = try computer.show(["onboard"], typing: Self.lines(Self.answers + ["no"]))
        #expect(try computer.run(["log", "--json"]).output == "[]\n")
    }

    @Test func `a person who stops is asked the rest the next time`() throws {
        let computer = try Self.computer()
        let first = try computer.show(
            ["onboard"], typing: Self.lines(["Ada", "", "", "female", "stop"]))
        #expect(first.contains("What you answered is recorded"))
        let rest = try computer.show(["onboard"], typing: Self.lines(["kg", "", "stop"]))
        #expect(rest.contains("Welcome back."))
        #expect(!rest.contains("What is your name?"))
        #expect(!rest.contains("male, female or unspecified?"))
        #expect(rest.contains("In which unit do you weigh yourself?"))
        let profile = try computer.run(["profile", "show"]).output
        #expect(
            profile.contains("name              Ada")
                && profile.contains("sex               female"))
    }

    @Test func `a mistake is explained and asked again, and back goes back`() throws {
        let computer = try Self.computer()
        let words = [
            "Eva", "back", "Ada", "lb", "", "femal", "female", "17.5.1990", "1990-05-17", "3m",
            "168", "141", "back", "142", "stop",
        ]
        _ = try computer.show(["onboard"], typing: Self.lines(words))
        let profile = try computer.run(["profile", "show"]).output
        #expect(profile.contains("name              Ada"))
        #expect(profile.contains("height            168.0 cm"))
        #expect(profile.contains("weight            142.0 lb"))
        #expect(
            try computer.run(["weight", "list", "--json"]).output.split(separator: "\n").count < 15)
    }

    @Test func `what was typed after the verb is not asked`() throws {
        let computer = try Self.computer()
        let text = try computer.show(
            ["onboard", "--sex", "male", "--name", "Ben"], typing: Self.lines(["stop"]))
        #expect(!text.contains("What is your name?"))
        #expect(try computer.run(["profile", "show"]).output.contains("Ben"))
    }

    @Test func `no one is asked without a terminal, and scripts get the words to type`() throws {
        let computer = try Self.computer()
        let refused = try computer.run(["onboard", "--sex", "male"], input: "Ada\n")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("macrolog onboard --name Ada --weight-unit kg"))
        #expect(!refused.errors.contains("--sex"), "what is known needs no word")
        let line = try #require(
            refused.errors.split(separator: "\n").first { $0.hasPrefix("macrolog onboard --") })
        let typed = try computer.run(Transcript.words(String(line)) + ["--sex", "male"])
        #expect(typed.status == 0, "\(typed.errors)")
        #expect(typed.output.contains("Your targets from"))
        #expect(!typed.output.contains("Still open"))
    }

    @Test func `no line of the conversation's pages is wider than the terminal`() throws {
        let computer = try Self.computer()
        let text = try computer.show(["onboard"], typing: Self.lines(Self.answers + ["yes"]))
        for line in text.split(separator: "\r\n") where line.hasPrefix("  ") {
            #expect(line.count <= 80, "\(line)")
        }
    }
}
