/// The face of FitAI: its tables as resources, `/users`, `/goals`, `/daily-summaries`, `/weights`; `/food-entries` and
/// `/photos` stand apart.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologService

enum FitAIRoutes {
    private static let userForm = Schema.report(
        """
        id: id, email: text?, name: text?, current_weight: number?, target_weight: number?, height: number?,
        date_of_birth: date?, activity_level: text?, created_at: time?, updated_at: time?
        """)
    private static let goalForm = Schema.report(
        """
        id: id, daily_calorie_goal: number?, daily_protein_goal: number?, daily_carb_goal: number?,
        daily_fat_goal: number?, calorie_deficit_goal: number?, calorie_surplus_goal: number?,
        is_active: flag, start_date: date
        """)
    private static let dailyForm = Schema.report(
        """
        date: date, total_calories: number, total_protein: number, total_carbs: number,
        total_fat: number, goal_achieved: flag?, calories_remaining: number?
        """)
    private static let weightForm = Schema.report(
        """
        id: id, date: date, weight: number, notes: text?
        """)

    static let all = users + goals + FitAIEntries.all + summaries + weights

    // MARK: Users

    private static let users = [
        APIRoute(
            "GET", "/users", "FitAI: the person who asks.", answers: [.init(200, userForm)],
            ignoresUnknown: true, .person(isWrite: false) { try user($0, $1) }),
        APIRoute(
            "PUT", "/users", "FitAI: changes the person who asks.",
            body: .object([
                Schema.Member("name", .nullable(.plain(1...80))),
                Schema.Member(
                    "current_weight", .nullable(weight), "Another one is a weigh-in of today."),
                Schema.Member("target_weight", .nullable(weight)),
                Schema.Member("height", .nullable(.number(500...2_800, scale: 1))),
                Schema.Member("date_of_birth", .nullable(.date)),
                Schema.Member("activity_level", .nullable(.plain(1...40))),
            ]), answers: [.init(200, userForm)],
            example: ["name": "Ana", "height": 172, "target_weight": 72], ignoresUnknown: true,
            .person(isWrite: true) { person, call in
                let names = [
                    "name": "name", "target_weight_kg": "target_weight", "height_cm": "height",
                    "birth_date": "date_of_birth", "weight_kg": "current_weight",
                ]
                try call.naming(names) { try person.write { try changeUser(&$0, call) } }
                return try user(person, call)
            }),
    ]

    private static let weight = Schema.number(2_000...650_000, scale: 3)

    private static func changeUser(_ diary: inout Diary, _ call: APICall) throws {
        var profile = try diary.profile()
        if let name = call.body["name"] { profile.displayName = name.string }
        if let target = call.body["target_weight"] { profile.targetWeightGrams = target.scaled(3) }
        if let height = call.body["height"] { profile.heightMillimeters = height.scaled(1) }
        if call.body["date_of_birth"] != nil {
            profile.birthDate = try call.bodyDay("date_of_birth")
        }
        if let level = call.body["activity_level"] {
            profile.activityLevel = try level.string.map { try activityLevel($0) }
        }
        try diary.saveChange(profile, of: try diary.profile())
        let last = try diary.currentWeight()
        guard let grams = call.body.milli("current_weight"), grams != last?.grams else { return }
        let today = try diary.today()
        try diary.keepWeight(grams, on: max(today, last?.localDate.day ?? today), note: nil)
    }

    /// The level of the words that apps have for it.
    private static func activityLevel(_ text: String) throws -> ActivityLevel {
        let words = asciiLowercased(text).split { " _-".contains($0) }.joined(separator: " ")
        switch words {
        case "sedentary", "inactive": return .sedentary
        case "light", "lightly active": return .light
        case "moderate", "moderately active": return .moderate
        case "active", "very active": return .active
        case "athlete", "extra active", "extremely active": return .athlete
        default:
            throw APIProblem.invalid(
                "/activity_level",
                "activity_level must be one of sedentary, light, moderate, active, athlete.")
        }
    }

    private static func user(_ person: Person, _ call: APICall) throws -> APIAnswer {
        guard let caller = call.caller else { throw APIProblem.failed() }
        let account = try person.server.account(of: caller)
        return try person.read { diary in
            let profile = try diary.profile()
            let weighIn = try diary.currentWeight()
            let changed = try diary.recordedTimes(
                of: [EntityKey(Kind.profile.name, profile.id)]
                    + (weighIn.map { [EntityKey(Kind.weighIn.name, $0.id)] } ?? []))
            let times = [account?.created, changed?.upperBound].compactMap { $0 }
            return APIAnswer(
                content: .compact([
                    "id": .id(caller.account), "email": .optional(account?.email),
                    "name": .optional(profile.displayName),
                    "current_weight": weighIn.map { .decimal($0.grams, scale: 3) } ?? .null,
                    "target_weight": profile.targetWeightGrams.map { .decimal($0, scale: 3) }
                        ?? .null,
                    "height": profile.heightMillimeters.map { .decimal($0, scale: 1) } ?? .null,
                    "date_of_birth": profile.birthDate.map { .day($0) } ?? .null,
                    "activity_level": .optional(profile.activityLevel?.name.string),
                    "created_at": .instant(account?.created), "updated_at": .instant(times.max()),
                ]))
        }
    }

