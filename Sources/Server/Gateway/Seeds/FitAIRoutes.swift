/// The face of FitAI: its tables as resources, `/users`, `/goals`, `/food-entries`, `/daily-summaries`, `/weights`.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition

enum FitAIRoutes {
    private static let userForm = Schema.report(
        """
        id: id, name: text?, current_weight: number?, target_weight: number?, height: number?, date_of_birth: date?
        """)
    private static let goalForm = Schema.report(
        """
        id: id, daily_calorie_goal: number?, daily_protein_goal: number?, daily_carb_goal: number?,
        daily_fat_goal: number?, calorie_deficit_goal: number?, calorie_surplus_goal: number?,
        is_active: flag, start_date: date
        """)
    private static let entryForm = Schema.report(
        """
        id: id, date: date, meal_type: text?, food_name: text, calories: number, protein: number,
        carbs: number, fat: number, serving_size: text?, ai_analyzed: flag, notes: text?
        """)
    private static let dailyForm = Schema.report(
        """
        date: date, total_calories: number, total_protein: number, total_carbs: number,
        total_fat: number, goal_achieved: flag?, remaining_calories: number?
        """)
    private static let weightForm = Schema.report(
        """
        id: id, date: date, weight: number, notes: text?
        """)

    static let all = users + goals + entries + summaries + weights

    private static let date = APIParameter(
        "date", .day, "The day; today otherwise.", example: "2026-11-20")

    private static func day(_ call: APICall, _ diary: borrowing Diary) throws -> Day {
        if let day = call.day("date") { day } else { try diary.today() }
    }

    // MARK: Users

    private static let users = [
        APIRoute(
            "GET", "/users", "FitAI: the person who asks.", answers: [.init(200, userForm)],
            ignoresUnknown: true,
            .read { diary, _ in try user(diary) }),
        APIRoute(
            "PUT", "/users", "FitAI: changes the person who asks.",
            body: .object([
                Schema.Member("name", .nullable(.plain(1...80))),
                Schema.Member("target_weight", .nullable(.number(2_000...650_000, scale: 3))),
                Schema.Member("height", .nullable(.number(500...2_800, scale: 1))),
                Schema.Member("date_of_birth", .nullable(.date)),
            ]), answers: [.init(200, userForm)],
            example: ["name": "Ana", "height": 172, "target_weight": 72], ignoresUnknown: true,
            .write { diary, call in
                var profile = try diary.profile()
                if let name = call.body["name"] { profile.displayName = name.string }
                if let target = call.body["target_weight"] {
                    profile.targetWeightGrams = target.scaled(3)
                }
                if let height = call.body["height"] { profile.heightMillimeters = height.scaled(1) }
                if call.body["date_of_birth"] != nil {
                    profile.birthDate = try call.bodyDay("date_of_birth")
                }
                try diary.saveChange(profile, of: try diary.profile())
                return try user(diary)
            }),
    ]

    private static func user(_ diary: borrowing Diary) throws -> APIAnswer {
        let profile = try diary.profile()
        let weight = try diary.weightTrend(through: try diary.today()).points.last
        return APIAnswer(
            content: .compact([
                "id": .id(profile.id), "name": .optional(profile.displayName),
                "current_weight": weight.map { .decimal($0.grams, scale: 3) } ?? .null,
                "target_weight": profile.targetWeightGrams.map { .decimal($0, scale: 3) } ?? .null,
                "height": profile.heightMillimeters.map { .decimal($0, scale: 1) } ?? .null,
                "date_of_birth": profile.birthDate.map { .day($0) } ?? .null,
            ]))
    }

    // MARK: Goals

    private static let goals = [
        APIRoute(
            "GET", "/goals", "FitAI: the goals; the one that counts today is active.",
            answers: [.init(200, .every(goalForm))], ignoresUnknown: true,
            .read { diary, _ in
                let active = try diary.targets(on: try diary.today()).plan?.id
                let all = try diary.goalPlans().map { json($0, isActive: $0.id == active) }
                return APIAnswer(content: .compact(.array(all)))
            }),
        APIRoute(
            "POST", "/goals", "FitAI: begins a goal today, in place of the one before.",
            body: .object([
                Schema.Member(
                    "daily_calorie_goal", .number(0...20_000, scale: 0), isRequired: true),
                Schema.Member("daily_protein_goal", .number(0...2_000, scale: 0)),
                Schema.Member("daily_carb_goal", .number(0...2_000, scale: 0)),
                Schema.Member("daily_fat_goal", .number(0...2_000, scale: 0)),
                Schema.Member("calorie_deficit_goal", .nullable(.number(0...3_000, scale: 0))),
                Schema.Member("calorie_surplus_goal", .nullable(.number(0...3_000, scale: 0))),
            ]), answers: [.init(201, goalForm)],
            example: [
                "daily_calorie_goal": 2_100, "daily_protein_goal": 120, "daily_carb_goal": 230,
                "daily_fat_goal": 70, "calorie_deficit_goal": 300,
            ], ignoresUnknown: true, .write { try addGoal(&$0, $1) }),
    ]

