import Foundation
import Macrolog
import MacrologSQLite
import Testing

/// Goal: what is typed has the effect that it names, and nothing else changes.
/// Method: the real program, with its own log in each test.
@Suite struct DailyUseTests: TypingSuite {
    let computer: Computer

    init() throws { computer = try Computer() }

    // MARK: The zone

    @Test func `an entry is on the day of the zone that was set, whatever TZ says`() throws {
        try type("config set zone Asia/Tokyo")
        let meal = try json("add Rice --kcal 100 --at 2026-10-01T20:00Z")
        #expect("\(meal)".contains("2026-10-02") && "\(meal)".contains("Asia/Tokyo"))
        try type("add Tea --kcal 1 --at 2026-10-01T08:00")
        #expect(try type("meal list --date 2026-10-01").contains("08:00"))
        #expect("\(try json("add Rice --kcal 1 --at 2026-10-01T20:00Z --tz UTC"))".contains("UTC"))
        computer.environment["TZ"] = nil
        #expect("\(try json("add Rice --kcal 1 --at 2026-10-05T20:00Z"))".contains("2026-10-06"))
        try type("config set zone default")
        computer.environment["TZ"] = "America/New_York"
        let back = "\(try json("add Rice --kcal 1 --at 2026-10-05T20:00Z"))"
        #expect(back.contains("America/New_York"))
    }

    @Test func `what one begins with is on the day of the zone typed with it`() throws {
        computer.environment["TZ"] = "UTC"
        let evening = "--at 2026-10-06T02:00Z"
        try type("init --zone America/New_York --weight 80kg --kcal 2000 \(evening)")
        #expect(try type("home \(evening)").contains("of 2,000 kcal"))
        #expect(try type("weight list \(evening)").contains("2026-10-05  22:00"))
        // The day of 9 October has not ended yet.
        try type("init --zone UTC --day-start 05:00 --kcal 1800 --at 2026-10-10T04:30Z")
        #expect(try type("goal show --date 2026-10-09").contains("since 2026-10-09"))
    }

    @Test func `a zone that does not exist is refused, and says what to type`() throws {
        let result = try computer.run(["config", "set", "zone", "Middle/Earth"])
        #expect(result.status == 64 && result.errors.contains("Europe/Zurich"))
    }

    // MARK: Shares and skipped days

    @Test func `a share is percent with its sign, or a fraction`() throws {
        let added = try type("add Pie --kcal 800 --json")
        let pie = try #require(added.firstMatch(of: /"id": ?"([^"]+)"/)).1
        for (share, kcal) in [("1/2", "400 kcal"), ("25%", "200 kcal"), ("40", "320 kcal")] {
            let changed = try type("meal edit \(pie) --share \(share)")
            #expect(changed.contains(kcal), "\(share): \(changed)")
        }
        #expect(try type("meal copy \(pie) --share 1/3").contains("267 kcal"))
        for share in ["0.5", "1", ".3", "2", "1 1/2"] {
            let refused = try computer.run(["meal", "edit", String(pie), "--share", share])
            #expect(refused.status == 64 && refused.errors.contains("1/2"), "\(refused.errors)")
        }
    }

    @Test func `what is logged on a skipped day counts in no average`() throws {
        try type("quick 600 --date 2026-10-04")
        try type("quick 2000 --date 2026-10-05")
        try type("day skip 2026-10-04")
        let stats = try type("stats --from 2026-10-03 --to 2026-10-05")
        #expect(stats.contains("2,000") && !stats.contains("1,300"), "\(stats)")
        // All days: the third without food, and the fifth.
        #expect(stats.contains("1,000"), "\(stats)")
        for line in ["stats --from 2026-10-04 --to 2026-10-04", "trends 1d --date 2026-10-04"] {
            #expect(try type(line).contains("; 1 skipped day left out."))
        }
    }

