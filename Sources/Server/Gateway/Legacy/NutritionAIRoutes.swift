/// The face of NutritionAI: `/api/users/profile`, `/api/meals`, `/api/trends`; `/api/metrics` stands apart.
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

    static let all = profile + meals + NutritionAIMetrics.all + [trends]

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
        let profile = try diary.profile()
        let diet = profile.dietType.flatMap { type in diets.first { $0.ours == type }?.theirs }
        let last = try diary.lastDay()
        let weight = try diary.currentWeight()
        let month = last.advanced(by: -30)...last
        let ketone = try diary.entities(Ketone.self, on: month).last
        return APIAnswer(
            content: .compact([
                "displayName": .optional(profile.displayName), "dietPreference": .optional(diet),
                "dailyCalorieGoal": try goal(diary) ?? .null,
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
        if let goal = call.body["dailyCalorieGoal"] { try setGoal(goal.scaled(0), &diary) }
        return try shown(diary)
    }

    /// Changes the plan that begins today, or begins one that keeps the other goals. A goal as it is shown changes
    /// nothing.
    ///
    /// - Parameter kilocalories: `nil` for none.
    private static func setGoal(_ kilocalories: Int64?, _ diary: inout Diary) throws {
        let today = try diary.today()
        let (current, shown) = (try diary.targets(on: today).plan, try goal(diary))
        let targets = try diary.targets(on: today).targets
        guard kilocalories != shown?.scaled(0) else { return }
        var plan = GoalPlan(id: diary.newID(), startDate: today)
        if let current, current.startDate == today {
            plan = current
        } else if let current {
            plan.take(over: current)
        }
        let mode = plan.mode
        plan.stateNumbers(macros: false)
        if plan.mode != mode {
            // What the plan has computed of the other goals stays.
            plan.proteinMilligrams = targets?[.protein]?.amount
            plan.carbsMilligrams = targets?[.carbs]?.amount
            plan.fatMilligrams = targets?[.fat]?.amount
        }
        plan.energyMillikilocalories = kilocalories.map { $0 * 1_000 }
        // The app knows one goal for all days.
        if var weekdays = plan.weekdayGoals {
            for weekday in 1...7 { weekdays[weekday, "energy_mkcal"] = nil }
            plan.weekdayGoals = weekdays.map.entries.isEmpty ? nil : weekdays
        }
        try diary.save(plan)
    }

    /// The energy of today's goal.
    private static func goal(_ diary: borrowing Diary) throws -> JSON? {
        let targets = try diary.targets(on: try diary.today()).targets
        return targets?[.energy].map { .rounded($0.amount) }
    }

    // MARK: Meals

    private static let item = Schema.object(
        [
            Schema.Member("id", .nullable(.id), "Of an item that is there already."),
            Schema.Member("name", .plain(0...200), "Of a new one it is needed."),
            Schema.Member("portion", .nullable(.plain(0...100)), "Such as 200 g or 2 slices."),
        ] + amounts, title: "food item")

    private static let amounts = [
        Schema.Member("calories", .kilocalories), Schema.Member("protein", .grams),
        Schema.Member("carbs", .grams), Schema.Member("fat", .grams),
    ]

    private static let meals = [
        APIRoute(
            "GET", "/api/meals", "NutritionAI: the meals of some days, by day and time.",
            query: [
                .from, .lastBegun, .limit, .cursor,
                APIParameter(
                    "consumed", .choice(["true", "false"]),
                    "Only those that were eaten, or were not.",
                    example: "false"),
            ],
            answers: [.init(200, .report("meals: [eaten_meal]"))],
            ignoresUnknown: true,
            .read { diary, call in
                let isWanted = call.text("consumed").map { $0 == "true" }
                let all = try diary.meals(on: try diary.span(begunBy: call)).filter {
                    isWanted == nil || $0.meal.isConsumed == isWanted
                }
                return try Page(call, of: all) {
                    PageKey($0.meal.localDate.day, $0.meal.localDate.occurredAt, $0.meal.id)
                }.answer(as: { .compact(["meals": $0]) }) { try json($0, diary) }
            }),
        APIRoute(
            "GET", "/api/meals/{id}", "NutritionAI: a meal.", answers: [.init(200, .eatenMeal)],
            problems: [.deleted], ignoresUnknown: true, .read { try one($0, $1.id()) }),
        APIRoute(
            "PUT", "/api/meals/{id}", "NutritionAI: changes a meal's name, notes, tags and items.",
            body: .object(
                [
                    Schema.Member("name", .plain(0...200)),
                    Schema.Member("customNotes", .nullable(.plain(0...4_000, lines: true))),
                    Schema.Member("tags", .list(.plain(1...50), countMax: 50)),
                    Schema.Member("items", .list(item, countMax: 100)),
                ] + amounts), answers: [.init(200, .eatenMeal)], problems: [.deleted],
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

    /// Items that are sent take the place of what was there: one of the same id, or else name, is changed.
    private static func changeMeal(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let old = try diary.found(Meal.self, call)
        guard let detail = try diary.meal(old.id) else { throw APIProblem.failed() }
        var meal = old
        if let name = call.body["name"]?.string, name != detail.title { meal.dishName = name }
        if let note = call.body["customNotes"] { meal.note = note.string }
        if let tags = call.body["tags"]?.array {
            meal.tags = tags.compactMap { $0.string }.reduce(into: []) { tags, tag in
                if !tags.contains(tag) { tags.append(tag) }
            }
        }
        let items = call.body["items"]?.array
        if let items, try replaceItems(of: detail, with: items, in: &diary) {
            meal.nutrients = Nutrients()
        }
        try diary.saveChange(meal, of: old)
        if items?.isEmpty ?? true, let now = try diary.meal(meal.id) {
            try diary.saveSums(
                Nutrients(call.body), of: now,
                orRefuse: .invalid("", "This meal has several items; send items."))
        }
        return try one(diary, meal.id)
    }

    /// - Returns: Whether that has changed any.
    private static func replaceItems(
        of detail: MealDetail, with bodies: [JSON], in diary: inout Diary
    ) throws -> Bool {
        let known = matches(bodies, among: detail.items)
        let isInPlace = known.map { $0?.id } == detail.items.map { $0.id }
        var isChanged = !isInPlace
        for (index, body) in bodies.enumerated() {
            let old = known[index]
            // An item without a name is shown with an empty one.
            let sent = body["name"]?.string.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
            guard let name = sent ?? old.map({ $0.name ?? "" }) else {
                throw APIProblem.invalid("/items/\(index)/name", "name is missing.")
            }
            var item = old ?? MealItem(id: diary.newID(), of: detail.meal.id, name: name)
            if name != item.name ?? "" { item.name = name }
            // 0 stands for what is unknown, too.
            for entry in Nutrients(body).entries
            where old == nil || entry.amount != old?[entry.nutrient] ?? 0 {
                item[entry.nutrient] = entry.amount
            }
            if let portion = body["portion"], portion.string != old?.amount?.servingSize {
                item.amount = try amount(portion.string ?? "", at: "/items/\(index)/portion")
            }
            if let old, item.fields != old.fields {
                item.isEditedByUser = true
                isChanged = true
            }
            if !isInPlace { item.position = ItemPlace.text(index) }
            try diary.save(item)
        }
        let kept = Set(known.compactMap { $0?.id })
        for item in detail.items where !kept.contains(item.id) {
            try diary.delete(MealItem.self, item.id)
        }
        return isChanged
    }

    /// The item that each body is of: the one of its id; of those that no id names, the first of its name.
    private static func matches(_ bodies: [JSON], among items: [MealItem]) -> [MealItem?] {
        var rest = items
        func take(_ isMatch: (MealItem) -> Bool) -> MealItem? {
            rest.firstIndex(where: isMatch).map { rest.remove(at: $0) }
        }
        let named = bodies.map { body in
            body["id"]?.string.flatMap { Identifier($0) }.flatMap { id in take { $0.id == id } }
        }
        return zip(bodies, named).map { body, item in
            item ?? body["name"]?.string.flatMap { name in take { $0.name == name } }
        }
    }

    private static func amount(_ portion: String, at pointer: String) throws -> Amount? {
        if portion.allSatisfy(\.isWhitespace) { return nil }
        guard let amount = Amount(servingSize: portion) else {
            throw APIProblem.invalid(
                pointer, "portion must be an amount such as 200 g, or text of up to 24 bytes.")
        }
        return amount
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
                                    JSON.Member("portion", .optional(item.amount?.servingSize)),
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
            let stats = try diary.stats(over: span)
            func mean(_ nutrient: Nutrient) -> JSON {
                stats.averages(of: nutrient).logged.map { .decimal($0.amount, scale: 3) } ?? .null
            }
            let scores = try SummaryRoutes.trends(diary, count)["diet_scores"]
            return APIAnswer(
                content: .compact([
                    "period": .string("\(count)d"), "daysLogged": .integer(Int64(stats.loggedDays)),
                    "averageCalories": mean(.energy), "averageProtein": mean(.protein),
                    "averageCarbs": mean(.carbs), "averageFat": mean(.fat),
                    "dietScores": scores ?? .null,
                ]))
        })
}
