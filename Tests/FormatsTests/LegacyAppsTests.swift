import MacrologEvents
import MacrologFormats
import Macrolog
import MacrologReadModels
import MacrologNutrition
import Testing

/// Goal: what FitAI, CarbCal, NutritionAI and AirFit kept comes in as their apps showed it, and what does not come in
/// is named.
/// Method: the tables and answers that their documents describe, as JSON, each imported twice.
@Suite struct LegacyAppsTests {
    private let day = Day(year: 2025, month: 5, day: 27) ?? .earliest

    /// Imports, and once more, which must change nothing.
    @discardableResult
    private func run(
        _ world: World, _ text: String, _ owner: LegacyImport.Owner? = nil
    ) throws -> (words: [String: [String]], notices: [String], warnings: [String]) {
        let file = try LegacyImport(Array(text.utf8), weightUnit: .kilograms)
        let owner = owner ?? file.people.first.map { .user($0.id) } ?? .none
        let parts = try file.run(in: world.replica, of: owner).parts
        let before = try world.replica.withStore { try $0.stateHash() }
        for part in try file.run(in: world.replica, of: owner).parts {
            #expect(part.summary.new == 0 && part.summary.changed == 0, "\(part.noun)")
        }
        #expect(try world.replica.withStore { try $0.stateHash() } == before)
        return (
            Dictionary(uniqueKeysWithValues: parts.map { ($0.noun, $0.rows.map(word)) }),
            parts.flatMap(\.summary.notices), parts.flatMap(\.rows).flatMap(\.warnings)
        )
    }

