import Foundation
import MacrologArgumentParsing
import MacrologTerminal
import Testing

/// Goal: help says what the declarations say, and looks as intended.
/// Method: whole pages, letter by letter.
@Suite struct HelpTests {
    @Test func `the declarations of the sample have no findings`() {
        #expect(Sample.program.findings == [])
    }

    @Test func `a verb explains itself`() throws {
        let expected = """
            macrolog add: Record something eaten.

            Usage: macrolog add NAME [OPTIONS]

            A portion belongs to a day and to a meal of that day. Everything but its name
            can be added later.

            Numbers are read as people type them:

              80.5   80,5   .5

            Arguments:
              NAME  What was eaten.

            Options:
              -g, --grams GRAMS  How much of it.
              --slot breakfast|lunch|dinner|snack
                                 Which meal. Otherwise snack.
              -t, --tag TAG      A word to find it by. May be repeated.
              -e, --estimated    The numbers are a guess.
              -q, --quiet        Say nothing.

            Examples:
              macrolog add 'Oat porridge' --grams 60
              macrolog add Apple -g 150 -t fruit -t raw | cat

            Everywhere:
              --json       Print JSON.
              --db FILE    The diary's file.
              --date DATE  The day meant.
              -h, --help   Explain instead of doing.

            """
        #expect(Sample.program.help(for: ["add"]) == expected)
        for line in [
            ["add", "--help"], ["help", "add"], ["add", "-h"], ["add", "--grams", "-h"],
        ] {
            guard case .show(let text) = try Sample.program.read(line) else { throw NotARun() }
            #expect(text == expected)
        }
    }

    @Test func `the program gives an overview`() throws {
        let expected = """
            macrolog 0.2: A food diary that works without a network.

            Usage: macrolog VERB [WORDS] [OPTIONS]

            Eating:
              add   Record something eaten.
              meal  Look at meals and correct them. (list, edit)

            Body:
              weight  Weigh-ins and their trend. (log)

            Network:
              sync  Exchange events with the server. (status)

            Everywhere:
              --json       Print JSON.
              --db FILE    The diary's file.
              --date DATE  The day meant.
              -h, --help   Explain instead of doing.

            More about a verb: macrolog VERB --help

            """
        #expect(Sample.program.help(for: []) == expected)
        for line in [[], ["--help"], ["help"]] {
            guard case .show(let text) = try Sample.program.read(line) else { throw NotARun() }
            #expect(text == expected)
        }
    }

    @Test func `help has three levels: every day's verbs, all verbs, one verb`() throws {
        let sample = Sample.program
        let program = Program(
            sample.name, version: sample.version, sample.summary, chapters: sample.chapters,
            daily: ["weight log", "add"], groups: sample.groups)
        #expect(program.findings == [])
        let short = """
            macrolog 0.2: A food diary that works without a network.

            Usage: macrolog VERB [WORDS] [OPTIONS]

            Every day:
              weight log  Record what the scale said.
              add         Record something eaten.

            More:
              macrolog help all   All verbs, and the options of every verb.
              macrolog help VERB  One verb with its options and examples.

            """
        let all = """
            macrolog 0.2: A food diary that works without a network.

            Usage: macrolog VERB [WORDS] [OPTIONS]

            Eating:
              add        Record something eaten.
              meal list  List the meals of some days.
              meal edit  Change a meal.

            Body:
              weight log  Record what the scale said.

            Network:
              sync         Exchange events with the server.
              sync status  Show what waits to be sent.

            Everywhere:
              -h, --help  Explain instead of doing.

            More about a verb: macrolog help VERB

            """
        for (lines, expected) in [
            ([[], ["--help"], ["help"]], short), ([["help", "all"], ["help", "all", "-h"]], all),
            ([["help", "add"], ["add", "--help"]], program.help(for: ["add"])),
            ([["help", "meal"], ["meal", "--help"]], program.help(for: ["meal"])),
        ] {
            for line in lines {
                guard case .show(let text) = try program.read(line) else { throw NotARun() }
                #expect(text == expected, "\(line)")
            }
        }
        for line in [
            ["all"], ["all", "--help"], ["help", "everything"], ["help", "meal", "all"],
        ] {
            #expect(throws: UsageError.self, "\(line)") { try program.read(line) }
        }
        let flawed = Program(
            "p", version: "1", "Flawed.", chapters: sample.chapters, daily: ["weight"],
            groups: sample.groups)
        #expect(flawed.findings == ["weight, a verb of every day, is not declared."])
    }

