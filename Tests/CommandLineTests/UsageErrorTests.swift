import MacrologTestSupport
import Foundation
import Testing

/// Goal: whatever is typed wrongly, nothing is half-written, and what to type instead is said.
/// Method: one table of mistakes, typed into the real program; the log is compared before and after.
@Suite struct UsageErrorTests {
    @Test func `a bound is named in the units of the person, and with --json in those of its keys`()
        throws
    {
        let computer = try Computer()
        let units = "init --energy-unit kj --weight-unit lb --height-unit ft"
        #expect(try computer.run(units.split(separator: " ").map(String.init)).status == 0)
        for (words, text) in [
            ("weight log 1500lb", "is above 1433.0 lb: type a number from 4.4 lb to 1433.0 lb"),
            ("weight log 400kg", "weight is above 771.6 lb, which is unusual"),
            ("add Oats --kcal 30000", "energy is above 83,680 kJ"),
            ("measure log waist 900cm", "is above 157.5 in"),
            ("weight log 1500lb --json", "is above 650 kg"),
        ] {
            let result = try computer.run(words.split(separator: " ").map(String.init))
            #expect(result.errors.contains(text), "\(result.errors)")
        }
    }

    static let mistakes: [(words: String, code: Int32, texts: [String])] = [
        // Words that are not understood: 64.
        ("eat Oats", 64, ["has no verb \"eat\""]),
        ("meal", 64, ["needs a verb", "list, show"]),
        ("meal lst", 64, ["has no verb \"lst\"", "Did you mean meal list?"]),
        ("weight 80", 64, ["has no verb \"80\"", "Type one of log, list"]),
        ("add", 64, ["NAME is missing"]),
        ("add Oats --day yesterday", 64, ["has no option \"--day\"", "Did you mean --date?"]),
        ("add Oats --kca 3", 64, ["--kcal"]),
        ("add Oats --kcal", 64, ["--kcal needs a value"]),
        ("add Oats porridge", 64, ["does not know what to do with \"porridge\"", "in quotes"]),
        ("add Pasta 500kcal", 64, ["Did you mean --kcal 500?"]),
        ("add Pasta 500 kcal", 64, ["Did you mean --kcal 500?"]),
        ("add Pasta 500lumps", 64, ["in quotes"]),
        ("add Oats --kcal abc", 64, ["--kcal \"abc\"", "Type 250"]),
        ("add Oats --kcal -5", 64, ["--kcal", "is below zero"]),
        ("add Oats --kcal 1,234", 64, ["two ways", "1234", "1.2340"]),
        ("add Oats --kcal 12kg", 64, ["--kcal", "kg"]),
        ("add Oats --kcal inf", 64, ["--kcal"]),
        ("add Oats --p 5kcal", 64, ["--p", "kcal"]),
        ("add Oats --grams 1/0", 64, ["--grams", "divides by zero"]),
        ("add Oats --grams 60 --serving 2", 64, ["--grams and --serving cannot be combined"]),
        ("add Oats --nutrient sodium", 64, ["is not a nutrient"]),
        ("add Oats --nutrient sodium=5", 64, ["--nutrient", "no unit"]),
        ("add Oats --slot brekfast", 64, ["unknown meal slot", "breakfast"]),
        ("add Oats --time 25:00", 64, ["--time", "is not a time"]),
        ("add Oats --time 07:40 --at 07:40", 64, ["--at"]),
        ("add Oats --at 2024-03-31T02:30", 64, ["clocks go forward"]),
        ("add Oats --date 2026-02-30", 64, ["--date", "is not a day"]),
        ("add Oats --date 2201-01-01", 64, ["--date"]),
        ("add Oats --tz Mars/Base", 64, ["--tz", "Europe/Zurich"]),
        ("add Oats --tz ../../etc/passwd", 64, ["--tz"]),
        ("quick 300 kcal", 64, ["\"kcal\" is a unit", "300kcal"]),
        ("quick", 64, ["KCAL is missing"]), ("quick n/a", 64, ["is unknown"]),
        ("weight log 8OO", 64, ["WEIGHT"]), ("weight log 12st14", 64, ["14 lb"]),
        ("weight log 80 --fat 5kg", 64, ["--fat"]),
        ("goal set", 64, ["--kcal"]), ("goal set --shares 30/30/30", 64, ["sum to 100"]),
        ("goal set --mode magic", 64, ["--mode"]),
        ("stats 0d", 64, ["PERIOD"]),
        ("stats --from 2024-03-10 --to 2024-03-01", 64, ["is after the last day"]),
        ("meal edit zz --kcal 3", 64, ["is not an id"]),
        ("meal edit 3f2 --kcal 3", 64, ["at least four"]),
        ("meal edit {same} --kcal 3", 64, ["ambiguous"]),
        ("food add Oats --barcode 123", 64, ["--barcode"]),
        ("undo 0", 64, ["whole number"]), ("completion csh", 64, ["SHELL"]),
        ("init --birth 1990-13-01", 64, ["--birth"]),
        ("init --zone Mars/Base", 64, ["--zone"]),
        ("import csv rows.csv --map date", 64, ["FIELD=COLUMN"]),
        ("import csv rows.csv --filter x", 64, ["--filter"]),
        ("add ' ' --kcal 3", 64, ["is blank"]),
        ("config set meal-slots a=05:00-10:59,b=10:59-12:00", 64, ["a and b at the same time"]),
        ("config set meal-slots a=22:00-02:00,b=01:00-03:00", 64, ["a and b at the same time"]),
        // Values beyond their bounds: 65.
        ("add Oats --kcal 30000", 65, ["energy is above 20000 kcal", "nothing was written"]),
        ("add Oats --p 3kg", 65, ["protein is above"]),
        ("quick 21000", 65, ["energy"]),
        ("weight log 900kg", 65, ["weight is above 650 kg"]),
        ("weight log 1kg", 65, ["weight is below 2 kg"]),
        ("weight log 80 --fat 90", 65, ["body fat"]),
        ("food add Butter --kcal 2000", 65, ["100 g can hold"]),
        ("init --height 5m", 65, ["height"]),
        ("init --name Ada --weight 80 --height 5m --kcal 2100", 65, ["height"]),
        ("init --birth 2199-01-01", 65, ["lies in the future"]),
        ("init --day-start 09:00", 65, ["start of the day"]),
        ("goal set --kcal 20001", 65, ["energy"]),
        ("import csv empty.csv", 65, ["the file is empty"]),
        ("import csv rows.csv", 65, ["the meaning of the columns is unknown"]),
        // Things that are not there: 66.
        ("meal edit ffffffff --kcal 3", 66, ["no meal whose id ends with ffffffff"]),
        ("meal delete ffffffff", 66, ["no meal"]), ("item edit ffffffff", 66, ["no item whose id"]),
        ("food show Unobtainium", 66, ["no food called"]),
        ("import csv none.csv", 66, ["none.csv"]),
        // Places where nothing can be written: 73.
        ("--db /nonexistent/log.db day show", 73, ["check that the folder exists"]),
        ("export json rows.csv", 73, ["exists already"]),
        ("export json /nonexistent/out.json", 73, ["cannot be written"]),
    ]

