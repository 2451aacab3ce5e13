import MacrologArgumentParsing
import Foundation
import MacrologTestSupport
import Testing

import macrolog_cli

/// Goal: help never lies. Method: every verb's help is printed and every example in it is typed.
@Suite struct HelpTests {
    @Test func `no declaration is flawed`() {
        #expect(program.findings == [])
    }

    @Test func `every verb explains itself`() throws {
        let computer = try Computer()
        for command in program.commands {
            let result = try computer.run(command.path + ["--help"])
            #expect(result.status == 0)
            #expect(
                result.output.contains("Usage: macrolog \(command.path.joined(separator: " "))"))
            #expect(result.output.contains("Example"))
            #expect(result.errors == "")
        }
        #expect(try computer.run([]).output == computer.run(["--help"]).output)
        #expect(!FileManager.default.fileExists(atPath: computer.log), "help opens no log")
    }

    @Test func `the page of verbs names every group of them, and none that is not there`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "client-cli/README.md"), encoding: .utf8)
        let table = try #require(page.components(separatedBy: "## What it keeps\n").last)
            .components(separatedBy: "\n## ")[0]
        let named = table.matches(of: /`([^`]*)`/).map {
            $0.1.split(separator: " ").map(String.init).filter { !$0.hasPrefix("--") }
        }.filter { !$0.isEmpty }
        let verbs = program.commands.map(\.path)
        for words in named {
            #expect(verbs.contains { $0.starts(with: words) }, "\(words) is no verb")
        }
        let elsewhere = ["History and repair", "Account and sync", "The program"]
        for chapter in program.chapters where !elsewhere.contains(chapter.title) {
            for verb in chapter.commands {
                #expect(named.contains { $0[0] == verb.path[0] }, "\(verb.path) is not named")
            }
        }
    }

    @Test func `every example works as it is shown`() throws {
        let prepared = try Sample()
        for command in program.commands
        where !Self.needsServer(command.path) && !Self.needsQuestion(command.path) {
            for example in command.examples {
                let computer = try prepared.computer.copy()
                if Self.needsFast(command.path) {
                    _ = try computer.run(
                        ["fast", "start", "--date", "yesterday", "--time", "00:10"])
                }
                let line = "macrolog " + example.prefix { !"|>".contains($0) }
                let words = Transcript.words(prepared.withRealIDs(line))
                let result = try computer.run(words)
                #expect(result.status == 0, "macrolog \(example)\n\(result.errors)")
            }
        }
    }

    @Test func `what needs a server says so where there is none`() throws {
        let prepared = try Sample()
        prepared.computer.environment["MACROLOG_SERVER"] = "http://127.0.0.1:9"
        let password = "nine purple lanterns\n"
        for (words, code) in [
            (["sync"], 77), (["auth", "logout"], 0), (["auth", "status"], 0),
            (["sync", "status"], 0),
            (["auth", "register", "a@example.org", "--password-stdin"], 69),
            (["auth", "login", "a@example.org", "--password-stdin"], 69),
        ] {
            let result = try prepared.computer.run(words, input: password)
            #expect(result.status == Int32(code), "\(words): \(result.errors)")
            #expect(!result.errors.contains("lanterns"))
        }
    }

    @Test func `the manual page has every verb and every exit code`() throws {
        let page = try Computer().run(["man"]).output
        let plain = page.replacing("\\-", with: "-")
        for command in program.commands {
            let name = command.path.joined(separator: " ")
            #expect(plain.contains("macrolog \(name)"), "\(name) is missing")
        }
        for code in ExitCode.all { #expect(page.contains("\n\(code.value)\n")) }
        #expect(page.contains("MACROLOG_DB") && page.contains("XDG_DATA_HOME"))
        #expect(page.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `a shell gets its script`(shell: String) throws {
        let result = try Computer().run(["completion", shell])
        #expect(result.status == 0)
        #expect(result.output.contains("unconsume") && result.output.contains("not-consumed"))
    }

    /// A log of one device has nothing to resolve: ``ConflictResolutionTests`` types those, and
    /// ``ScanCommandTests`` those that read pictures with libraries that may be missing.
    static func needsQuestion(_ path: [String]) -> Bool {
        path.first == "conflicts" && path != ["conflicts", "list"]
            || [["food", "scan"], ["food", "label"]].contains(path)
    }

    static func needsFast(_ path: [String]) -> Bool {
        path == ["fast", "end"] || path == ["fast", "cancel"]
    }

    static func needsServer(_ path: [String]) -> Bool {
        path.first == "auth" || path.first == "sync"
            || [
                ["device", "revoke"], ["device", "rename"], ["share", "meal"], ["share", "day"],
                ["share", "range"], ["share", "list"], ["share", "revoke"], ["share", "grant"],
            ].contains(path)
    }
}

/// A log that holds one of everything, whose ids stand in for those in the examples.
struct Sample {
    let computer: Computer
    private var ids: [String: String] = [:]
    /// The provider that is configured.
    private let models: ModelServer

    init() throws {
        let interface = PublishedInterface.openAI
        models = try ModelServer([
            .json(200, interface.answer(pancakes)),
            .json(200, interface.answer(MealAnalysisTests.advice)),
            .json(200, interface.answer(MealAnalysisTests.advice)),
            .json(200, interface.answer(pancakes)),
        ])
        computer = try Computer()
        func add(_ words: String) throws {
            let result = try computer.run(Transcript.words("macrolog " + words))
            try #require(result.status == 0, "\(words): \(result.errors)")
        }
        try add("food add Oats --kcal 372 --p 13.5 --serving-size 40g")
        try add("add Porridge --kcal 380")
        try add("weight log 80.2kg --date yesterday")
        let meal = try last("meal", "meal list --json")
        ids["3f2a"] = meal
        try add("item add \(meal) Oats --grams 60")
        ids["7be4"] = try last("food", "food search --json")
        ids["c55d"] = try last("weigh-in", "weight list --json")
        let item = try last("meal", "meal list --json", after: "\"items\"")
        ids["91c0"] = item
        try add("recipe add Chili --serves 4")
        try add("recipe add-item Chili Oats --grams 100")
        ids["5a5a"] = try last("ingredient", "recipe show Chili --json", after: "\"items\"")
        try add("goal set --kcal 2100 --date -9")
        ids["b21e"] = try last("goal", "goal history --json")
        try add("diet set balanced")
        try add("reminder add meal 12:30")
        ids["4d1c"] = try last("reminder", "reminder list --json")
        try add("template save \(meal) Breakfast")
        try add("add Toast --kcal 200 --slot breakfast --date yesterday")
        try add("water add 250ml --date yesterday")
        try add("water add 250ml")
        ids["0a7e"] = try last("drink", "water list --json")
        try add("ketone log 1.2")
        ids["4e70"] = try last("level", "ketone list --json")
        try add("bodyfat log 18.5")
        ids["fa71"] = try last("share", "bodyfat list --json")
        try add("measure log waist 84cm")
        ids["3a15"] = try last("measure", "measure list --json")
        try add("checkin log --sleep 7h")
        ids["c4e1"] = try last("check-in", "checkin list --json")
        try add("activity log Running --minutes 30")
        ids["ac71"] = try last("activity", "activity list --json")
        try add("fast start --at 2026-11-20T20:00")
        try add("fast end --at 2026-11-21T08:00")
        ids["fa57"] = try last("fast", "fast list --days 36600 --json")
        try TinyPhoto.write(1, to: computer, as: "lunch.jpg")
        try TinyPhoto.write(2, to: computer, as: "second.jpg")
        try add("meal photo add \(meal) second.jpg")
        let photos = try computer.run(["meal", "photo", "list", meal]).output
        ids["9c4e01"] = String(photos.prefix(6))
        try addFoods(add)
        ids["d1e5"] = try last("plan", "plan show --json")
        let folder = computer.folder.appending(path: ".config/macrolog")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try "interface = openai\nmodel = some-model\naddress = \(models.address)\n".write(
            to: folder.appending(path: "analysis.conf"), atomically: true, encoding: .utf8)
        try add("config set photo-consent yes")
        try add("add 'two eggs and toast' --analyze --date -20")
        ids["e9a1"] = try last("meal", "meal list --json --date -20")
        try add("coach advise --model")
        try add("coach advise --model --date tomorrow")
        // Enough for an event a17 that stands, and for two actions to do again.
        for _ in 0..<16 { try add("quick 250 --date yesterday") }
        try add("undo 2")
        let source = "date,name,kcal\n2026-10-01,Soup,300\n"
        try source.replacing("kcal", with: "Calories").replacing("date,name", with: "Date,Food")
            .replacing("Food,", with: "Time,Food,").replacing("01,Soup", with: "01,12:00,Soup")
            .write(
                to: computer.folder.appending(path: "diary.csv"), atomically: true, encoding: .utf8)
        _ = try computer.run(["export", "csv", "meals.csv"])
        try FileManager.default.moveItem(
            at: computer.folder.appending(path: "meals.csv"),
            to: computer.folder.appending(path: "kept.csv"))
    }

    /// What the examples of foods, recipes and plans name.
    private func addFoods(_ add: (String) throws -> Void) throws {
        for words in [
            "food portion add Oats cup 90g", "food add Bread --kcal 240",
            "food portion add Bread slice 28g", "food add Bar --kcal 400 --barcode 4006381333931",
            "nutrient add x:omega_3 'Omega 3' --unit mg", "plan add Chili --recipe --slot dinner",
        ] {
            try add(words)
        }
        let product = #"{"code": "96385074", "product_name": "Oat drink", "nutriments": {}}"#
        for (name, text) in [
            ("foods.csv", "ndb_no,name,energy_kcal,protein_g,carbs_g,fat_g\n1,Rye,330,9,70,2\n"),
            ("portions.csv", "ndb_no,seq,amount,measure,grams\n1,1,1,cup,120\n"),
            ("data.csv", "name,energy,proteins,carbohydrates,fats\nAgar,160,2.4,0,0.2\n"),
            ("product.json", product), ("products.jsonl", product + "\n"),
            (
                "dump.sql",
                "COPY public.\"User\" (id, email) FROM stdin;\nu1\tana@example.org\n\\.\n"
            ),
            (
                "export.xml",
                """
                <HealthData><Record type="HKQuantityTypeIdentifierStepCount" \
                startDate="2024-03-10 08:00:00 +0100" value="812"/></HealthData>
                """
            ), ("earlier.json", #"{"meals": [{"id": 1, "date": "2024-03-10", "calories": 5}]}"#),
            ("recipe.json", #"{"name": "Soup", "recipeIngredient": ["100 g oats"]}"#),
            (
                "chili.html",
                #"<script type="application/ld+json">{"@type": "Recipe", "name": "Pot", "#
                    + #""recipeIngredient": ["2 onions"]}</script>"#
            ),
        ] {
            try text.write(
                to: computer.folder.appending(path: name), atomically: true, encoding: .utf8)
        }
    }

    /// The last digits of the first id that a list prints.
    private func last(
        _ what: String, _ words: String, after mark: String? = nil
    ) throws -> String {
        var text = try computer.run(Transcript.words("macrolog " + words)).output[...]
        if let mark, let range = text.range(of: mark) { text = text[range.upperBound...] }
        let match = try #require(
            text.firstMatch(of: /"id": "[0-9a-f-]{29}([0-9a-f]{7})"/), "\(what)")
        return String(match.1)
    }

    /// A line with the ids of this log in place of those of the examples.
    func withRealIDs(_ line: String) -> String {
        // The examples read a file that others write.
        var line = line
        if line.contains("import csv meals.csv") {
            line = line.replacing("meals.csv", with: "kept.csv")
        }
        // One pass: an id that was put in may hold the digits of another example's.
        var (replaced, rest) = ("", line[...])
        while let next = rest.first {
            if let (example, id) = ids.first(where: { rest.hasPrefix($0.key) }) {
                replaced += id
                rest.removeFirst(example.count)
            } else {
                replaced.append(next)
                rest.removeFirst()
            }
        }
        return replaced
    }
}
