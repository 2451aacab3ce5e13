import MacrologEvents
import MacrologFormats
import MacrologLog
import Macrolog
import MacrologReadModels
import MacrologNutrition
import Testing

/// Goal: what a person had in an earlier system is in the log once, as it was, and nothing that the person
/// did since is touched.
/// Method: a dump with everything in it, imported again, after edits, deletions and an undo, on one device
/// and on another.
@Suite struct LegacyImportTests {
    static let dump = #"""
        COPY public."User" (id, email, "passwordHash", "createdAt") FROM stdin;
        u1	ana@example.org	$2b$05$abc	2024-03-01 08:00:00
        u2	ben@example.org	\N	2024-03-01 08:00:00
        \.
        COPY public."UserProfile" (id, "userId", "displayName", "dietPreference", "dailyCalorieGoal", "createdAt") FROM stdin;
        p1	u1	Ana	LOW_CARB	2100	2024-03-01 12:00:00
        \.
        COPY public."MealAnalysis" (id, "userId", "dishName", ingredients, total, "isConsumed", "customNotes", tags, "createdAt") FROM stdin;
        m1	u1	Pancakes	[{"name":"Pancakes","calories":595,"carbs":85,"protein":9,"fats":19},{"name":"Blueberries","calories":8,"carbs":2,"protein":0,"fats":0},{"name":"Syrup","calories":12,"carbs":6,"protein":0,"fats":0}]	{"calories":615,"carbs":93,"protein":11,"fats":21,"healthScore":7}	t	from the market	{sweet,"with, comma"}	2024-03-10 12:30:00
        m2	u1	Soup	\N	{"calories":460}	\N	\N	{}	2024-03-10 13:30:00
        m3	\N	Cake	\N	{"calories":300}	\N	\N	{}	2024-03-10 14:30:00
        m4	u1	Bad	\N	{"calories":-5}	f	\N	{}	2024-03-10 15:30:00
        m5	u2	Bens	\N	{"calories":100}	t	\N	{}	2024-03-10 15:30:00
        \.
        COPY public."DailyMetrics" (id, "userId", date, weight, "ketoneLevel", notes) FROM stdin;
        d1	u1	2024-03-10	80.25	1.2	after the run
        d2	u1	2024-03-11	79.9	\N	\N
        \.