    @Test func `the streak of an earlier span is that of its last day`() throws {
        for day in 1...6 { try type("quick 600 --date 2026-10-0\(day)") }
        #expect(
            try type("stats --from 2026-10-02 --to 2026-10-04 --at 2026-10-06T12:00")
                .contains("4 days in a row"))
    }

    // MARK: Few words

    @Test func `the name of a slot after the energy is the slot, and any other word a name`() throws
    {
        #expect(try type("quick 600 Lunch").hasPrefix("Added Quick entry, 600 kcal, lunch, "))
        #expect(try type("quick 90 Cake").hasPrefix("Added Cake, 90 kcal, "))
        let both = try type("quick 90 lunch --slot dinner")
        #expect(both.hasPrefix("Added lunch, 90 kcal, dinner, "))
    }

    @Test func `an entry that is named twice is deleted once`() throws {
        let meal = try json("quick 90")
        let id = try #require(meal["id"] as? String)
        let deleted = try json("meal delete \(id) \(id)")
        #expect((deleted["deleted"] as? [String]) == [id], "\(deleted)")
        try type("meal restore \(id)")
    }

    // MARK: The day asked for

    @Test func `coach and home answer for the day asked for`() throws {
        try type("goal set --kcal 2000 --p 100 --date 2026-10-01")
        try type("add Rice --kcal 600 --p 10 --at 2026-10-05T12:00")
        try type("add Pie --kcal 900 --at 2026-10-06T12:00")
        let context = "\(try json("coach context --date 2026-10-05"))"
        #expect(context.contains("600") && !context.contains("900"))
        #expect(try json("home --date 2026-10-05")["day"] as? String == "2026-10-05")
        #expect(try type("home --date 2026-10-05").contains("600"))
        #expect(
            try type("coach advise --date 2026-10-05") != type("coach advise --date 2026-10-06"))
        #expect(try json("coach say --date 2026-10-05") == json("coach say --at 2026-10-05T23:59"))
        #expect(try type("coach advise --date 2026-10-05").contains("Another meal would fit"))
        try type("day complete 2026-10-05")
        #expect(try !type("coach advise --date 2026-10-05").contains("Another meal would fit"))
    }

    @Test func `a confirmation names the date that was recorded`() throws {
        let old = try type("add old --kcal 1 --at 2026-10-01T10:00")
        #expect(old.contains("2026-10-01 10:00") && !old.contains("today"))
        #expect(try type("quick 100 --at 2026-10-01T10:00").contains("2026-10-01 10:00"))
        #expect(try type("add now --kcal 1").contains("today"))
        #expect(try type("add other --kcal 1 --date 2026-10-03").contains("2026-10-03"))
    }

    @Test func `a weekday is the next one for plans and goals, and the last one in the record`()
        throws
    {
        // A Tuesday.
        let now = "--at 2026-10-06T12:00"
        #expect(try type("plan add Chili --date friday \(now)").contains("Fri 9 Oct"))
        #expect(try type("plan add Soup --date tue \(now)").contains("Tue 6 Oct"))
        #expect(try type("plan show \(now)").contains("Fri 9 Oct"))
        #expect(try type("plan show friday \(now)").contains("Chili"))
        #expect(try type("plan copy-week friday \(now)").contains("week of 2026-10-05"))
        #expect(
            try type("plan copy-week 2026-09-30 friday \(now)").contains("week of 2026-10-05"))
        #expect(
            try type("goal set --kcal 2000 --date saturday \(now)").contains("on 2026-10-10"))
        for verb in ["goal show --date saturday", "goal show --date 2026-10-10", "targets sat"] {
            #expect(try type("\(verb) \(now)").contains("on 2026-10-10"), "\(verb)")
        }
        #expect(try type("day show friday \(now)").hasPrefix("Friday, 2 October 2026"))
        #expect(
            try json("add Rice --kcal 1 --date friday \(now)")["day"] as? String == "2026-10-02")
        for (verb, text) in [
            ("plan show", "monday (the next one)"), ("day show", "(the last one)"),
        ] {
            let help = try type("\(verb) --help").split(whereSeparator: \.isWhitespace)
            #expect(help.joined(separator: " ").contains(text), "\(verb)")
        }
    }

    // MARK: Hints

    @Test func `a hint lists all choices unless one is near, and names what works`() throws {
        func hint(_ words: String) throws -> String {
            let result = try computer.run(Transcript.words("macrolog " + words))
            #expect(result.status == 64, "\(words): \(result.output)")
            return result.errors
        }
        #expect(try hint("completion ksh").contains("Type bash, zsh or fish."))
        #expect(try hint("config set foo bar").contains("Type energy-unit, weight-unit, "))
        #expect(try hint("config set food bar").contains("Type food-water."))
        #expect(try hint("recipe delete-item Chili 0393").contains("It takes one ITEM."))
        try type("goal set --kcal 2000 --date 2026-10-01")
        let goal = try type("goal set --mode percent --date 2026-10-01")
        #expect(goal.contains("warning: macros have no target: "), "\(goal)")
        #expect(goal.contains(": macrolog goal set --shares 30/40/30\n"), "\(goal)")
    }

    // MARK: Words

    @Test
    func `lines of a note, steps, nothing of a nutrient and a goal in fractions are readable`()
        throws
    {
        let meal = try json("add Rice --kcal 400 --note 'one\ntwo' --at 2026-10-05T12:00")
        let shown = try type("meal show \(meal["id"] as? String ?? "")")
        #expect(shown.contains("Note     one\n         two\n"), "\(shown)")
        #expect(try type("log").contains("note one two"))
        try type("food add Cola --kcal 42 --nutrient caffeine=0mg")
        #expect(try type("food show Cola").contains(" 0 mg\n"))
        try type("goal set --kcal 1805.471 --date 2026-10-01")
        #expect(try type("chart kcal --date 2026-10-05").hasSuffix(" goal 1,805\n"))
        try type("steps 8200 --date 2026-10-05")
        #expect(try type("undo") == "Undid: addition of energy day of 2026-10-05.\n")
    }

    // MARK: Goals

    @Test func `a goal says that a later one ends it`() throws {
        try type("goal set --kcal 1800 --date 2026-10-10")
        let line = "It applies until 2026-10-09; then the goal of 2026-10-10 begins.\n"
        #expect(try type("goal set --kcal 2200 --date 2026-10-06").hasSuffix(line))
        #expect(try !type("goal set --kcal 1900 --date 2026-10-10").contains("It applies"))
    }

    @Test func `changing one target keeps the others, on the day and later`() throws {
        try type("goal set --kcal 2100 --p 120 --c 230 --f 70 --water 2l --date 2026-10-01")
        let later = try type("goal set --kcal 1900 --date 2026-10-10")
        #expect(later.contains("Kept from the goal of 2026-10-01: protein, carbs, fat and water."))
        for word in ["1,900", "120.0", "230.0", "70.0", "2,000 ml"] {
            #expect(later.contains(word), "\(later)")
        }
        let same = try type("goal set --p 130 --date 2026-10-10")
        #expect(same.contains("1,900") && same.contains("130.0") && same.contains("70.0"))
        let cleared = try type("goal set --clear water,protein --date 2026-10-11")
        #expect(!cleared.contains("Water") && !cleared.contains("130.0"), "\(cleared)")
        #expect(try computer.run(["goal", "set", "--clear", "joy"]).status == 64)
    }

    @Test func `an adjustment takes the place of the one before, and of an aim`() throws {
        try type(
            "init --sex male --birth 1990-05-17 --height 180 --weight 80kg --date 2026-10-01")
        try type("goal set --mode dynamic --aim cut --date 2026-10-01")
        func energy(_ line: String) throws -> Int {
            let goals = try #require(try json(line)["goals"] as? [NSDictionary])
            return try #require(goals.first?["target_kcal"] as? NSNumber).intValue
        }
        let five = try energy("goal set --adjust -500 --date 2026-10-01")
        #expect(try energy("goal set --adjust -600 --date 2026-10-01") == five - 100)
        #expect(try energy("goal set --adjust -500 --date 2026-10-04") == five)
        #expect(
            try energy("goal set --aim maintain --date 2026-10-05")
                == energy("goal set --adjust 0 --date 2026-10-06"))
        #expect(try computer.run(["goal", "set", "--aim", "cut", "--adjust", "-1"]).status == 64)
    }

    @Test(arguments: [
        ("--kcal 1800 --aim cut", "--kcal and --aim cannot"),
        ("--p 150 --mode dynamic", "--p and --mode dynamic cannot"),
        ("--kcal 2000 --p 150 --shares 30/40/30", "--p and --shares cannot"),
        ("--mode fixed --adjust -300", "--adjust and --mode fixed cannot"),
    ])
    func `what a goal would compute is not typed and dropped`(options: String, refusal: String)
        throws
    {
        let words = Transcript.words("macrolog goal set " + options)
        let result = try computer.run(words)
        #expect(result.status == 64 && result.errors.contains(refusal), "\(result)")
        #expect(try type("goal history") == "No goals yet.\n")
    }

    @Test func `a limit that some items have no value for has nothing left, and is not kept`()
        throws
    {
        func sodium() throws -> NSDictionary {
            let goals = try json("day show 2026-10-05")["goals"] as? [NSDictionary]
            return try #require(goals?.first { $0["nutrient"] as? String == "sodium" })
        }
        try type("goal set --kcal 2000 --sodium 2300 --date 2026-10-01")
        try type("add Rice --kcal 500 --nutrient sodium=500mg --date 2026-10-05")
        let known = try type("day show 2026-10-05")
        #expect(known.contains(/Sodium .* 500 of 2,300 mg +1,800 left\n/), "\(known)")
        #expect(try sodium()["met"] as? Bool == true)
        try type("add Pie --kcal 400 --date 2026-10-05")
        for screen in ["day show 2026-10-05", "home --date 2026-10-05"] {
            let lines = try type(screen)
            #expect(lines.contains(/Sodium .* 500 of 2,300 mg +from 1 of 2 items\n/), "\(lines)")
        }
        #expect(try sodium()["met"] is NSNull)
        #expect(try sodium()["parts_known_count"] as? Int == 1)
        // What is exceeded already stays so, whatever the other items have.
        try type("add Soup --kcal 90 --nutrient sodium=2500mg --date 2026-10-05")
        let over = try type("day show 2026-10-05")
        #expect(over.contains(/Sodium .* 3,000 of 2,300 mg +at least 700 over\n/), "\(over)")
        #expect(try sodium()["met"] as? Bool == false)
        try type("add Pie --kcal 400 --date 2026-10-06")
        let unknown = try type("day show 2026-10-06")
        #expect(unknown.contains(/Sodium .* – of 2,300 mg +unknown\n/), "\(unknown)")
    }

    // MARK: Shares

    @Test func `shares of the energy are unknown where too little is known`() throws {
        try type("add A --kcal 400 --p 20 --c 60 --f 9 --date 2026-10-01")
        for _ in 0..<3 { try type("add B --kcal 400 --p 20 --c 60 --date 2026-10-02") }
        let stats = try type("stats --from 2026-10-01 --to 2026-10-02")
        #expect(stats.contains("shares unknown: fat known for 1 of 4 entries"))
        let json = try json("stats --from 2026-10-01 --to 2026-10-02")
        #expect(json["energy_shares"] is NSNull && json["entry_count"] as? Int == 4)
        #expect(try type("trends --date 2026-10-02").contains("fat known for 1 of 4 entries"))
        let top = try type("top foods --by fat --date 2026-10-02")
        #expect(top.contains("unknown") && top.contains("Fat is known for 1 of 4 entries."))
    }

    // MARK: The file

    @Test func `a wrong table is found by check, which names it and the way out`() throws {
        try type("add A --kcal 400 --date 2026-10-01")
        #expect(try type("db check").contains("No problems found."))
        do {
            var db = try Connection.open(computer.log)
            try db.run("UPDATE meal SET slot = 'elsewhere'")
        }
        let found = try computer.run(["db", "check"], together: true)
        #expect(found.status == 65 && found.output.contains("in meal\n"), "\(found.output)")
        #expect(found.output.contains("macrolog db rebuild"))
        try type("db check --quick")
        #expect(try type("db rebuild").contains("damaged tables were repaired"))
        #expect(try type("db check").contains("No problems found."))
    }

    // MARK: Files

    @Test func `one's own export changes nothing here, and comes back elsewhere`() throws {
        try type("config set decimal point")
        try type("add Curry --kcal 8.775 --p 1.125 --at 2026-10-01T18:00:30+02:00")
        try type("add Rice --kcal 1.234 --not-consumed --tag late --date 2026-10-02")
        try type("weight log 80.205 --at 2026-10-01T07:00")
        try type("water add 250ml --at 2026-10-01T09:00")
        for what in ["meals", "weights", "water"] {
            try type("export csv \(what).csv --what \(what)")
            let again = try type("import csv \(what).csv")
            #expect(again.contains("Imported: 0 new, 0 changed"), "\(again)")
            let new = "--db other.db"
            #expect(try type("import csv \(what).csv \(new)").contains(" 0 refused"))
            try type("export csv \(what)2.csv --what \(what) \(new)")
            let files = ["\(what).csv", "\(what)2.csv"].map { computer.folder.appending(path: $0) }
            #expect(try Data(contentsOf: files[0]) == Data(contentsOf: files[1]), "\(what)")
        }
    }

    @Test func `an import of two transactions is undone as the entries that it has`() throws {
        let rows = (0..<1_001).map { "2026-10-01,Food \($0),1\n" }.joined()
        let file = computer.folder.appending(path: "rows.csv")
        try Data(("Date,Food,Calories\n" + rows).utf8).write(to: file)
        #expect(try type("import csv rows.csv").contains("Columns: date=Date,name=Food"))
        #expect(try type("undo").contains(" and 1000 more"))
        #expect(try type("redo").contains(" and 1000 more"))
    }

    @Test func `a dry run shows what would be stored of each row`() throws {
        let rows = (1...12).map { "2026-10-0\($0 % 9 + 1),Food \($0),\($0)00,\($0).5\n" }.joined()
        let file = computer.folder.appending(path: "rows.csv")
        try Data(("Date,Food,Calories,Protein\n" + rows).utf8).write(to: file)
        let said = try type("import csv rows.csv --dry-run")
        #expect(
            said.contains("  line 2: 2026-10-02, Food 1: energy 100 kcal, protein 1.5 g\n"),
            "\(said)")
        #expect(said.contains("  line 11: ") && !said.contains("  line 12: "), "\(said)")
        #expect(said.contains("  and 2 more rows\n"), "\(said)")
        let all = try #require(try json("import csv rows.csv --dry-run")["rows"] as? [NSDictionary])
        #expect(all.count == 12 && all[0]["line_number"] as? Int == 2)
        #expect(all[0]["outcome"] as? String == "new")
        let entry = try #require(all[0]["entry"] as? NSDictionary)
        #expect(entry["name"] as? String == "Food 1" && entry["day"] as? String == "2026-10-02")
        #expect(entry["energy_kcal"] as? Double == 100 && entry["protein_g"] as? Double == 1.5)
        let skipped = try type("import csv rows.csv --skip-column protein")
        #expect(!skipped.contains("line 2") && skipped.contains("not read: Protein"), "\(skipped)")
        // What is there already is not stored again, and what changes is.
        try Data(("Date,Food,Calories\n" + rows.replacing(/,[0-9]+\.5/, with: "")).utf8).write(
            to: file)
        #expect(try !type("import csv rows.csv --dry-run").contains("Would store"))
        try Data("Date,Food,Calories\n2026-10-02,Food 1,105\n".utf8).write(to: file)
        let changed = try type("import csv rows.csv --dry-run")
        #expect(
            changed.contains("  line 2: 2026-10-02, Food 1: energy 105 kcal\n"), "\(changed)"
        )
    }

    // MARK: Eaten

    @Test func `a meal is eaten on its own day, or the day is asked for`() throws {
        computer.environment["TZ"] = "UTC"
        func meal(_ options: String) throws -> String {
            try #require(try json("add Soup --kcal 300 --not-consumed \(options)")["id"] as? String)
        }
        func eaten(_ id: String) throws -> String {
            try #require(try json("meal show \(id)")["consumed_at"] as? String)
        }
        let past = try meal("--at 2026-10-01T12:30")
        try type("meal consume \(past)")
        #expect(try eaten(past).hasPrefix("2026-10-01T12:30"))
        let other = try meal("--at 2026-10-01T12:30")
        for line in [
            "meal consume \(other) --date 2026-10-02",
            "meal consume \(other) --at 2026-10-02T13:00",
        ] {
            let result = try computer.run(Transcript.words("macrolog " + line), together: true)
            #expect(result.status == 64 && result.output.contains("macrolog meal move"), "\(line)")
        }
        try type("meal consume \(other) --at 13:10")
        #expect(try eaten(other).hasPrefix("2026-10-01T13:10"))
        let same = try meal("--at 2026-10-01T12:30")
        try type("meal consume \(same) --date 2026-10-01 --at 12:50")
        #expect(try eaten(same).hasPrefix("2026-10-01T12:50"))
        let tomorrow = try meal("--date tomorrow")
        #expect(try type("meal consume \(tomorrow)").contains("which has not come"))
    }
}
