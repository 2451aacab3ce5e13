import Commands
import Macrolog

/// `goal set`: sets targets from a day on.
enum GoalSet {
    static let command = Verb(
        "goal set", "Set targets from a day on.",
        example: "goal set --kcal 2100 --p 120 --c 230 --f 70",
        "goal set --kcal 2000 --shares 30/40/30", "goal set --mode dynamic --aim cut",
        "goal set --kcal 2000 --weekday sat,sun=2400kcal",
        "goal set --mode adaptive --adjust -400 --date tomorrow",
        explanation: """
            The targets hold from today on, or from --date; days before keep theirs. Set twice on one
            day, they are changed. A goal in percent divides its energy. A dynamic one is computed
            from your profile, your last weigh-in and the day's activity; an adaptive one from what
            your body is estimated to use, as soon as enough is recorded (see `tdee`).
            """, run: run
    ) { GoalOptions.all }

    static func run(words: Words, home: inout Home) throws {
        guard GoalOptions.areTyped(words) else {
            throw words.refusal(
                of: NutrientOptions.kcal, "is missing", instead: "a target, such as --kcal 2100")
        }
        let plan = try plan(words, &home)
        home.warn(try home.replica.save(plan))
        try GoalShow.show(on: plan.startDate, &home)
    }

    /// The typed targets from the day meant on; the plan of that day where it has one.
    static func plan(_ words: Words, _ home: inout Home) throws -> GoalPlan {
        let day = try home.day
        let existing = try home.replica.goalPlans().last { $0.startDate == day }
        var plan = try existing ?? GoalPlan(id: home.replica.newID(), startDate: day)
        try GoalOptions.apply(to: &plan, words, &home)
        let mode = plan.mode ?? .fixed
        if let computed = plan.weekdayGoals?.computed(in: mode), !computed.isEmpty {
            throw words.refusal(
                of: GoalOptions.weekday,
                "states \(computed.spokenList), which a goal in mode \(mode.name) computes",
                instead: "--mode fixed beside it, or only what is not computed")
        }
        return plan
    }
}

extension Home {
    /// What would record an entity as it should be; `nil` when it is so already.
    mutating func saving<E: Entity>(_ entity: E) throws -> Action? {
        guard let stored = try replica.entity(E.self, entity.id) else {
            return entity.changes().isEmpty ? nil : .add(entity, today: try today)
        }
        return .edit(from: stored, to: entity, today: try today)
    }
}