    private static func addGoal(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        func whole(_ key: String) -> Int64? { call.body[key]?.scaled(0).map { $0 * 1_000 } }
        let (deficit, surplus) = (whole("calorie_deficit_goal"), whole("calorie_surplus_goal"))
        guard deficit == nil || surplus == nil else {
            throw APIProblem.invalid(
                "/calorie_surplus_goal", "Send a deficit or a surplus, not both.")
        }
        let id = try diary.create(.goalPlan, call) { diary, id in
            var plan = GoalPlan(id: id, startDate: try diary.today())
            plan.energyMillikilocalories = whole("daily_calorie_goal")
            plan.proteinMilligrams = whole("daily_protein_goal")
            plan.carbsMilligrams = whole("daily_carb_goal")
            plan.fatMilligrams = whole("daily_fat_goal")
            plan.energyAdjustMillikilocalories = deficit.map { -$0 } ?? surplus
            return .add(plan, today: try diary.today())
        }
        let plan = try diary.require(GoalPlan.self, id)
        return APIAnswer(status: 201, content: .compact(json(plan, isActive: true)))
    }

    private static func json(_ plan: GoalPlan, isActive: Bool) -> JSON {
        func whole(_ amount: Int64?) -> JSON { amount.map { .rounded($0) } ?? .null }
        let adjust = plan.energyAdjustMillikilocalories
        return [
            "id": .id(plan.id), "daily_calorie_goal": whole(plan.energyMillikilocalories),
            "daily_protein_goal": whole(plan.proteinMilligrams),
            "daily_carb_goal": whole(plan.carbsMilligrams),
            "daily_fat_goal": whole(plan.fatMilligrams),
            "calorie_deficit_goal": whole(adjust.flatMap { $0 < 0 ? -$0 : nil }),
            "calorie_surplus_goal": whole(adjust.flatMap { $0 > 0 ? $0 : nil }),
            "is_active": .bool(isActive), "start_date": .day(plan.startDate),
        ]
    }

    // MARK: Food entries

    private static let entry = Schema.object([
        Schema.Member("food_name", .plain(1...200), isRequired: true),
        Schema.Member("calories", .kilocalories, isRequired: true),
        Schema.Member("protein", .grams), Schema.Member("carbs", .grams),
        Schema.Member("fat", .grams),
        Schema.Member("date", .nullable(.date)),
        Schema.Member("meal_type", .nullable(.word)),
        Schema.Member("serving_size", .nullable(.plain(0...24))),
        Schema.Member("notes", .nullable(.plain(0...4_000, lines: true))),
    ])

    private static let entries = [
        APIRoute(
            "GET", "/food-entries", "FitAI: the foods of a day.", query: [date],
            answers: [.init(200, .every(entryForm))], ignoresUnknown: true,
            .read { diary, call in
                let meals = try diary.meals(on: try day(call, diary)).filter { $0.meal.isConsumed }
                return APIAnswer(content: .compact(.array(meals.map { json($0) })))
            }),
        APIRoute(
            "POST", "/food-entries", "FitAI: keeps one food, as eaten.", body: entry,
            answers: [.init(201, entryForm)],
            example: [
                "food_name": "Apple", "calories": 95, "protein": .number("0.5"), "carbs": 25,
                "fat": .number("0.3"), "date": "2026-11-20", "meal_type": "snack",
            ], ignoresUnknown: true, .write { try addEntry(&$0, $1) }),
        APIRoute(
            "PUT", "/food-entries/{id}", "FitAI: changes a food that was kept.",
            body: entry.asPatch, answers: [.init(200, entryForm)],
            problems: [.deleted], example: ["notes": "a large one"],
            ignoresUnknown: true, .write { try changeEntry(&$0, $1) }),
        APIRoute(
            "DELETE", "/food-entries/{id}", "FitAI: deletes a food that was kept.",
            answers: [.init(204)], ignoresUnknown: true,
            .write { diary, call in
                try diary.delete(Meal.self, call.id())
                return .nothing
            }),
    ]

    private static func addEntry(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let day = try call.bodyDay("date")
        let id = try diary.create(.meal, call) { diary, id in
            let date = try diary.date(on: day)
            let typed = call.body["meal_type"]?.string.map { UTF8Text($0) }
            let name = call.body["food_name"]?.string ?? ""
            let slot = if let typed { typed } else { try diary.slot(at: date) }
            var meal = Meal(id: id, on: date, dishName: name, slot: slot)
            meal.consumedAt = date.occurredAt
            meal.note = call.body["notes"]?.string
            let item = MealItem(
                id: call.idempotency?.part(0) ?? diary.newID(), of: id, name: name,
                amount: call.body["serving_size"].flatMap { serving($0) },
                nutrients: Nutrients(call.body))
            return .add(meal, items: [item], today: try diary.today())
        }
        guard let detail = try diary.meal(id) else { throw APIProblem.failed() }
        return APIAnswer(status: 201, content: .compact(json(detail)))
    }

