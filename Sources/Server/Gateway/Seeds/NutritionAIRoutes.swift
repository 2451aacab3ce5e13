/// The face of NutritionAI: `/api/users/profile`, `/api/meals`, `/api/metrics`, `/api/trends`.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition

enum NutritionAIRoutes {
    private static let trendForm = Schema.report(
        """
        period: text, daysLogged: count, averageCalories: number?, averageProtein: number?,
        averageCarbs: number?, averageFat: number?, dietScores: object?
        """)

    static let all = profile + meals + metrics + [trends]

    // MARK: Profile

    private static let diets: [(theirs: String, ours: DietType)] = [
        ("keto", .keto), ("paleo", .paleo), ("vegan", .vegan), ("vegetarian", .vegetarian),
        ("mediterranean", .mediterranean), ("low-carb", .lowCarb), ("balanced", .balanced),
        ("custom", .custom),
    ]

    private static let profile = [
        APIRoute(
            "GET", "/api/users/profile", "NutritionAI: name, diet, goal, weight and ketones.",
            answers: [.init(200, .person)],
            ignoresUnknown: true, .read { diary, _ in try shown(diary) }),
        APIRoute(
            "PUT", "/api/users/profile", "NutritionAI: changes name, diet or energy goal.",
            body: .object([
                Schema.Member("displayName", .nullable(.plain(1...80))),
                Schema.Member("dietPreference", .nullable(.choice(diets.map(\.theirs)))),
                Schema.Member("dailyCalorieGoal", .nullable(.number(0...20_000, scale: 0))),
            ]),
            answers: [.init(200, .person)],
            example: ["displayName": "Ana", "dietPreference": "keto", "dailyCalorieGoal": 2_000],
            ignoresUnknown: true, .write { try changeProfile(&$0, $1) }),
    ]

    private static func shown(_ diary: borrowing Diary) throws -> APIAnswer {
        let (profile, today) = (try diary.profile(), try diary.today())
        let diet = profile.dietType.flatMap { type in diets.first { $0.ours == type }?.theirs }
        let target = try diary.targets(on: today).targets?[.energy]
        let weight = try diary.weightTrend(through: today).points.last
        let month = today.advanced(by: -29)...today
        let ketone = try diary.entities(Ketone.self, on: month).last
        return APIAnswer(
            content: .compact([
                "displayName": .optional(profile.displayName), "dietPreference": .optional(diet),
                "dailyCalorieGoal": target.map { .rounded($0.amount) } ?? .null,
                "currentWeight": weight.map { .decimal($0.grams, scale: 3) } ?? .null,
                "ketoneLevel": ketone.map { .decimal($0.micromoles, scale: 3) } ?? .null,
            ]))
    }

    private static func changeProfile(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        var profile = try diary.profile()
        if let name = call.body["displayName"] { profile.displayName = name.string }
        if let diet = call.body["dietPreference"] {
            profile.dietType = diets.first { $0.theirs == diet.string }?.ours
        }
        try diary.saveChange(profile, of: try diary.profile())
        if let goal = call.body["dailyCalorieGoal"]?.scaled(0) { try setGoal(goal * 1_000, &diary) }
        return try shown(diary)
    }

    /// Changes the plan that begins today, or begins one that keeps the other goals.
    private static func setGoal(_ millikilocalories: Int64, _ diary: inout Diary) throws {
        let today = try diary.today()
        let current = try diary.targets(on: today).plan
        var fields = current?.fields ?? ValueMap()
        fields["start_date"] = .int(today.number)
        let id = current?.startDate == today ? current?.id : nil
        guard var plan = GoalPlan(id: id ?? diary.newID(), fields: fields) else { return }
        plan.energyMillikilocalories = millikilocalories
        try diary.save(plan)
    }

    // MARK: Meals

    private static let item = Schema.object(
        [
            Schema.Member("name", .plain(1...200), isRequired: true),
            Schema.Member("portion", .nullable(.text(0...24))),
        ] + amounts, title: "food item")

    private static let amounts = [
        Schema.Member("calories", .kilocalories), Schema.Member("protein", .grams),
        Schema.Member("carbs", .grams), Schema.Member("fat", .grams),
    ]