    // MARK: Goals

    private static let goal = Schema.object([
        Schema.Member("daily_calorie_goal", .number(0...20_000, scale: 0), isRequired: true),
        Schema.Member("daily_protein_goal", .number(0...2_000, scale: 0)),
        Schema.Member("daily_carb_goal", .number(0...2_000, scale: 0)),
        Schema.Member("daily_fat_goal", .number(0...2_000, scale: 0)),
        Schema.Member("calorie_deficit_goal", .nullable(.number(0...3_000, scale: 0))),
        Schema.Member("calorie_surplus_goal", .nullable(.number(0...3_000, scale: 0))),
        Schema.Member("start_date", .nullable(.date), "The first day; today otherwise."),
    ])

    private static let goals = [
        APIRoute(
            "GET", "/goals", "FitAI: the goals; the one that counts today is active.",
            answers: [.init(200, .every(goalForm))], ignoresUnknown: true,
            .read { diary, _ in
                let all = try diary.goalPlans().map { try json($0, diary) }
                return APIAnswer(content: .compact(.array(all)))
            }),
        APIRoute(
            "POST", "/goals", "FitAI: begins a goal, today or on another day.", body: goal,
            answers: [.init(201, goalForm)],
            example: [
                "daily_calorie_goal": 2_100, "daily_protein_goal": 120, "daily_carb_goal": 230,
                "daily_fat_goal": 70, "calorie_deficit_goal": 300, "start_date": "2026-11-02",
            ], ignoresUnknown: true, .write { try addGoal(&$0, $1) }),
        APIRoute(
            "GET", "/goals/{id}", "FitAI: a goal.", answers: [.init(200, goalForm)],
            problems: [.deleted], ignoresUnknown: true,
            .read { diary, call in
                let plan = try diary.found(GoalPlan.self, call)
                return APIAnswer(content: .compact(try json(plan, diary)))
            }),
        APIRoute(
            "PUT", "/goals/{id}", "FitAI: changes a goal.", body: goal.asPatch,
            answers: [.init(200, goalForm)], example: ["daily_calorie_goal": 2_000],
            ignoresUnknown: true, .write { try changeGoal(&$0, $1) }),
        APIRoute(
            "DELETE", "/goals/{id}", "FitAI: deletes a goal.", answers: [.init(204)],
            ignoresUnknown: true,
            .write { diary, call in
                try diary.delete(GoalPlan.self, call.id())
                return .nothing
            }),
    ]

    private static func addGoal(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        func whole(_ key: String) -> Int64? { call.body[key]?.scaled(0).map { $0 * 1_000 } }
        let adjustment = try Self.adjustment(
            call.body["calorie_deficit_goal"], call.body["calorie_surplus_goal"])
        let id = try diary.create(.goalPlan, call) { diary, id in
            let day = if let day = try call.bodyDay("start_date") { day } else { try diary.today() }
            var plan = GoalPlan(id: id, startDate: day)
            try requireFree(day, for: plan, diary)
            plan.energyMillikilocalories = whole("daily_calorie_goal")
            plan.proteinMilligrams = whole("daily_protein_goal")
            plan.carbsMilligrams = whole("daily_carb_goal")
            plan.fatMilligrams = whole("daily_fat_goal")
            plan.energyAdjustMillikilocalories = adjustment
            return .add(plan, today: try diary.today())
        }
        let plan = try diary.require(GoalPlan.self, id)
        return APIAnswer(status: 201, content: .compact(try json(plan, diary)))
    }

    /// What is sent as it is shown is no change; a number that the plan would compute makes it a plan of numbers.
    private static func changeGoal(_ diary: inout Diary, _ call: APICall) throws -> APIAnswer {
        let old = try diary.found(GoalPlan.self, call)
        let shown = try json(old, diary)
        func isChanged(_ key: String) -> Bool {
            call.body[key].map { $0.scaled(0) != shown[key]?.scaled(0) } ?? false
        }
        func whole(_ key: String) -> Int64? {
            (call.body[key] ?? shown[key])?.scaled(0).map { $0 * 1_000 }
        }
        var plan = old
        let numbers = [
            "daily_calorie_goal", "daily_protein_goal", "daily_carb_goal", "daily_fat_goal",
        ]
        let changed = numbers.filter(isChanged)
        if !changed.isEmpty { plan.stateNumbers(macros: changed != ["daily_calorie_goal"]) }
        // A plan that has computed its numbers states all of them from now on.
        for key in plan.mode == old.mode ? changed : numbers {
            switch key {
            case "daily_protein_goal": plan.proteinMilligrams = whole(key)
            case "daily_carb_goal": plan.carbsMilligrams = whole(key)
            case "daily_fat_goal": plan.fatMilligrams = whole(key)
            default: plan.energyMillikilocalories = whole(key)
            }
        }
        if isChanged("calorie_deficit_goal") || isChanged("calorie_surplus_goal") {
            let body = call.body
            plan.energyAdjustMillikilocalories = try adjustment(
                body["calorie_deficit_goal"] ?? shown["calorie_deficit_goal"],
                body["calorie_surplus_goal"] ?? shown["calorie_surplus_goal"])
            plan.energyAdjustBasisPoints = nil
        }
        if let day = try call.bodyDay("start_date"), day != plan.startDate {
            try requireFree(day, for: plan, diary)
            plan.startDate = day
        }
        try diary.saveChange(plan, of: old)
        return APIAnswer(content: .compact(try json(plan, diary)))
    }