    /// One serving of a size such as `large`; none of an empty one.
    private static func serving(_ size: JSON) -> Amount? {
        size.string.flatMap { $0.isEmpty ? nil : Amount(milli: 1_000, unit: UTF8Text($0)) }
    }

    private static func changeEntry(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        var meal = try diary.found(Meal.self, call)
        guard let detail = try diary.meal(meal.id) else { throw APIProblem.failed() }
        if let name = call.body["food_name"]?.string { meal.dishName = name }
        if let slot = call.body["meal_type"]?.string { meal.slot = UTF8Text(slot) }
        if let note = call.body["notes"] { meal.note = note.string }
        if let day = try call.bodyDay("date"), day != meal.localDate.day {
            meal.localDate = LocalDate(day: day)
            if meal.isConsumed { meal.consumedAt = meal.localDate.occurredAt }
        }
        try diary.save(meal)
        if var item = detail.items.first {
            let isOnly = detail.items.count == 1
            if isOnly, let name = call.body["food_name"]?.string { item.name = name }
            if isOnly, let serving = call.body["serving_size"] {
                item.amount = self.serving(serving)
            }
            // Of several parts, their sum is shown, and it alone does not say which of them has changed.
            for entry in Nutrients(call.body).entries
            where isOnly || (detail.totals[entry.nutrient] ?? 0) != entry.amount {
                guard isOnly else {
                    throw APIProblem.invalid(
                        "", "This food has several parts; change one by PATCH /api/v1/items/{id}.")
                }
                item[entry.nutrient] = entry.amount
            }
            try diary.saveChange(item, of: detail.items[0])
        }
        guard let now = try diary.meal(meal.id) else { throw APIProblem.failed() }
        return APIAnswer(content: .compact(json(now)))
    }

    private static func json(_ detail: MealDetail) -> JSON {
        let (meal, totals) = (detail.meal, detail.totals)
        return [
            "id": .id(meal.id), "date": .day(meal.localDate.day),
            "meal_type": .optional(meal.slot?.string), "food_name": .string(detail.title),
            "calories": .orZero(totals[.energy]), "protein": .orZero(totals[.protein]),
            "carbs": .orZero(totals[.carbs]), "fat": .orZero(totals[.fat]),
            "serving_size": .optional(detail.items.first?.amount?.unit.string),
            "ai_analyzed": .bool(meal.analysisID != nil), "notes": .optional(meal.note),
        ]
    }

    // MARK: Summaries and weights

    private static let summaries = [
        APIRoute(
            "GET", "/daily-summaries", "FitAI: sums and goals of some days, computed when asked.",
            query: [.from, .to], answers: [.init(200, .every(dailyForm))], ignoresUnknown: true,
            .read { diary, call in
                let days = try diary.statsReport(over: try diary.span(of: call)).days
                return APIAnswer(content: .compact(.array(days.map { json($0) })))
            })
    ]

    private static func json(_ summary: DaySummary) -> JSON {
        let totals = summary.totals
        let target = summary.targets?[.energy]?.amount
        return [
            "date": .day(summary.day), "total_calories": .orZero(totals[.energy]),
            "total_protein": .orZero(totals[.protein]), "total_carbs": .orZero(totals[.carbs]),
            "total_fat": .orZero(totals[.fat]),
            "goal_achieved": .bool(summary.goalStatus?.name == "achieved"),
            "remaining_calories": target.map { .decimal($0 - (totals[.energy] ?? 0), scale: 3) }
                ?? .null,
        ]
    }

    private static let weights = [
        APIRoute(
            "GET", "/weights", "FitAI: the weigh-ins of some days.", query: [.from, .to],
            answers: [.init(200, .every(weightForm))], ignoresUnknown: true,
            .read { diary, call in
                let all = try diary.weighIns(on: try diary.span(of: call))
                return APIAnswer(content: .compact(.array(all.map { json($0) })))
            }),
        APIRoute(
            "POST", "/weights", "FitAI: keeps a weight, in kilograms.",
            body: .object([
                Schema.Member("weight", .number(2_000...650_000, scale: 3), isRequired: true),
                Schema.Member("date", .nullable(.date)),
                Schema.Member("notes", .nullable(.plain(0...4_000, lines: true))),
            ]), answers: [.init(201, weightForm)], example: ["weight": .number("80.2")],
            ignoresUnknown: true,
            .write { diary, call in
                let day = try call.bodyDay("date")
                let id = try diary.create(.weighIn, call) { diary, id in
                    var weighIn = WeighIn(
                        id: id, on: try diary.date(on: day), grams: call.body.milli("weight") ?? 0)
                    weighIn.note = call.body["notes"]?.string
                    return .add(weighIn, today: try diary.today())
                }
                let weighIn = try diary.require(WeighIn.self, id)
                return APIAnswer(status: 201, content: .compact(json(weighIn)))
            }),
    ]

    private static func json(_ weighIn: WeighIn) -> JSON {
        [
            "id": .id(weighIn.id), "date": .day(weighIn.localDate.day),
            "weight": .decimal(weighIn.grams, scale: 3), "notes": .optional(weighIn.note),
        ]
    }
}