    @Test func `a mistake changes nothing and says what to type instead`() throws {
        let computer = try Computer(zone: "Europe/Zurich")
        func prepare(_ words: String) throws {
            let result = try computer.run(Transcript.words("macrolog " + words))
            try #require(result.status == 0, "\(result.errors)")
        }
        try prepare("food add Oats --kcal 372")
        try prepare("add Oats --grams 60")
        for name in ["empty.csv", "rows.csv"] {
            let text = name == "rows.csv" ? "a,b\n1,2\n" : ""
            try text.write(
                to: computer.folder.appending(path: name), atomically: true, encoding: .utf8)
        }
        let same = try sameEnds(computer)
        let before = try computer.run(["log", "100", "--json"]).output
        for mistake in Self.mistakes {
            let line = "macrolog " + mistake.words.replacing("{same}", with: same)
            let result = try computer.run(Transcript.words(line))
            #expect(result.status == mistake.code, "\(mistake.words): \(result.errors)")
            #expect(result.output == "", "\(mistake.words)")
            for word in mistake.texts {
                #expect(result.errors.contains(word), "\(mistake.words): \(result.errors)")
            }
            #expect(result.errors.hasPrefix("macrolog"), "\(mistake.words): \(result.errors)")
        }
        #expect(try computer.run(["log", "100", "--json"]).output == before)
    }