    private static let meals = [
        APIRoute(
            "GET", "/api/meals", "NutritionAI: the meals of some days, by day and time.",
            query: [.from, .to, .limit, .cursor],
            answers: [.init(200, .report("meals: [eaten_meal]"))],
            ignoresUnknown: true,
            .read { diary, call in
                let all = try diary.meals(on: try diary.span(of: call))
                return try Page(call, of: all) {
                    PageKey($0.meal.localDate.day, $0.meal.localDate.occurredAt, $0.meal.id)
                }.answer(as: { .compact(["meals": $0]) }) { try json($0, diary) }
            }),
        APIRoute(
            "PUT", "/api/meals/{id}", "NutritionAI: changes a meal's name, notes, tags and items.",
            body: .object([
                Schema.Member("name", .plain(0...200)),
                Schema.Member("customNotes", .nullable(.plain(0...4_000, lines: true))),
                Schema.Member("tags", .list(.plain(1...50), countMax: 50)),
                Schema.Member("items", .list(item, countMax: 100)),
            ]), answers: [.init(200, .eatenMeal)], problems: [.deleted],
            example: ["name": "Oats with milk", "items": [["name": "Oats", "calories": 230]]],
            ignoresUnknown: true, .write { try changeMeal(&$0, $1) }),
        APIRoute(
            "DELETE", "/api/meals/{id}", "NutritionAI: deletes a meal.", answers: [.init(204)],
            ignoresUnknown: true,
            .write { diary, call in
                try diary.delete(Meal.self, call.id())
                return .nothing
            }),
        APIRoute(
            "POST", "/api/meals/{id}/restore", "NutritionAI: restores a deleted meal.",
            answers: [.init(200, .eatenMeal)],
            ignoresUnknown: true,
            .write { diary, call in
                try diary.restoreIfDeleted(Meal.self, call.id())
                return try one(diary, call.id())
            }),
        APIRoute(
            "POST", "/api/meals/{id}/consume", "NutritionAI: says that a meal was eaten.",
            body: .object([Schema.Member("customNotes", .nullable(.plain(0...4_000, lines: true)))]
            ),
            answers: [.init(200, .eatenMeal)],
            example: ["customNotes": "half the rice"], ignoresUnknown: true,
            .write { try eat(&$0, $1, true) }),
        APIRoute(
            "POST", "/api/meals/{id}/unconsume", "NutritionAI: says that a meal was not eaten.",
            answers: [.init(200, .eatenMeal)],
            ignoresUnknown: true, .write { try eat(&$0, $1, false) }),
    ]

    private static func eat(
        _ diary: inout Diary, _ call: APICall, _ isEaten: Bool
    ) throws -> APIAnswer {
        var meal = try diary.found(Meal.self, call)
        if isEaten, !meal.isConsumed { try diary.requireNoProposal(meal.id) }
        if meal.isConsumed != isEaten {
            meal.consumedAt = isEaten ? try diary.whenEaten(meal) : nil
        }
        meal.isConsumed = isEaten
        if let note = call.body["customNotes"] { meal.note = note.string }
        try diary.save(meal)
        return try one(diary, meal.id)
    }

    /// Items that are sent take the place of those that were there: one of the same name is changed.
    private static func changeMeal(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        var meal = try diary.found(Meal.self, call)
        if let name = call.body["name"]?.string { meal.dishName = name }
        if let note = call.body["customNotes"] { meal.note = note.string }
        if let tags = call.body["tags"]?.array {
            meal.tags = tags.compactMap { $0.string }.reduce(into: []) { tags, tag in
                if !tags.contains(tag) { tags.append(tag) }
            }
        }
        try diary.save(meal)
        if let items = call.body["items"]?.array {
            try replaceItems(of: meal.id, with: items, in: &diary)
        }
        return try one(diary, meal.id)
    }