    /// A deficit as a negative number, or a surplus.
    private static func adjustment(_ deficit: JSON?, _ surplus: JSON?) throws -> Int64? {
        let (less, more) = (deficit?.scaled(0), surplus?.scaled(0))
        guard less == nil || more == nil else {
            throw APIProblem.invalid(
                "/calorie_surplus_goal", "Send a deficit or a surplus, not both.")
        }
        return (less.map { -$0 } ?? more).map { $0 * 1_000 }
    }

    private static func requireFree(
        _ day: Day, for plan: GoalPlan, _ diary: borrowing Diary
    ) throws {
        let other = try diary.goalPlans().first { $0.startDate == day && $0.id != plan.id }
        guard let other else { return }
        throw APIProblem(
            .conflict, "Another goal begins on \(day): change it, PUT /goals/\(other.id).")
    }

    private static func json(_ plan: GoalPlan, _ diary: borrowing Diary) throws -> JSON {
        let today = try diary.today()
        let isActive = GoalPlan.inForce(on: today, among: try diary.goalPlans())?.id == plan.id
        var targets: DayTargets?
        if (plan.mode ?? .fixed) != .fixed {
            // What is computed differs from day to day.
            let report = try diary.targets(on: isActive ? today : plan.startDate)
            if report.plan?.id == plan.id { targets = report.targets }
        }
        func whole(_ stated: Int64?, _ nutrient: Nutrient) -> JSON {
            (stated ?? targets?[nutrient]?.amount).map { .rounded($0) } ?? .null
        }
        func positive(_ amount: Int64?) -> JSON {
            amount.flatMap { $0 > 0 ? .rounded($0) : nil } ?? .null
        }
        let adjust = plan.energyAdjustMillikilocalories
        return [
            "id": .id(plan.id),
            "daily_calorie_goal": whole(plan.energyMillikilocalories, .energy),
            "daily_protein_goal": whole(plan.proteinMilligrams, .protein),
            "daily_carb_goal": whole(plan.carbsMilligrams, .carbs),
            "daily_fat_goal": whole(plan.fatMilligrams, .fat),
            "calorie_deficit_goal": positive(adjust.map { -$0 }),
            "calorie_surplus_goal": positive(adjust),
            "is_active": .bool(isActive), "start_date": .day(plan.startDate),
        ]
    }

    // MARK: Summaries and weights

    private static let summaries = [
        APIRoute(
            "GET", "/daily-summaries", "FitAI: sums and goals of some days, computed when asked.",
            query: [.from, .lastBegun], answers: [.init(200, .every(dailyForm))],
            ignoresUnknown: true,
            .read { diary, call in
                let days = try diary.statsReport(over: try diary.span(begunBy: call)).days
                return APIAnswer(content: .compact(.array(days.map { json($0) })))
            })
    ]

    private static func json(_ summary: DaySummary) -> JSON {
        let totals = summary.totals
        return [
            "date": .day(summary.day), "total_calories": .orZero(totals[.energy]),
            "total_protein": .orZero(totals[.protein]), "total_carbs": .orZero(totals[.carbs]),
            "total_fat": .orZero(totals[.fat]),
            "goal_achieved": isAchieved(summary).map { .bool($0) } ?? .null,
            "calories_remaining": summary.remaining(.energy).map { .decimal($0, scale: 3) }
                ?? .null,
        ]
    }

    /// `nil` without a goal, without food, and while the day is not over.
    private static func isAchieved(_ summary: DaySummary) -> Bool? {
        switch summary.goalStatus {
        case .achieved: true
        case .missed: false
        case .noData, .inProgress, nil: nil
        }
    }

    private static let weights = [
        APIRoute(
            "GET", "/weights", "FitAI: the weigh-ins of some days.", query: [.from, .lastBegun],
            answers: [.init(200, .every(weightForm))], ignoresUnknown: true,
            .read { diary, call in
                let all = try diary.weighIns(on: try diary.span(begunBy: call))
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
