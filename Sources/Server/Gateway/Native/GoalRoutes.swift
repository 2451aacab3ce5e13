/// `/api/v1/goals`, `targets`, `plans`, `reminders`, `profile`: what a person aims at, and what the formulas
/// know.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition

enum GoalRoutes {
    private static let targetsForm = Schema.report(
        """
        day: date, goal: goals_of_day, derivation: [text], assumptions: [text], warnings: [text],
        missing: text?, movement: movement, expenditure: expenditure?, expenditure_missing: text?
        """)

    static let all = targets + goals + plans + reminders + settings

    private static let date = APIParameter(
        "date", .day, "The day; today otherwise.", example: "2026-11-20")

    private static func day(_ call: APICall, _ diary: borrowing Diary) throws -> Day {
        if let day = call.day("date") { day } else { try diary.today() }
    }

    private static let targets = [
        APIRoute(
            "GET", "/api/v1/targets", "The targets of a day, with their arithmetic.",
            query: [date],
            answers: [.init(200, targetsForm)],
            .read { diary, call in
                let day = try day(call, diary)
                return .entity(
                    GoalJSON.report(
                        try diary.targets(on: day), on: day, in: try diary.preferences()))
            }),
        APIRoute(
            "GET", "/api/v1/goal", "The goals of a day, and the plan they are from.", query: [date],
            answers: [.init(200, .goalsOfDay)],
            .read { diary, call in
                try goal(of: try day(call, diary), diary)
            }),
    ]

    static func goal(of day: Day, _ diary: borrowing Diary) throws -> APIAnswer {
        let found = try diary.targets(on: day)
        return .entity(
            GoalJSON.targets(found.targets, of: found.plan, on: day, in: try diary.preferences()))
    }

    private static let goals = Resource<GoalPlan>(
        name: "goals", plural: "goal plans, each from its first day on",
        example: ["from": "2026-11-01", "energy_kcal": 2_100, "protein_g": 120],
        change: ["energy_kcal": 2_000],
        check: { plan, old, diary in
            guard plan.startDate != old?.startDate,
                let other = try diary.goalPlans().first(where: {
                    $0.startDate == plan.startDate && $0.id != plan.id
                })
            else { return }
            throw APIProblem(
                .conflict,
                "Another goal begins on \(plan.startDate): change it, /api/v1/goals/\(other.id).")
        }, json: { plan, _ in plan.json }
    ).listedRoutes { try $0.goalPlans() }

    private static let plans =
        Resource<PlanEntry>(
            name: "plans", plural: "planned meals",
            example: ["day": "2026-11-21", "slot": "dinner", "name": "Pizza"],
            change: ["slot": "lunch"], json: { try $1.planLine(of: $0).json }
        ).datedRoutes() + [
            APIRoute(
                "POST", "/api/v1/plans/{id}/done", "Makes the meal of a plan, once, as eaten.",
                answers: [.init(200, .meal)],
                .write { diary, call in
                    let plan = try diary.found(PlanEntry.self, call)
                    try call.requireMatch(try diary.planLine(of: plan).json)
                    let made = try diary.perform(plan.id)
                    return .entity(try MealRoutes.json(diary, made.meal))
                })
        ]

    private static let reminders = Resource<Reminder>(
        name: "reminders", plural: "reminders", example: ["kind": "weight", "time": "07:00"],
        change: ["enabled": false], json: { reminder, _ in reminder.json }
    ).listedRoutes()

    private static let settings =
        single("profile", Profile.kind, change: ["height_cm": 172]) { try $0.profile() }
        + single("preferences", Preferences.kind, change: ["zone": "Europe/Zurich"]) {
            try $0.preferences()
        }

    /// The routes of what there is one of.
    private static func single<E: Entity>(
        _ name: String, _ kind: Kind, change: JSON,
        read: @escaping @Sendable (borrowing Diary) throws -> E
    ) -> [APIRoute] {
        let path = PathPattern("/api/v1/\(name)")
        return [
            APIRoute(
                "GET", path, "Shows what is set in the \(kind.title).",
                answers: [.init(200, .settings(kind))],
                .read { diary, _ in .entity(fields(try read(diary))) }),
            APIRoute(
                "PATCH", path, "Changes the members that are sent; null clears one.",
                body: Schema.entity(kind).asPatch, answers: [.init(200, .settings(kind))],
                example: change,
                .write { diary, call in
                    let old = try read(diary)
                    try call.requireMatch(fields(old))
                    try EntityInput.requireZone(call.body["zone"])
                    try diary.saveChange(try diary.changed(old, by: call.body), of: old)
                    return .entity(fields(try read(diary)))
                }),
        ]
    }

    private static func fields(_ entity: some Entity) -> JSON {
        FieldJSON.object(entity.fields, in: type(of: entity).kind.name)
    }
}