    private static func replaceItems(
        of meal: Identifier, with bodies: [JSON], in diary: inout Diary
    ) throws {
        var old = try diary.meal(meal)?.items ?? []
        for (place, body) in bodies.enumerated() {
            let name = body["name"]?.string ?? ""
            let index = old.firstIndex { $0.name == name }
            var item =
                index.map { old.remove(at: $0) }
                ?? MealItem(id: diary.newID(), of: meal, name: name)
            let given = Nutrients(body)
            for entry in given.entries { item[entry.nutrient] = entry.amount }
            if index != nil { item.isEditedByUser = true }
            item.position = ItemPlace.text(place)
            try diary.save(item)
        }
        for item in old { try diary.delete(MealItem.self, item.id) }
    }

    static func one(
        _ diary: borrowing Diary, _ id: Identifier, status: Int = 200
    ) throws -> APIAnswer {
        _ = try diary.require(Meal.self, id)
        guard let detail = try diary.meal(id) else { throw APIProblem.failed() }
        return APIAnswer(status: status, content: .compact(try json(detail, diary)))
    }

    private static func json(_ detail: MealDetail, _ diary: borrowing Diary) throws -> JSON {
        let (meal, profile) = (detail.meal, try diary.profile())
        let score = try profile.dietType.flatMap {
            try diary.dietScore(ofMeal: meal.id, for: $0, shares: profile.customMacroShares)
        }
        return .object(
            [
                JSON.Member("id", .id(meal.id)), JSON.Member("name", .string(detail.title)),
                JSON.Member("date", .day(meal.localDate.day)),
                JSON.Member("createdAt", .instant(meal.localDate.occurredAt)),
                JSON.Member("isConsumed", .bool(meal.isConsumed)),
                JSON.Member("consumedAt", .instant(meal.consumedAt)),
                JSON.Member("dietScore", .optional(score?.score.score.map { Int64($0) })),
                JSON.Member("dietScoreExplanation", .strings(score?.score.explanation ?? [])),
                JSON.Member("customNotes", .optional(meal.note)),
                JSON.Member("tags", .strings(meal.tags)),
                JSON.Member(
                    "items",
                    .array(
                        detail.items.map { item in
                            .object(
                                [
                                    JSON.Member("id", .id(item.id)),
                                    JSON.Member("name", .string(item.name ?? "")),
                                ] + members { item.nutrients[$0] })
                        })),
            ] + members { detail.totals[$0] })
    }

    private static func members(_ amount: (Nutrient) -> Int64?) -> [JSON.Member] {
        [
            JSON.Member("calories", .orZero(amount(.energy))),
            JSON.Member("protein", .orZero(amount(.protein))),
            JSON.Member("carbs", .orZero(amount(.carbs))),
            JSON.Member("fat", .orZero(amount(.fat))),
        ]
    }

    // MARK: Metrics

    private static let days = APIParameter(
        "days", .integer(1...3_660), "How many days, up to today; 30 otherwise.", example: "30")

    private static let metrics = [
        APIRoute(
            "POST", "/api/metrics/weight", "NutritionAI: the weight of a day, one for each day.",
            body: .object([
                Schema.Member("weight", .number(4_410...650_000, scale: 3), isRequired: true),
                Schema.Member("unit", .nullable(.choice(["kg", "lb", "lbs"]))),
                Schema.Member("date", .nullable(.date)),
                Schema.Member("notes", .nullable(.plain(0...4_000, lines: true))),
            ]), answers: [.init(201, .weightEntry)],
            example: ["weight": .number("80.2"), "unit": "kg", "date": "2026-11-20"],
            ignoresUnknown: true, .write { try addWeight(&$0, $1) }),
        APIRoute(
            "GET", "/api/metrics/weight", "NutritionAI: the weights of the last days.",
            query: [days], answers: [.init(200, .report("entries: [weight_entry]"))],
            ignoresUnknown: true,
            .read { diary, call in
                let all = try diary.weighIns(on: try span(diary, call))
                return APIAnswer(content: .compact(["entries": .array(all.map { json($0) })]))
            }),
        APIRoute(
            "POST", "/api/metrics/ketones", "NutritionAI: the ketones of a day, one for each day.",
            body: .object([
                Schema.Member("ketoneLevel", .number(0...30_000, scale: 3), isRequired: true),
                Schema.Member("date", .nullable(.date)),
                Schema.Member("notes", .nullable(.plain(0...4_000, lines: true))),
            ]), answers: [.init(201, .ketoneEntry)],
            example: ["ketoneLevel": .number("0.6"), "date": "2026-11-20"], ignoresUnknown: true,
            .write { try addKetone(&$0, $1) }),
        APIRoute(
            "GET", "/api/metrics/ketones", "NutritionAI: the ketones of the last days.",
            query: [days], answers: [.init(200, .report("entries: [ketone_entry]"))],
            ignoresUnknown: true,
            .read { diary, call in
                let all = try diary.entities(Ketone.self, on: try span(diary, call))
                return APIAnswer(content: .compact(["entries": .array(all.map { json($0) })]))
            }),
    ]