        """#

    private static func file(_ text: String = dump) throws -> LegacyImport {
        try LegacyImport(Array(text.utf8), weightUnit: .kilograms)
    }

    private static let ana = LegacyImport.Owner.user("u1")

    /// Imports, after a forecast that must come true.
    @discardableResult
    private func run(
        _ world: World, _ owner: LegacyImport.Owner = ana, _ text: String = dump
    ) throws -> [String: [String]] {
        let file = try Self.file(text)
        let before = try world.replica.withStore { $0.log.lastSeq }
        let forecast = try file.plan(in: world.replica, of: owner)
        #expect(try world.replica.withStore { $0.log.lastSeq } == before)
        let parts = try file.run(in: world.replica, of: owner).parts
        #expect(parts.map { $0.rows.map(word) } == forecast.map { $0.rows.map(word) })
        return Dictionary(uniqueKeysWithValues: parts.map { ($0.noun, $0.rows.map(word)) })
    }

    /// The meals of the day, by name.
    private func named(_ world: World) throws -> [MealDetail] {
        try world.replica.meals(on: day).sorted {
            ($0.meal.dishName ?? "").utf8.lexicographicallyPrecedes(($1.meal.dishName ?? "").utf8)
        }
    }

    private func names(_ world: World) throws -> [String] {
        try named(world).compactMap(\.meal.dishName)
    }

    private let day = Day(year: 2024, month: 3, day: 10) ?? .earliest

    @Test func `meals, weights, ketones, a goal and a profile come in as they were`() throws {
        let world = try World()
        let told = try run(world)
        #expect(told["meals"]?.count == 3 && told["meals"]?.prefix(2) == ["new", "new"])
        #expect(told["meals"]?[2].contains("line 12, calories: \"-5\" is not a number") == true)
        #expect(told["weigh-ins"] == ["new", "new"] && told["ketones"] == ["new"])
        #expect(told["goals"] == ["new"])
        let meals = try named(world)
        #expect(meals.map(\.meal.dishName) == ["Pancakes", "Soup"])
        let pancakes = meals[0]
        #expect(pancakes.items.map(\.name) == ["Pancakes", "Blueberries", "Syrup"])
        // The parts are what counts; the total that was reported stays visible beside them.
        #expect(pancakes.totals[.energy] == 615_000 && pancakes.totals[.protein] == 9_000)
        #expect(pancakes.totals[.carbs] == 93_000 && pancakes.totals[.fat] == 19_000)
        #expect(pancakes.meal.reportedTotal?[.fat] == 21_000 && pancakes.meal.healthScore == 7)
        #expect(pancakes.meal.isConsumed && pancakes.meal.note == "from the market")
        #expect(Set(pancakes.meal.tags) == ["sweet", "with, comma"])
        #expect(pancakes.meal.source == .importer)
        // Without a word that it was eaten it was not.
        #expect(!meals[1].meal.isConsumed && meals[1].totals[.energy] == 460_000)
        let profile = try world.replica.profile()
        #expect(profile.displayName == "Ana" && profile.dietType == .lowCarb)
        let summary = try world.replica.summary(of: day)
        #expect(summary.totals[.energy] == 615_000)
    }

    @Test func `importing again changes nothing, and keeps what a person changed or deleted`()
        throws
    {
        let world = try World()
        try run(world)
        let meals = try named(world)
        var soup = meals[1].meal
        soup.dishName = "Lentil soup"
        soup.isConsumed = true
        _ = try world.replica.save(soup, since: meals[1].meal)
        try world.replica.delete(Meal.self, meals[0].meal.id)
        let before = try world.replica.withStore { try $0.stateHash() }
        let told = try run(world)
        #expect(told["meals"]?.prefix(2) == ["deleted", "same"])
        #expect(told["weigh-ins"] == ["same", "same"] && told["the profile"] == ["same"])
        #expect(try world.replica.withStore { try $0.stateHash() } == before)
        #expect(try names(world) == ["Lentil soup"])
    }

    @Test func `one undo reverses it, and it can be imported once more`() throws {
        let world = try World()
        let empty = try world.replica.withStore { try $0.stateHash() }
        try run(world)
        let full = try world.replica.summary(of: day)
        _ = try world.replica.undo()
        #expect(try world.replica.meals(on: day).isEmpty)
        #expect(try world.replica.profile().displayName == nil)
        let told = try run(world)
        #expect(told["meals"]?.prefix(2) == ["back", "back"])
        #expect(try world.replica.summary(of: day) == full)
        #expect(try world.replica.withStore { try $0.stateHash() } != empty)
    }

    @Test func `two devices that import the same file have the same entries`() throws {
        let (one, two) = (try World(), try World())
        try run(one)
        try run(two)
        let ids = try [one, two].map { world in
            try world.replica.meals(on: day).flatMap { [$0.meal.id] + $0.items.map(\.id) }
        }
        #expect(Set(ids[0]) == Set(ids[1]) && ids[0].count == 5)
    }

    @Test func `rows of no one are imported by themselves, and rows of others never`() throws {
        let file = try Self.file()
        #expect(file.people.map(\.id) == ["u1", "u2"] && file.ownerlessCount == 1)
        #expect(file.people.map(\.email) == ["ana@example.org", "ben@example.org"])
        let world = try World()
        #expect(try run(world, .none) == ["meals": ["new"]])
        #expect(try names(world) == ["Cake"])
        #expect(try run(world, .user("stranger")).isEmpty)
    }

    @Test func `a profile that says something already stays as it is`() throws {
        let world = try World()
        var profile = try world.replica.profile()
        profile.displayName = "Annie"
        _ = try world.replica.put(profile)
        try run(world)
        #expect(try world.replica.profile().displayName == "Annie")
        #expect(try world.replica.profile().dietType == .lowCarb)
    }

    @Test func `the tables of FitAI are known, too`() throws {
        let world = try World()
        let told = try run(
            world, .user("7"),
            #"""
            {"users": [{"id": 7, "email": "ana@example.org", "name": "Ana", "height": 170.5,
              "date_of_birth": "1990-05-17", "activity_level": "moderately_active"}],
             "user_goals": [{"id": 1, "user_id": 7, "daily_calorie_goal": 2000,
              "daily_protein_goal": 120, "created_at": "2024-03-01T08:00:00Z"}],
             "food_entries": [{"id": 3, "user_id": 7, "date": "2024-03-10", "meal_type": "Lunch",
              "food_name": "Bread", "calories": 240.5, "serving_size": "1 slice"}],
             "weights": [{"id": 4, "user_id": 7, "weight": 80, "date": "2024-03-10"}]}
            """#)
        #expect(
            told["meals"] == ["new"] && told["goals"] == ["new"] && told["weigh-ins"] == ["new"])
        let meal = try #require(try world.replica.meals(on: day).first)
        #expect(meal.totals[.energy] == 240_500 && meal.meal.slot == "lunch")
        // A diary's entry was eaten.
        #expect(meal.meal.isConsumed && meal.meal.note == nil)
        #expect(meal.items.map(\.name) == ["Bread"])
        #expect(meal.items.first?.amount == Amount(milli: 1_000, unit: "slice"))
        let profile = try world.replica.profile()
        #expect(profile.heightMillimeters == 1_705 && profile.activityLevel == .moderate)
        #expect(profile.birthDate == Day(year: 1990, month: 5, day: 17))
    }

    @Test(arguments: [
        (#"{"id": 1, "date": "2024-03-10", "calories": "lots"}"#, "calories"),
        (#"{"id": 1, "date": "10.3.2024", "calories": 1}"#, "2026-11-20"),
        (#"{"date": "2024-03-10", "calories": 1}"#, "give each row an id"),
        (#"{"id": 1, "calories": 1}"#, "createdAt"),
        (#"{"id": 1, "createdAt": "2024-03-10 25:00:00"}"#, "2026-11-20T07:40:00Z"),
        (#"{"id": 1, "date": "2024-03-10", "isConsumed": "maybe"}"#, "neither true nor false"),
        (#"{"id": 1, "date": "2024-03-10", "calories": 1e30}"#, "calories"),
        (#"{"id": 1, "date": "2024-03-10", "items": [{"name": "x", "fat": "NaN"}]}"#, "x: fat"),
    ])
    func `a row that cannot be read is refused by name, and the others come in`(
        row: String, words: String
    ) throws {
        let world = try World()
        let good = #"{"id": 2, "date": "2024-03-10", "name": "Good", "calories": 5}"#
        let told = try run(world, .none, #"{"meals": [\#(row), \#(good)]}"#)
        #expect(told["meals"]?[0].contains(words) == true, "\(told)")
        #expect(told["meals"]?[1] == "new")
        #expect(try names(world) == ["Good"])
    }
}
