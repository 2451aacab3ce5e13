import MacrologNutrition
import MacrologTestSupport
import Testing

/// Goal: what someone means comes first, also when it is mistyped.
@Suite struct SearchTests {
    static let today = Day("2026-11-20") ?? .earliest

    static func best(
        _ typed: String, _ names: [String], uses: [String: FoodSearch.Use] = [:]
    ) -> [String] {
        let search = FoodSearch(typed)
        return names.compactMap { name in
            search.score(name: name, use: uses[name] ?? FoodSearch.Use(), today: today).map {
                (name, $0)
            }
        }.sorted { $0.1 > $1.1 }.map(\.0)
    }

    @Test(arguments: [
        ("Crème brûlée", "creme brulee"), ("MÜESLI, Bio", "muesli bio"),
        ("Smørrebrød", "smorrebrod"),
        ("Straße", "strasse"), ("Campbell's", "campbells"), ("2% milk", "2 milk"),
        ("cre\u{300}me", "creme"), ("Œufs à la coque", "oeufs a la coque"), ("  ", ""),
        ("豆腐", "豆腐"), ("ice-cream", "ice cream"), ("Żurek łowicki", "zurek lowicki"),
        ("КРЕМ Ёж", "крем еж"), ("Ѓ Ї Ґ й", "ѓ ї ґ й"), ("ΨΩΜΊ Άσπρος", "ψωμι ασπροσ"), ("ΐ", "ι"),
    ])
    func `case, accents and marks do not matter`(text: String, folded: String) {
        #expect(SearchText(text).text == folded)
    }

    @Test func `the index is asked for quoted beginnings, and nothing can escape the quotes`() {
        #expect(SearchText("oat mi").prefixQuery == "\"oat\"* \"mi\"*")
        #expect(SearchText("a\" OR b*").prefixQuery == "\"a\"* \"or\"* \"b\"*")
        #expect(SearchText(" - ").prefixQuery == nil)
    }