    private static func span(_ diary: borrowing Diary, _ call: APICall) throws -> ClosedRange<Day> {
        let today = try diary.today()
        return today.advanced(by: 1 - Int(call.integer("days") ?? 30))...today
    }

    private static func addWeight(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let number = call.body.milli("weight") ?? 0
        let isPounds = ["lb", "lbs"].contains(call.body["unit"]?.string ?? "kg")
        let grams = isPounds ? Rounding.scaled(number, by: 45_359_237, over: 100_000_000) : number
        let date = try diary.date(on: try call.bodyDay("date"))
        var weighIn = WeighIn(id: Identities.weighIn(on: date.day), on: date, grams: grams)
        weighIn.note = call.body["notes"]?.string
        try diary.put(weighIn)
        return APIAnswer(status: 201, content: .compact(json(weighIn)))
    }

    private static func json(_ weighIn: WeighIn) -> JSON {
        [
            "id": .id(weighIn.id), "date": .day(weighIn.localDate.day),
            "weight": .decimal(weighIn.grams, scale: 3), "unit": "kg",
            "notes": .optional(weighIn.note),
        ]
    }

    private static func addKetone(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let date = try diary.date(on: try call.bodyDay("date"))
        var ketone = Ketone(
            id: Identities.ketone(on: date.day), on: date,
            micromoles: call.body.milli("ketoneLevel") ?? 0)
        ketone.note = call.body["notes"]?.string
        try diary.put(ketone)
        return APIAnswer(status: 201, content: .compact(json(ketone)))
    }

    private static func json(_ ketone: Ketone) -> JSON {
        [
            "id": .id(ketone.id), "date": .day(ketone.localDate.day),
            "ketoneLevel": .decimal(ketone.micromoles, scale: 3),
            "inKetosis": .bool(ketone.isInKetosis ?? false), "notes": .optional(ketone.note),
        ]
    }

    // MARK: Trends

    private static let trends = APIRoute(
        "GET", "/api/trends", "NutritionAI: averages of what was eaten, and the diet's scores.",
        query: [
            APIParameter(
                "period", .choice(["7d", "30d"]), "7d otherwise.", example: "7d")
        ], answers: [.init(200, trendForm)], ignoresUnknown: true,
        .read { diary, call in
            let count = call.text("period") == "30d" ? 30 : 7
            let today = try diary.today()
            let span = today.advanced(by: 1 - count)...today
            let stats = try diary.statsReport(over: span)
            let logged = stats.days.filter { $0.isLogged && span.contains($0.day) }
            func mean(_ nutrient: Nutrient) -> JSON {
                let sum = logged.reduce(Int64(0)) { $0 + ($1.totals[nutrient] ?? 0) }
                return logged.isEmpty
                    ? .null
                    : .decimal(Rounding.scaled(sum, by: 1, over: Int64(logged.count)), scale: 3)
            }
            let scores = try SummaryRoutes.trends(diary, count)["diet_scores"]
            return APIAnswer(
                content: .compact([
                    "period": .string("\(count)d"), "daysLogged": .integer(Int64(logged.count)),
                    "averageCalories": mean(.energy), "averageProtein": mean(.protein),
                    "averageCarbs": mean(.carbs), "averageFat": mean(.fat),
                    "dietScores": scores ?? .null,
                ]))
        })
}
