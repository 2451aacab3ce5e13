import Foundation
import MacrologArgumentParsing
import Macrolog
import MacrologFaces
import MacrologJSON
import Testing

import macrolog_cli

/// Goal: `--json` is one API: every key follows the convention of `docs/JSON.md` and stands there.
/// Method: every example of every verb is typed with `--json` on a log that holds one of everything,
/// and two devices sync and disagree; every key and value of every answer is checked.
@Suite struct JSONConventionTests {
    @Test func `every verb answers by the convention, with keys that are documented`() throws {
        let sample = try Sample()
        // With them, so that a key has one type in all answers.
        var keys = Self.keysOfFields()
        for command in program.commands where Self.isAsked(command.path) {
            for example in command.examples where !Self.isOwnFormat(example) {
                let computer = try sample.computer.copy()
                if HelpTests.needsFast(command.path) {
                    _ = try computer.run(
                        ["fast", "start", "--date", "yesterday", "--time", "00:10"])
                }
                let line = "macrolog " + example.prefix { !"|>".contains($0) }
                var words = Transcript.words(sample.withRealIDs(line))
                if !words.contains("--json") { words.append("--json") }
                let result = try computer.run(words)
                #expect(result.status == 0, "\(example): \(result.errors)")
                try keys.add(result.output, of: example)
                if !result.errors.isEmpty { try keys.add(result.errors, of: example) }
            }
        }
        for words in Self.more {
            try keys.add(
                sample.computer.run(Transcript.words("macrolog \(words) --json")).output, of: words)
        }
        #expect(keys.mistakes == [])
        let documented = try Self.documented()
        #expect(keys.names.subtracting(documented).sorted() == [])
    }

    /// What has keys of another's, and why: `docs/JSON.md` says it.
    private static let exceptions = ["export json", "doctor --bundle", "coach context"]