    @Test func `a verb that hands its words over passes them as they were typed`() throws {
        let any = SampleVerb(
            "change", "Change anything.", example: "change x --grams much", run: { _, _ in }
        ) {
            Parameter.argument("what", .text, "The thing.")
            SampleVerb.options(ofAny: Sample.program.commands)
        }
        let program = Program<[String], Never>(
            "p", version: "1", "Hands over.",
            chapters: [Chapter("All", Sample.program.commands + [any])],
            groups: Sample.program.groups)
        #expect(program.findings == [])
        let line = ["change", "-t", "a", "--grams=much", "x", "--tag", "b c", "-e", "--slot", ""]
        guard case .run(_, let words) = try program.read(line) else { throw NotARun() }
        #expect(
            words.typedOptions == [
                "--grams=much", "--slot=", "--tag=a", "--tag=b c", "--estimated",
            ])
        let help = program.help(for: ["change"])
        #expect(help.contains("p change WHAT [OPTIONS]") && !help.contains("--grams GRAMS"))
        #expect(!program.manual().components(separatedBy: "p change").last!.contains("GRAMS"))
        #expect(throws: UsageError.self) { try program.read(["change", "x", "--nothing"]) }
        #expect(throws: UsageError.self) {
            try program.read(["change", "x", "--grams", "1", "-g2"])
        }
    }

    @Test func `a group lists its verbs, and a verb with more verbs lists them, too`() {
        #expect(
            Sample.program.help(for: ["meal"]).hasPrefix(
                """
                macrolog meal: Look at meals and correct them.

                Usage: macrolog meal VERB [WORDS] [OPTIONS]

                Verbs:
                  list  List the meals of some days.
                  edit  Change a meal.

                """))
        #expect(
            Sample.program.help(for: ["sync"]).contains(
                "\nVerbs:\n  status  Show what waits to be sent.\n"))
    }

    @Test func `the version is asked for without a verb`() throws {
        guard case .show(let text) = try Sample.program.read(["--version"]) else { throw NotARun() }
        #expect(text == "macrolog 0.2\n")
    }

    @Test func `help never fills more than the width`() {
        for path in [[], ["add"], ["meal"], ["meal", "edit"], ["weight", "log"]] {
            for line in Sample.program.help(for: path, width: 50).split(separator: "\n")
            where !line.contains("|") && !line.hasPrefix("Usage") && !line.contains("Example") {
                #expect(displayWidth(String(line)) <= 50, "\(line)")
            }
        }
    }

    @Test func `a program without verbs has options of its own`() throws {
        let port = Parameter.option("port", .integer(in: 1...65_535), otherwise: "8080", "Where.")
        let server = Program<Int, Never>(
            "server", version: "1", "Serves.",
            chapters: [
                Chapter(
                    "Server",
                    [Command("", "Serve.", example: "--port 80", run: { _, _ in }) { port }])
            ])
        #expect(server.findings == [])
        guard case .run(_, let words) = try server.read(["--port=99"]) else { throw NotARun() }
        #expect(words[port] == 99)
        guard case .run(_, let none) = try server.read([]) else { throw NotARun() }
        #expect(none[port] == 8080)
        #expect(throws: UsageError.self) { try server.read(["surplus"]) }
        guard case .show(let version) = try server.read(["--version"]) else { throw NotARun() }
        #expect(version == "server 1\n")
        #expect(
            server.help(for: []) == """
                server 1: Serves.

                Usage: server [OPTIONS]

                Options:
                  --port N  Where. Otherwise 8080.

                Example:
                  server --port 80

                Everywhere:
                  -h, --help  Explain instead of doing.

                """)
    }

    @Test func `findings in declarations are found`() {
        let many = Parameter.arguments("many", .text, "All.")
        let after = Parameter.argument("after", .text, "Never reached.")
        let bad = Parameter.option("bad", .integer(in: 1...3), otherwise: "7", "Wrong.")
        let twice = Parameter.flag("json", short: "h", "Again.")
        let program = Program<Int, Never>(
            "p", version: "1", "Flawed.",
            chapters: [
                Chapter(
                    "All",
                    [
                        Command("a b", "One.", example: "a b --nothing", run: { _, _ in }) {
                            many
                            after
                            bad
                            twice
                        },
                        Command("a b", "Two.", example: "a b", run: { _, _ in }),
                        Command("c", "Three.", example: "c", run: { _, _ in }) {
                            Parameter.flag("bad", "Also an option.")
                        },
                    ])
            ]
        ) { Sample.json }
        #expect(
            program.findings == [
                "p a b: AFTER can never be reached.",
                "p a b: --bad refuses its own 7.",
                "p a b: --json is declared twice.",
                "p a b: -h is declared twice.",
                "p a b: the example `a b --nothing` is refused: has no option \"--nothing\"",
                "p a b is declared twice.",
                "p a b: the example `a b` is refused: is missing",
                "--bad takes a value in one verb and none in another.",
                "p a is not explained.",
            ])
    }

    @Test func `a verb does its work`() async throws {
        guard case .run(let command, let words) = try Sample.program.read(["add", "Oats"]) else {
            throw NotARun()
        }
        var said: [String] = []
        await command.run(words, &said)
        #expect(said == ["Oats"])
    }
}