    /// Adds planned meals until two share their last four digits. Half a million pairs suffice with
    /// near certainty, which a thousand imported meals have.
    private func sameEnds(_ computer: Computer) throws -> String {
        let rows = (0..<1_500).map { "2024-01-01,Dish \($0),1" }
        try (["date,name,energy"] + rows).joined(separator: "\n").write(
            to: computer.folder.appending(path: "many.csv"), atomically: true, encoding: .utf8)
        let result = try computer.run([
            "import", "csv", "many.csv", "--map", "date=date,name=name,energy=energy",
        ])
        try #require(result.status == 0, "\(result.errors)")
        let list = try computer.run(["meal", "list", "--date", "2024-01-01", "--json"]).output
        var seen: Set<Substring> = []
        for match in list.matches(of: /"id": "[0-9a-f-]{32}([0-9a-f]{4})"/)
        where !seen.insert(match.1).inserted {
            return String(match.1)
        }
        throw Missing()
    }

    private struct Missing: Error {}

    @Test func `a value that would be executed or move the cursor is shown harmlessly`() throws {
        let computer = try Computer()
        let evil = "Soup\u{1B}[2J\u{202E}\u{7}"
        let refused = try computer.run(["add", evil, "--kcal", "3"])
        #expect(refused.status == 65)
        #expect(!refused.errors.contains("\u{1B}"))
        let asked = try computer.run(["food", "show", evil])
        #expect(asked.status == 66)
        #expect(!asked.errors.contains("\u{1B}") && !asked.errors.contains("\u{202E}"))
    }

    @Test func `a log that another program uses is waited for, and then named`() throws {
        let computer = try Computer()
        #expect(try computer.run(["quick", "100"]).status == 0)
        let lock = open(computer.log + ".lock", O_RDWR)
        #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
        defer { close(lock) }
        let result = try computer.run(["day", "show"])
        #expect(result.status == 75)
        #expect(result.errors.contains("is held by"))
    }

    @Test func `a file beside the log that cannot be read is named, and nothing is recorded`()
        throws
    {
        let computer = try Computer()
        #expect(try computer.run(["quick", "100kcal"]).status == 0)
        let instance = computer.log + ".instance"
        try FileManager.default.removeItem(atPath: instance)
        try FileManager.default.createDirectory(
            atPath: instance, withIntermediateDirectories: false)
        let result = try computer.run(["quick", "200kcal"])
        #expect(result.status == 74)
        #expect(result.errors.contains(".instance cannot be read"))
        try FileManager.default.removeItem(atPath: instance)
        let day = try computer.run(["day", "show", "--json"]).output
        #expect(day.contains(#""energy_kcal": 100"#) && !day.contains(#""energy_kcal": 200"#))
    }

    @Test func `what is no database is left alone`() throws {
        let computer = try Computer()
        try "not a database, but someone's letter".write(
            toFile: computer.log, atomically: true, encoding: .utf8)
        let result = try computer.run(["day", "show"])
        #expect(result.status == 65)
        #expect(
            try String(contentsOfFile: computer.log, encoding: .utf8)
                == "not a database, but someone's letter")
    }

    @Test func `a full disk is an error, a reader that stops reading is none`() throws {
        let computer = try Computer()
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        let program = try BuiltProgram.url("macrolog").path
        shell.arguments = ["-c", "'\(program)' man > /dev/full 2> full; echo $? >> full"]
        shell.currentDirectoryURL = computer.folder
        shell.environment = computer.environment
        if FileManager.default.fileExists(atPath: "/dev/full") {
            try shell.run()
            shell.waitUntilExit()
            let told = try String(
                contentsOf: computer.folder.appending(path: "full"), encoding: .utf8)
            #expect(told.contains("cannot be written") && told.hasSuffix("74\n"))
        }
        let pipe = Process()
        pipe.executableURL = URL(fileURLWithPath: "/bin/sh")
        pipe.arguments = [
            "-c", "{ '\(program)' man 2> err; echo $? > code; } | true; cat err code > both",
        ]
        pipe.currentDirectoryURL = computer.folder
        pipe.environment = computer.environment
        try pipe.run()
        pipe.waitUntilExit()
        let both = try String(contentsOf: computer.folder.appending(path: "both"), encoding: .utf8)
        #expect(both == "0\n")
    }
}
