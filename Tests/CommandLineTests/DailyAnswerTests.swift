import Foundation
import Testing

/// Goal: an answer says in a person's words what happened, and what to type where nothing did.
/// Method: the real program, with its own log in each test.
@Suite struct DailyAnswerTests: TypingSuite {
    let computer: Computer

    init() throws { computer = try Computer() }

    // MARK: Words

    @Test func `undo of a change of the meal slots names the slots and their times`() throws {
        try type("config set meal-slots 'breakfast=05:00-10:59,tea:Afternoon tea=16:00-16:59'")
        try type("config set meal-slots breakfast=06:00-10:59")
        let undone = try type("undo")
        #expect(
            undone.contains("Breakfast 05:00-10:59, Afternoon tea 16:00-16:59")
                && undone.contains("Breakfast 06:00-10:59") && !undone.contains("["), "\(undone)")
    }

    @Test func `undo of an import names a meal without a name by its day`() throws {
        let file = computer.folder.appending(path: "meals.csv")
        try Data("Date,Meal,Calories\n2026-10-01,Lunch,500\n".utf8).write(to: file)
        try type("import csv meals.csv")
        #expect(try type("undo") == "Undid: addition of meal of 2026-10-01.\n")
    }

    @Test func `a name without letters and digits is no food's name`() throws {
        try type("food add Oats --kcal 370")
        #expect(try type("add !!! --grams 100").contains("unknown"))
        let refused = try computer.run(["food", "delete", "?"])
        #expect(refused.status == 66, "\(refused)")
        #expect(try type("food search oats").contains("Oats"))
        for (meal, name) in [("Soup", "🍕"), ("Salad", "🥗")] {
            let id = try #require(try json("add \(meal) --kcal 300")["id"] as? String)
            try type("template save \(id) \(name)")
        }
        #expect(try type("template list").contains("🍕"))
        try type("template delete 🥗")
        #expect(try type("template list").contains("🍕"))
    }

    @Test func `an import says how many rows stay deleted, and how they come back`() throws {
        let soup = try json("add Soup --kcal 300 --at 2026-10-01T12:00")
        let id = try #require(soup["id"] as? String)
        try type("export csv meals.csv --what meals")
        try type("meal delete \(id)")
        let left = try type("import csv meals.csv")
        #expect(left.contains("1 deleted here, and left deleted"), "\(left)")
        #expect(
            left.contains("1 row deleted here and left so; --restore-deleted imports it"), "\(left)"
        )
        #expect(try type("meal list --date 2026-10-01").contains("No meals"))
        #expect(try type("import csv meals.csv --restore-deleted").contains("1 new"))
        #expect(try type("meal list --date 2026-10-01").contains("Soup"))
        try Data(#"{"@type": "Recipe", "name": "Chili", "recipeIngredient": ["2 leeks"]}"#.utf8)
            .write(to: computer.folder.appending(path: "chili.json"))
        try type("recipe import chili.json")
        try type("recipe delete Chili")
        let recipe = try type("recipe import chili.json")
        #expect(
            recipe.contains("left deleted") && recipe.contains("--restore-deleted"), "\(recipe)")
        #expect(try type("recipe import chili.json --restore-deleted").contains("Stored Chili"))
    }

    @Test func `undo of a change of several items says how many they are`() throws {
        try type("food add Oats --kcal 370")
        for _ in 1...3 { try type("add Oats --grams 100 --date 2026-10-01") }
        try type("food edit Oats --kcal 380")
        try type("food apply-to-history Oats --from 2026-10-01")
        #expect(try type("undo") == "Undid: edit of Oats and 2 more (380 → 370 kcal).\n")
    }

    @Test func `a nutrient of one's own has its name on every screen`() throws {
        try type("nutrient add x:omega_3 'Fish oil' --unit mg")
        try type("config set pinned-nutrients x:omega_3")
        try type("food add Salmon --kcal 200 --nutrient x:omega_3=250")
        try type("add --food Salmon --grams 200")
        for line in ["home", "day show", "top foods --by x:omega_3"] {
            let said = try type(line)
            #expect(said.localizedCaseInsensitiveContains("Fish oil"), "\(line): \(said)")
            #expect(!said.contains("omega_3"), "\(line): \(said)")
        }
    }

    @Test func `a refused amount of a nutrient proposes one that fits`() throws {
        try type("nutrient add x:sun 'Sunshine' --unit iu")
        try type("nutrient add x:fish 'Fish oil' --unit mg")
        let pill = try json("add Pill --kcal 5 --nutrient x:sun=2000iu --nutrient x:fish=3")
        let id = try #require(pill["id"] as? String)
        #expect(try type("meal show \(id)").contains("2,000 IU"))
        for (typed, proposed) in [
            ("x:sun=1.2g", "x:sun=400iu"), ("x:fish=3iu", "x:fish=400mg"), ("x:new=3g", "x:new=2"),
            ("vit_d=400iu", "vit_d=10ug"), ("caffeine=80", "caffeine=400mg"),
        ] {
            let words = ["add", "Pill", "--nutrient"]
            let refused = try computer.run(words + [typed])
            #expect(refused.status == 64, "\(typed)")
            #expect(refused.errors.contains("Type \(proposed)."), "\(typed): \(refused.errors)")
            #expect(try computer.run(words + [proposed]).status == 0, "\(proposed)")
        }
    }

    // MARK: Foods

    @Test func `a food that is shown again, and one of an archived barcode, are found`() throws {
        let code = "4006381333931"
        try type("food add Oats --kcal 372 --barcode \(code)")
        try type("food archive Oats")
        try type("food add Rye --kcal 320")
        try type("food edit Rye --barcode \(code)")
        for words in ["food unarchive Oats", "food edit Oats --no-archive"] {
            let shown = try type(words)
            #expect(shown.contains("Rye has the same barcode: macrolog food archive"), "\(shown)")
            try type("food archive Oats")
        }
        try type("food archive Rye")
        try type("food add Barley --kcal 350 --barcode \(code)")
        #expect(try type("add Barley --grams 100").contains("350 kcal"))
        #expect(try type("food barcode \(code)").contains("Barley"))
        let meal = try #require(try json("add Lunch --kcal 1")["id"] as? String)
        #expect(try !type("item add \(meal) Barley --kcal n/a").contains("no food is called"))
    }

    // MARK: Measures

    @Test func `a measure cannot have the name of a unit, in which amounts are read`() throws {
        try type("food add Oats --kcal 370")
        for unit in ["g", "ml", "L", "oz", "kg", "us_cup"] {
            let result = try computer.run(["food", "portion", "add", "Oats", unit, "30g"])
            #expect(result.status == 64 && result.errors.contains("is a unit of"), "\(unit)")
            #expect(result.errors.contains("Type a name such as"), "\(result.errors)")
        }
        try type("food portion add Oats cup 80g")
        #expect(try type("add --food Oats --amount '1 cup'").contains("296 kcal"))
        #expect(try type("add --food Oats --amount '2 oz'").contains("210 kcal"))
    }

    // MARK: Clocks

    @Test func `a meal that is copied or moved to a day without its hour has the first time after`()
        throws
    {
        computer.environment["TZ"] = "America/New_York"
        let soup = try json("add Soup --kcal 300 --at 2026-03-07T02:30")
        try type("copy day 2026-03-07 2026-03-08")
        let copied = try type("meal list --date 2026-03-08")
        #expect(copied.contains("03:00") && !copied.contains("02:30"), "\(copied)")
        let id = try #require(soup["id"] as? String)
        try type("meal move \(id) 2026-03-08")
        let moved = try type("meal show \(id)")
        #expect(moved.contains("2026-03-08") && moved.contains("03:00"), "\(moved)")
    }

    @Test func `a meal is moved to the day of --date, and meal edit moves none`() throws {
        computer.environment["TZ"] = "Europe/Zurich"
        let soup = try json("add Soup --kcal 300 --at 2026-03-07T12:30")
        let id = try #require(soup["id"] as? String)
        #expect(try type("meal move \(id) --date 2026-03-05").contains("2026-03-05 12:30"))
        let both = try type("meal move \(id) --time 19:00 --date 2026-03-06")
        #expect(both.contains("2026-03-06 19:00"), "\(both)")
        for line in [
            "meal move \(id) 2026-03-01 --date 2026-03-02", "meal edit \(id) --at 2026-03-01T10:00",
            "meal edit \(id) --note hot --date 2026-03-01",
        ] {
            let refused = try computer.run(Transcript.words("macrolog " + line))
            #expect(refused.status == 64, "\(line): \(refused.output)")
            #expect(
                refused.errors.contains("Type macrolog meal move") || line.hasPrefix("meal move"),
                "\(line): \(refused.errors)")
        }
        #expect(try type("meal show \(id)").contains("2026-03-06 19:00"))
    }

    @Test
    func
        `a fast that overlaps another one is warned about when it is started, changed or restored`()
        throws
    {
        func warns(_ line: String) throws -> Bool {
            try type("fast \(line)").contains("overlaps another fast")
        }
        func id(startedOn day: String, _ time: String) throws -> String {
            let started = try json("fast start --at \(day)T\(time)")
            return try #require(started["id"] as? String)
        }
        let first = try id(startedOn: "2024-03-01", "20:00")
        #expect(try !warns("end --at 2024-03-02T12:00"))
        #expect(try warns("start --at 2024-03-02T11:00"))
        #expect(try !warns("cancel"), "a cancelled one overlaps nothing")
        let second = try id(startedOn: "2024-03-02", "12:00")
        #expect(try warns("edit \(second) --start 2024-03-02T11:59"))
        #expect(try !warns("edit \(second) --start 2024-03-02T12:00"))
        #expect(try !warns("delete \(second)"))
        #expect(try !warns("restore \(second)"))
        #expect(try !warns("delete \(second)"))
        #expect(try !warns("start --at 2024-03-02T19:00"))
        #expect(try warns("restore \(second)"), "two are in progress")
        #expect(try !warns("restore \(first)"), "it is there")
    }

    @Test
    func `a ketogenic diet shows the last ketones in the profile, and each meal with its score`()
        throws
    {
        try type("ketone log 1.2 --date 2026-10-05")
        #expect(try !type("profile show --date 2026-10-05").contains("1.2 mmol"))
        try type("add Salmon --kcal 500 --p 40 --c 2 --f 36 --at 2026-10-05T12:00")
        try type("add Cake --kcal 400 --p 4 --c 60 --f 14 --at 2026-10-05T15:00")
        let toast = try json("add Toast --kcal 200 --p 6 --c 40 --f 2 --at 2026-10-05T19:00")
        try type("meal unconsume \(try #require(toast["id"] as? String))")
        #expect(try !type("day show 2026-10-05").contains("score"))
        try type("diet set keto")
        #expect(try type("profile show --date 2026-10-05").contains("1.2 mmol"))
        #expect(try !type("profile show --date 2026-11-20").contains("1.2 mmol"))
        #expect(try json("profile show --date 2026-10-05")["ketone"] is NSDictionary)
        let day = try type("day show 2026-10-05")
        #expect(day.contains("score"), "\(day)")
        let meals = try #require(try json("day show 2026-10-05")["meals"] as? [NSDictionary])
        let points = meals.map { ($0["diet_score"] as? NSDictionary)?["score"] as? Int }
        #expect(try #require(points[0]) > #require(points[1]) && points[2] == nil, "\(points)")
        for score in points.prefix(2) { #expect(day.contains(" \(try #require(score))")) }
        // What was eaten, what is planned, and a note while one of them is eaten.
        let eaten = try type("meal list --date 2026-10-05 --eaten")
        #expect(eaten.contains("Salmon") && !eaten.contains("Toast") && eaten.contains("score"))
        let planned = try type("meal list --date 2026-10-05 --planned")
        #expect(!planned.contains("Salmon") && planned.contains("Toast"))
        let id = try #require(meals[2]["id"] as? String)
        try type("meal consume \(id) --note 'with butter'")
        #expect(try type("meal show \(id)").contains("with butter"))
        #expect(try json("meal show \(id)")["diet_score"] is NSDictionary)
        try type("meal consume \(id) --note ''")
        #expect(try !type("meal show \(id)").contains("with butter"))
    }

    @Test func `a time alone corrects a fast near the time that it replaces`() throws {
        computer.environment["TZ"] = "Europe/Zurich"
        try type("fast start --at 2024-03-10T20:00")
        let ended = try type("fast end --at 2024-03-11T00:30")
        let id = try #require(ended.firstMatch(of: /([0-9a-f]{4})\n/)).1
        for (typed, span) in [
            ("--end 23:30", "2024-03-10 20:00 to 2024-03-10 23:30"),
            ("--end 11:00", "2024-03-10 20:00 to 2024-03-11 11:00"),
            ("--start 00:30", "2024-03-11 00:30 to 2024-03-11 11:00"),
            ("--end 12:00 --date 2024-03-12", "2024-03-11 00:30 to 2024-03-12 12:00"),
        ] {
            let changed = try type("fast edit \(id) \(typed)")
            #expect(changed.contains(span), "\(typed): \(changed)")
        }
        try type("fast edit \(id) --start 2024-03-30T20:00 --end 2024-03-31T08:00")
        let skipped = try computer.run(["fast", "edit", "\(id)", "--end", "02:30"])
        #expect(skipped.status == 64 && skipped.errors.contains("the clocks go forward"))
    }

    // MARK: Foods

    @Test func `an archived food is found last, and marked`() throws {
        for name in ["'Oats, old'", "'Oats, rolled'"] { try type("food add \(name) --kcal 370") }
        try type("food archive 'Oats, old'")
        let lines = try type("food search oats").split(separator: "\n")
        #expect(lines.last?.contains("Oats, old (archived)") == true, "\(lines)")
        #expect(lines.filter { $0.contains("(archived)") }.count == 1, "\(lines)")
    }

    @Test func `an archived food of exactly the name is meant, not one that begins so`() throws {
        try type("food add Coffee --kcal 2")
        try type("food add 'Coffee with milk' --kcal 20")
        try type("food archive Coffee")
        #expect(try type("food edit Coffee --kcal 3").contains("Changed Coffee, 3 kcal"))
        #expect(try type("food unarchive coffee").contains("Coffee, 3 kcal"))
        try type("food archive Coffee")
        try type("food delete Coffee")
        #expect(try type("food show Coffee").contains("Coffee with milk"))
    }

    // MARK: Columns

    @Test func `the trend of weights in stones keeps its columns apart`() throws {
        try type("config set weight-unit st")
        try type("weight log 13st12.5 --date 2026-10-01")
        try type("weight log 13st11.5 --date 2026-10-02")
        let trend = try type("weight trend --date 2026-10-02")
        #expect(trend.contains("2026-10-02  13 st 11.5 lb 13 st 12.4 lb "), "\(trend)")
        #expect(trend.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(trend)")
    }

    // MARK: Bounds

    @Test func `a level of ketones out of bounds says from where to where it can be`() throws {
        for line in ["ketone log 2000", "ketone log 50", "ketone log 2000 --unit mg/dl"] {
            let result = try computer.run(Transcript.words("macrolog " + line))
            #expect(result.status == 65, "\(line): \(result.errors)")
            #expect(result.errors.contains("is above 30 mmol/l"), "\(line): \(result.errors)")
            #expect(result.errors.contains("type a number from 0"), "\(line): \(result.errors)")
        }
    }
}