    @Test func `a profile of AirFit keeps its macros, sex and day of birth`() throws {
        let world = try World()
        let told = try run(
            world,
            #"""
            {"users": [{"id": "u1", "email": "ana@example.org", "biologicalSex": "female",
              "birthDate": -335361600, "proteinGramsPerPound": 0.9, "fatPercentage": 0.30,
              "macroFlexibility": "flexible", "current_weight": 80.5, "dietType": "Carnivore"}]}
            """#)
        let profile = try world.replica.profile()
        #expect(profile.sex == .female && profile.macroFlexibility == .flexible)
        #expect(profile.birthDate == Day(year: 1990, month: 5, day: 17))
        #expect(profile.proteinMilligramsPerPound == 900 && profile.fatBasisPoints == 3_000)
        #expect(told.notices == ["columns of users that are not read: current_weight"])
        #expect(told.warnings == ["dietType: \"Carnivore\" has no equivalent here"])
    }

    @Test func `a cell of a profile that is malformed is no matter where its value is set already`()
        throws
    {
        let file = #"{"profiles": [{"id": 1, "user_id": 1, "height": "tall", "sex": "female"}]}"#
        let world = try World()
        let refused = try run(world, file)
        #expect(refused.words["the profile"]?.first?.contains("\"tall\"") == true, "\(refused)")
        var profile = try world.replica.profile()
        #expect(profile.sex == nil)
        profile.heightMillimeters = 1_780
        try world.replica.save(profile)
        try run(world, file)
        profile = try world.replica.profile()
        #expect(profile.sex == .female && profile.heightMillimeters == 1_780)
    }

    @Test(arguments: [
        ("m", "30", Sex.male), ("Female", "0.3", .female), ("male", "3e-1", .male),
    ])
    func `sex is a word or a letter, and fat a share or percent`(
        word: String, fat: String, sex: Sex
    ) throws {
        let world = try World()
        try run(
            world,
            #"{"profiles": [{"id": 1, "user_id": 1, "biological_sex": "\#(word)", "#
                + #""fat_percentage": \#(fat)}]}"#)
        let profile = try world.replica.profile()
        #expect(profile.sex == sex && profile.fatBasisPoints == 3_000)
    }

    @Test(arguments: [
        "770040000", "770040000.5", "1748347200", "1748347200000", #""2025-05-27T12:00:00Z""#,
    ])
    func `an entry of AirFit has the time at which it was logged, however it is written`(
        date: String
    ) throws {
        let world = try World()
        let told = try run(
            world,
            #"{"foodEntries": [{"id": "a", "mealType": "lunch", "loggedAt": \#(date), "#
                + #""notes": "at work", "healthKitSampleIDs": ["x"]}]}"#)
        let meal = try #require(try world.replica.meals(on: day).first?.meal)
        #expect(meal.slot == "lunch" && meal.isConsumed && meal.note == "at work")
        #expect((meal.localDate.occurredAt ?? 0) / 1_000 == 1_748_347_200)
        #expect(told.notices == ["columns of meals that are not read: healthKitSampleIDs"])
    }

    @Test(arguments: ["20250527", "1e30", "-1e12", "9e12"])
    func `a number that is no time is refused`(date: String) throws {
        let told = try run(try World(), #"{"meals": [{"id": 1, "date": \#(date)}]}"#)
        #expect(told.words["meals"]?.first?.contains("is not a time") == true, "\(told)")
    }

    private static let salad =
        #"""
        "imagePath": "", "dishName": "Salad", "healthScore": 8, "ingredients":
        [{"id": "i1", "name": "Tomato", "calories": 22, "carbs": 5, "protein": 1, "fats": 0}]
        """#

    @Test(arguments: [
        #"[{"id": "7D3C", "date": 770040000, \#(salad)}]"#,
        #"{"date": "2025-05-27", "totalCalories": 22, "logs": [{\#(salad)}]}"#,
        #"[{"date": "2025-05-27", "totalCalories": 22, "logs": [{\#(salad)}]}]"#,
    ])
    func `food logs of CarbCal come in from its app and from the answer of its server`(
        text: String
    ) throws {
        let world = try World()
        let told = try run(world, text)
        #expect(told.words == ["meals": ["new"]] && told.notices.isEmpty, "\(told)")
        let detail = try #require(try world.replica.meals(on: day).first)
        #expect(detail.meal.dishName == "Salad" && detail.meal.healthScore == 8)
        #expect(detail.meal.isConsumed && detail.items.map(\.name) == ["Tomato"])
        #expect(detail.totals[.energy] == 22_000 && detail.totals[.carbs] == 5_000)
    }

    @Test func `equal logs of an answer are two, also when the answer has grown`() throws {
        let world = try World()
        let log = "{\(Self.salad)}"
        for count in 1...3 {
            let logs = Array(repeating: log, count: count).joined(separator: ", ")
            try run(world, #"{"date": "2025-05-27", "logs": [\#(logs)]}"#)
            #expect(try world.replica.meals(on: day).count == count)
        }
    }

    @Test func `what is not imported is named`() throws {
        let told = try run(
            try World(),
            #"""
            {"food_entries": [{"id": 1, "date": "2025-05-27", "food_name": "Bread",
              "calories": 240, "photo_url": "https://x/1", "tags": "{}",
              "items": [{"name": "Rye", "calories": 240, "sugar": 3}]}],
             "daily_summaries": [{"id": 1}], "photos": [], "_migrations": [{"id": 1}]}
            """#)
        #expect(
            told.notices == [
                "columns of meals that are not read: photo_url, sugar of their parts",
                "tables that are not read: daily_summaries",
            ])
    }

    /// The targets of a day, by the goals of FitAI.
    private func goals(_ world: World, _ rows: String, _ eaten: Int) throws -> DaySummary {
        try run(
            world,
            #"{"user_goals": [\#(rows)], "food_entries": [{"id": 1, "user_id": 7, "#
                + #""date": "2025-05-27", "food_name": "All", "calories": \#(eaten)}]}"#)
        return try world.replica.summary(of: day)
    }

    private func goal(_ id: Int, _ energy: Int, _ created: String, _ more: String = "") -> String {
        #"{"id": \#(id), "user_id": 7, "daily_calorie_goal": \#(energy), "#
            + #""created_at": "\#(created)T12:00:00Z"\#(more)}"#
    }

    @Test(arguments: [
        (#", "calorie_deficit_goal": 500, "calorie_surplus_goal": null"#, 1_500, "achieved"),
        (#", "calorie_deficit_goal": 500"#, 2_300, "missed"),
        (#", "calorie_surplus_goal": 300, "calorie_deficit_goal": 0"#, 2_600, "achieved"),
        (#", "calorie_surplus_goal": 300"#, 1_500, "missed"), ("", 1_500, "missed"),
    ])
    func `a deficit of FitAI is met by less, and a surplus by more`(
        more: String, eaten: Int, status: String
    ) throws {
        let summary = try goals(World(), goal(1, 2_000, "2025-05-01", more), eaten)
        #expect(summary.goalStatus?.name.string == status)
        #expect(summary.targets?[.energy]?.amount == 2_000_000)
    }

    @Test func `a deficit beside a surplus is refused`() throws {
        let more = #", "calorie_deficit_goal": 500, "calorie_surplus_goal": 300"#
        let told = try run(
            World(), #"{"user_goals": [\#(goal(1, 2_000, "2025-05-01", more))]}"#)
        #expect(told.words["goals"]?.first?.contains("beside a deficit") == true, "\(told)")
    }

    @Test func `the active goal of FitAI is in force after those that it replaced`() throws {
        let active = #", "is_active": true"#
        let past = #", "is_active": false"#
        let changed = #", "updated_at": "2025-05-25T12:00:00Z""#
        // Of goals that begin on one day, and of one that began later and was left again.
        for rows in [
            [goal(1, 2_000, "2025-05-01", active), goal(2, 1_800, "2025-05-01", past)],
            [goal(1, 2_000, "2025-05-01", active), goal(2, 1_800, "2025-05-20", past)],
            [goal(1, 2_000, "2025-05-01", active + changed), goal(2, 1_800, "2025-05-20", past)],
        ] {
            let world = try World()
            let summary = try goals(world, rows.joined(separator: ", "), 2_000)
            #expect(summary.targets?[.energy]?.amount == 2_000_000)
        }
        let world = try World()
        _ = try goals(
            world,
            goal(1, 2_000, "2025-05-01", active + changed) + ", "
                + goal(2, 1_800, "2025-05-20", past),
            2_000)
        let before = try #require(Day("2025-05-22"))
        #expect(try world.replica.summary(of: before).targets?[.energy]?.amount == 1_800_000)
    }

    @Test(
        arguments: [
            ("2 slices", Amount(milli: 2_000, unit: "slices"), nil),
            ("150 g", Amount(milligrams: 150_000), nil),
            ("1/2 cup", Amount(milli: 500, unit: "cup"), nil),
            ("0.5 l", Amount(milli: 500_000, unit: "ml"), nil),
            ("a handful", nil, "Serving: a handful"), ("2", nil, "Serving: 2"),
            ("1 cup (240 ml)", nil, "Serving: 1 cup (240 ml)"),
        ] as [(String, Amount?, String?)])
    func `a food of FitAI has a part whose amount is its serving`(
        serving: String, amount: Amount?, note: String?
    ) throws {
        let world = try World()
        try run(
            world,
            #"{"food_entries": [{"id": 1, "date": "2025-05-27", "food_name": "Bread", "#
                + #""calories": 240, "protein": 8.5, "serving_size": "\#(serving)"}]}"#)
        let detail = try #require(try world.replica.meals(on: day).first)
        let item = try #require(detail.items.first)
        #expect(detail.items.count == 1 && item.name == "Bread" && item.amount == amount)
        #expect(detail.meal.note == note && detail.totals[.energy] == 240_000)
        #expect(item.nutrients[.protein] == 8_500 && detail.meal.reportedTotal == nil)
    }

    @Test func `what a model has analysed is marked as an estimate`() throws {
        let world = try World()
        try run(
            world,
            #"""
            {"food_entries": [{"id": 1, "date": "2025-05-27", "food_name": "A", "calories": 240,
              "ai_analyzed": true, "ai_confidence": 0.87, "notes": "half"},
             {"id": 2, "date": "2025-05-27", "food_name": "B", "calories": 1,
              "ai_analyzed": false}]}
            """#)
        let meals = try world.replica.meals(on: day).map(\.meal).sorted {
            $0.note?.utf8.count ?? 0 > $1.note?.utf8.count ?? 0
        }
        #expect(meals[0].isEstimated == true && meals[1].isEstimated != true)
        #expect(meals[0].note == "half\nAnalysed by a model, confidence 0.87")
        #expect(meals[1].note == nil)
    }

    @Test func `portions of NutritionAI are amounts, or words in the note`() throws {
        let world = try World()
        try run(
            world,
            #"""
            {"meals": [{"id": 1, "date": "2025-05-27", "isConsumed": true, "foodItems": [
              {"name": "Egg", "portion": "2 pieces", "calories": 150},
              {"name": "Cheese", "portion": "30 g", "calories": 120},
              {"name": "Nuts", "portion": "some", "calories": 60}]},
             {"id": 2, "date": "2025-05-26", "foodItems": [{"name": "Egg", "portion": "2 pieces"}]}]}
            """#)
        let detail = try #require(try world.replica.meals(on: day).first)
        #expect(
            detail.items.map(\.amount) == [
                Amount(milli: 2_000, unit: "pieces"), Amount(milligrams: 30_000), nil,
            ])
        #expect(detail.meal.note == "Nuts: some")
        let other = try world.replica.meals(on: .earliest ... .latest).first { $0.items.isEmpty }
        #expect(other?.meal.note == "Ingredients: Egg (2 pieces)")
    }
}
