import Foundation
import Macrolog
import MacrologSQLite
import Testing

/// Goal: what is typed has the effect that it names, and nothing else changes.
/// Method: the real program, with its own log in each test.
@Suite struct DailyUseTests {
    let computer: Computer

    init() throws { computer = try Computer() }

    /// What the program prints, which must succeed.
    @discardableResult
    private func type(_ line: String) throws -> String {
        let result = try computer.run(Transcript.words("macrolog " + line), together: true)
        #expect(result.status == 0, "\(line): \(result.output)")
        return result.output
    }

    private func json(_ line: String) throws -> NSDictionary {
        let result = try computer.run(Transcript.words("macrolog " + line + " --json"))
        let value = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        return try #require(value as? NSDictionary, "\(line): \(result.output) \(result.errors)")
    }

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

    @Test func `a zone that does not exist is refused, and says what to type`() throws {
        let result = try computer.run(["config", "set", "zone", "Middle/Earth"])
        #expect(result.status == 64 && result.errors.contains("Europe/Zurich"))
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
    }

    @Test func `a confirmation names the date that was recorded`() throws {
        let old = try type("add old --kcal 1 --at 2026-10-01T10:00")
        #expect(old.contains("2026-10-01 10:00") && !old.contains("today"))
        #expect(try type("quick 100 --at 2026-10-01T10:00").contains("2026-10-01 10:00"))
        #expect(try type("add now --kcal 1").contains("today"))
        #expect(try type("add other --kcal 1 --date 2026-10-03").contains("2026-10-03"))
    }

    // MARK: Goals

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
}