    @Test(arguments: [
        ("brocoli", "broccoli", 1), ("brocolli", "broccoli", 2), ("chese", "cheese", 1),
        ("yoghurt", "yogurt", 1), ("bannana", "banana", 1), ("tomatoe", "tomato", 1),
        ("letuce", "lettuce", 1), ("aple", "apple", 1), ("salomn", "salmon", 1),
        ("spagetti", "spaghetti", 1), ("avacado", "avocado", 1),
    ])
    func `a mistyped word is near the one that was meant`(typed: String, meant: String, slips: Int)
    {
        #expect(
            SpellCorrection.distance(Array(typed.utf8), Array(meant.utf8), max: 2) == slips)
        let vocabulary = [
            "apple", "avocado", "bacon", "banana", "beef", "bread", "brie", "broccoli", "broth",
            "cheese", "chicken", "lemon", "lettuce", "salami", "salmon", "spaghetti", "spinach",
            "tomato", "tofu", "yogurt",
        ].map { Array($0.utf8) }
        #expect(
            SpellCorrection.nearest(Array(typed.utf8), in: vocabulary).first
                == Array(meant.utf8))
    }

    @Test func `short words forgive nothing, and far words are not near`() {
        let words = ["oat", "eat", "rice", "rye"].map { Array($0.utf8) }
        #expect(SpellCorrection.nearest(Array("oet".utf8), in: words) == [])
        #expect(SpellCorrection.nearest(Array("zebra".utf8), in: words) == [])
        #expect(SpellCorrection.nearest([], in: words) == [])
        #expect(SpellCorrection.distance(Array("ab".utf8), Array("ba".utf8), max: 1) == 1)
        #expect(SpellCorrection.distance(Array("abcdef".utf8), Array("".utf8), max: 2) == nil)
        #expect(SpellCorrection.prefixDistance(Array("brocol".utf8), Array("broccoli".utf8)) == 1)
    }

    @Test func `distance agrees with the textbook`() {
        // Random words against the whole matrix without limits.
        var dice = Dice(seed: 42)
        for _ in 0..<2_000 {
            let left = (0..<Int(dice.next() % 8)).map { _ in UInt8(97 + dice.next() % 3) }
            let right = (0..<Int(dice.next() % 8)).map { _ in UInt8(97 + dice.next() % 3) }
            let truth = Self.textbook(left, right)
            for most in 0...3 {
                #expect(
                    SpellCorrection.distance(left, right, max: most)
                        == (truth <= most ? truth : nil))
            }
        }
    }

    static func textbook(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var d = Array(repeating: Array(repeating: 0, count: b.count + 1), count: a.count + 1)
        for i in 0...a.count { d[i][0] = i }
        for j in 0...b.count { d[0][j] = j }
        for i in stride(from: 1, through: a.count, by: 1) {
            for j in stride(from: 1, through: b.count, by: 1) {
                d[i][j] = min(
                    d[i - 1][j] + 1, d[i][j - 1] + 1,
                    d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1)
                }
            }
        }
        return d[a.count][b.count]
    }

    @Test func `an exact name goes before a beginning, a beginning before a word within`() {
        let names = [
            "Soup, milk", "Milk chocolate", "Milk", "Milkshake", "Whole milk", "Bread",
        ]
        #expect(
            Self.best("milk", names)
                == ["Milk", "Milk chocolate", "Whole milk", "Soup, milk", "Milkshake"]
                || Self.best("milk", names).prefix(2) == ["Milk", "Milk chocolate"])
        #expect(Self.best("milk", names).last == "Milkshake")
        #expect(!Self.best("milk", names).contains("Bread"))
    }

    @Test func `every word must be found, in any order, and the brand helps`() {
        #expect(
            Self.best("milk oat", ["Oat milk", "Oats", "Milk"]) == ["Oat milk"])
        let search = FoodSearch("alpro oat")
        #expect(search.score(name: "Oat drink", brand: "Alpro", today: Self.today) != nil)
        #expect(search.score(name: "Oat drink", today: Self.today) == nil)
    }

    @Test func `brocoli finds broccoli, after what is spelled so`() {
        #expect(
            Self.best("brocoli", ["Broccoli, raw", "Broth", "Brocoli soup"])
                == ["Brocoli soup", "Broccoli, raw"])
    }

    @Test func `a favourite comes first, then what is eaten often and lately`() {
        let names = ["Milk, goat", "Milk, skim", "Milk, whole", "Milk, oat"]
        let uses = [
            "Milk, skim": FoodSearch.Use(count: 30, last: Self.today.advanced(by: -200)),
            "Milk, whole": FoodSearch.Use(count: 30, last: Self.today),
            "Milk, oat": FoodSearch.Use(isFavourite: true),
        ]
        #expect(
            Self.best("milk", names, uses: uses)
                == ["Milk, oat", "Milk, whole", "Milk, skim", "Milk, goat"])
        #expect(Self.best("", names, uses: uses).first == "Milk, oat")
    }

    @Test func `frecency grows with use and halves in thirty days`() {
        func frecency(_ count: Int, _ daysAgo: Int) -> Int {
            FoodSearch.Use(count: count, last: Self.today.advanced(by: -daysAgo)).frecency(
                today: Self.today)
        }
        #expect(frecency(5, 0) == 500)
        #expect(frecency(5, 30) == 250)
        #expect(frecency(5, 15) == 375)
        #expect(frecency(10, 0) < 2 * frecency(5, 0))
        #expect(frecency(.max, 0) <= 1_000)
        #expect(frecency(5, 4_000) == 0)
        #expect(FoodSearch.Use().frecency(today: Self.today) == 0)
        var last = Int.max
        for day in 0...310 {
            #expect(frecency(50, day) <= last)
            last = frecency(50, day)
        }
    }

    @Test(.enabled(if: SharedData.foods != nil, "the shared foods are not here"))
    func `among 8789 real foods mistyped words find what was meant`() throws {
        let lines = try #require(SharedData.foods)
        let names = lines.dropFirst().map { SharedData.fields($0)[2] }
        let folded = names.map { SearchText($0) }
        let vocabulary = Set(folded.flatMap(\.words)).sorted {
            $0.lexicographicallyPrecedes($1)
        }
        for (typed, meant) in [
            ("brocoli", "broccoli"), ("spagetti", "spaghetti"), ("yoghurt", "yogurt"),
            ("chiken", "chicken"), ("tomatos", "tomato"), ("zuchini", "zucchini"),
        ] {
            let near = SpellCorrection.nearest(Array(typed.utf8), in: vocabulary)
            #expect(
                near.contains { String(decoding: $0, as: UTF8.self).hasPrefix(meant) },
                "\(typed) finds \(near.map { String(decoding: $0, as: UTF8.self) })")
        }
        let search = FoodSearch("brocoli")
        let scored = zip(names, folded).compactMap { name, text in
            search.score(text, use: FoodSearch.Use(), today: Self.today).map { (name, $0) }
        }.sorted { $0.1 > $1.1 }
        #expect(scored.first?.0.hasPrefix("Broccoli") == true, "\(scored.prefix(3))")
    }
}