    @Test func `the page names each format that is not of the convention, and no other`() throws {
        let page = try Self.page()
        let part = try #require(page.components(separatedBy: "Three formats are not").last)
        let named = part.components(separatedBy: "\n\n").prefix(2).joined(separator: "\n")
            .matches(of: /(?m)^- `([^`]*)`/).map { String($0.1) }
        #expect(named == Self.exceptions)
        let computer = try Computer()
        let own = try JSON.parse(Array(try computer.run(["coach", "context"]).output.utf8))
        #expect(own["baseCalories"] != nil)
        let facts = try JSON.parse(
            Array(try computer.run(["coach", "context", "--json"]).output.utf8))
        #expect(facts["baseCalories"] == nil)
    }

    @Test func `every field of every kind has a key by the convention, and it is documented`()
        throws
    {
        let keys = Self.keysOfFields()
        #expect(keys.mistakes == [])
        let documented = try Self.documented()
        #expect(keys.names.subtracting(documented).sorted() == [])
        let newer = FieldJSON.object(["aura": .text("blue")], in: Kind.food.name)
        #expect(newer == ["newer_fields": [["field": "aura", "stored": "blue"]]])
    }

    /// The keys of every field in the events of `log --json`.
    private static func keysOfFields() -> JSONKeys {
        var keys = JSONKeys()
        for kind in Kind.all {
            for spec in kind.fields {
                keys.add(FieldJSON.object([spec.name: value(of: spec.shape)], in: kind.name))
            }
        }
        return keys
    }

    /// A value that a field may have, if its form decides the key or the unit.
    private static func value(of shape: FieldShape) -> Value {
        switch shape {
        case .number(_, let hard, _): .int(hard.upperBound)
        case .flag: .bool(true)
        case .day: .int(20_000)
        case .instant: .int(1_700_000_000_000)
        case .localDate: LocalDate(day: .earliest).value
        case .amount: Amount(milli: 1_000, unit: "g", milligrams: 1_000).value
        case .shares: [.int(4_000), .int(3_000), .int(3_000)]
        case .slots: MealSlot.value(MealSlot.standard)
        case .weekdays: .map(["6": .map(["energy_mkcal": .int(2_400_000)])])
        case .reference: .bytes(Array(repeating: 7, count: 16))
        case .totals: .map(["energy": .int(100_000)])
        default: .null
        }
    }

    @Test func `syncing, devices and conflicts answer by the convention`() throws {
        let two = try SyncedDevices()
        var keys = JSONKeys()
        func ask(_ device: Computer, _ words: String) throws {
            try keys.add(two.run(device, words + " --json"), of: words)
        }
        try two.run(two.phone, "add Soup --kcal 400 --at 2024-03-10T12:00")
        try two.run(two.phone, "weight log 80.2kg --at 2024-03-10T07:00")
        try two.sync(two.phone, two.laptop)
        for (device, words, weight) in [
            (two.phone, "--kcal 410 --note a", "81kg"), (two.laptop, "--kcal 420 --note b", "82kg"),
        ] {
            let list = try two.json(device, "meal list --date 2024-03-10").array
            let meal = try #require(list?.first?["id"]?.string)
            try two.run(device, "meal edit \(meal) \(words)")
            try two.run(
                device, "weight edit \(try weighIn(two, device)) --weight \(weight)")
        }
        try two.sync(two.phone, two.laptop)
        for words in [
            "sync", "sync status", "auth status", "device list", "conflicts list", "log", "doctor",
            "device rename laptop 'old laptop'", "auth sessions", "auth audit",
            "auth export out.zip",
            "auth totp enable --password-stdin",
        ] {
            try ask(two.phone, words)
        }
        let conflicts = try #require(try two.json(two.phone, "conflicts list").array)
        #expect(!conflicts.isEmpty)
        for conflict in conflicts {
            let (id, cell) = (conflict["id"]?.string ?? "", conflict["cell"]?.string ?? "")
            #expect(conflict["shown"]?["value"]?[cell] != nil, "the key of the value says its unit")
            try ask(two.phone, "conflicts show \(id)")
            try ask(two.phone, "conflicts use-other \(id) \(cell)")
        }
        try ask(two.phone, "share grant Eva 2026-11-01")
        try ask(two.phone, "auth token shortcut")
        if canDrawCards {
            try ask(two.phone, "share day 2024-03-10 --max-opens 3")
            try ask(two.phone, "share list")
            let shared = try two.json(two.phone, "share list")["shared"]?.array?.first
            try ask(two.phone, "share revoke \(shared?["share_id"]?.string ?? "")")
        }
        try ask(two.phone, "device revoke 'old laptop' --yes")
        try ask(two.phone, "sync")
        try ask(two.phone, "auth logout")
        #expect(keys.mistakes == [])
        let documented = try Self.documented()
        #expect(keys.names.subtracting(documented).sorted() == [])
    }

    @Test(arguments: [
        ("meal show ffff", 66, "not_found"), ("undo --of a999", 66, "no_such_event"),
        ("frobnicate", 64, "usage"), ("add Soup --kcal many", 64, "usage"),
        ("quick 30000", 65, "invalid_data"), ("sync", 77, "logged_out"),
        ("conflicts keep ffff kcal", 66, "not_found"), ("undo", 66, "nothing_to_undo"),
        ("day show --db /nonexistent/log.db", 73, "cannot_create_file"),
    ])
    func `an error with --json is one JSON object on standard error`(
        words: String, exitCode: Int32, code: String
    ) throws {
        let computer = try Computer()
        let result = try computer.run(Transcript.words("macrolog \(words) --json"))
        #expect(result.status == exitCode && result.output == "", "\(result.errors)")
        #expect(result.errors.hasSuffix("}\n"))
        let error = try #require(try JSON.parse(Array(result.errors.utf8))["error"])
        #expect(error["exit_code"]?.integer == Int64(exitCode))
        #expect(error["code"]?.string == code)
        #expect(error["message"]?.string?.isEmpty == false)
        #expect(error["retryable"]?.bool == false)
        var keys = JSONKeys()
        try keys.add(result.errors, of: words)
        #expect(keys.mistakes == [])
        let documented = try Self.documented()
        #expect(keys.names.subtracting(documented).sorted() == [])
        let told = try computer.run(Transcript.words("macrolog \(words)"))
        #expect(told.status == exitCode && !told.errors.contains("{"), "people are told in words")
    }

    @Test func `warnings with --json are one JSON object too`() throws {
        let result = try Computer().run(["quick", "7000", "--json"])
        let warnings = try JSON.parse(Array(result.errors.utf8))["warnings"]?.array
        #expect(result.status == 0 && warnings?.count == 1)
    }

    private func weighIn(_ two: SyncedDevices, _ device: Computer) throws -> String {
        let list = try two.json(device, "weight list --date 2024-03-10").array
        return try #require(list?.first?["id"]?.string)
    }

    /// What no example asks.
    private static let more = [
        "day show --explain", "home", "chart weight", "chart kcal", "chart macros",
        "db check --by-day",
        "meal list --days 3", "config get", "profile show", "weight trend --days 9", "log 40",
        "day show yesterday", "targets --explain", "tdee --explain", "redo", "undo 2", "steps 8200",
        "steps", "height set 180cm", "goal set --kcal 2100 --weekday sat,sun=2400kcal",
        "meal list --date -40", "goal show --date 2020-01-01", "share text today",
    ]

    /// What needs a server or a conflict is asked of two devices; scripts and pages are not JSON.
    private static func isAsked(_ path: [String]) -> Bool {
        !HelpTests.needsServer(path) && !HelpTests.needsQuestion(path)
            && !["man", "completion"].contains(path[0])
    }

    /// An export to standard output has a format of its own.
    private static func isOwnFormat(_ example: String) -> Bool {
        example.hasPrefix("export")
            && (example.contains("|") || example.split(separator: " ").count < 3)
    }

    private static func page() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/JSON.md"), encoding: .utf8)
    }

    /// The keys in the tables of the page.
    private static func documented() throws -> Set<String> {
        let rows = try page().split(separator: "\n").filter { $0.hasPrefix("|") }
        return Set(rows.flatMap { row in row.matches(of: /`([a-z0-9_]+)`/).map { String($0.1) } })
    }
}
