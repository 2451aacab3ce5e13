import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// `goal set`: sets targets from a day on.
enum GoalSet {
    static let command = Verb(
        "goal set", "Set goals from a day on.",
        example: "goal set --kcal 2100 --p 120 --c 230 --f 70",
        "goal set --kcal 2000 --shares 30/40/30", "goal set --mode dynamic --aim cut",
        "goal set --kcal 2000 --weekday sat,sun=2400kcal",
        "goal set --mode adaptive --adjust -400 --date tomorrow", "goal set --clear water",
        "goal set --burned 500kcal --steps 10000",
        explanation: """
            The goal applies from today on, or from --date; earlier days keep theirs. What you leave
            out is kept from the goal in force; --clear removes it. An --adjust or --aim replaces the
            one before; they are not added. A goal in percent divides its energy. A dynamic one is computed from your profile, your last weigh-in and the day's
            activity; an adaptive one from what your body is estimated to use, as soon as enough is
            recorded (see `tdee`). Numbers that such a goal computes make it a fixed one when typed.
            A day meets its goal when its energy does; where no energy is stated, when every target is met.
            Energy to burn and steps are shown as well and do not decide that.
            """, run: run
    ) { GoalOptions.all }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        guard GoalOptions.areTyped(arguments) else {
            throw arguments.usageError(
                of: NutrientOptions.kcal, "is missing", instead: "a target, such as --kcal 2100")
        }
        let old = try GoalPlan.inForce(
            on: home.day, among: home.replica.read { try $0.goalPlans() })
        let plan = try plan(arguments, &home)
        home.warn(try home.replica.write { try $0.save(plan) })
        try GoalShow.show(on: plan.startDate, &home)
        if let old { try tell(old, plan, arguments, &home) }
        let later = try home.replica.read { try $0.goalPlans() }.map(\.startDate)
            .filter { $0 > plan.startDate }.min()
        if let later {
            home.say(
                "It applies until \(later.advanced(by: -1)); then the goal of \(later) begins.")
        }
    }

    /// Reports which parts were kept from the previous goal, and which were not.
    private static func tell(
        _ old: GoalPlan, _ plan: GoalPlan, _ arguments: ParsedArguments, _ home: inout Home
    ) throws {
        let kept = GoalPart.kept(old, in: plan)
        if !kept.isEmpty {
            home.say(
                wrapped(
                    "Kept from the goal of \(old.startDate): \(GoalPart.listed(kept)).",
                    to: home.width))
        }
        let cleared = arguments[GoalOptions.clear].joined().map(\.word)
        let dropped = GoalPart.dropped(old, in: plan).filter { !cleared.contains($0) }
        if !dropped.isEmpty {
            home.say(
                wrapped("No longer stated: \(GoalPart.listed(dropped)).", to: home.width))
        }
    }

    /// The plan of a day: the one that begins on it, else a copy of the one in force.
    private static func plan(from day: Day, _ home: inout Home) throws -> GoalPlan {
        let plans = try home.replica.read { try $0.goalPlans() }
        let old = GoalPlan.inForce(on: day, among: plans)
        if let old, old.startDate == day { return old }
        var plan = GoalPlan(id: try home.replica.newID(), startDate: day)
        if let old { plan.take(over: old) }
        return plan
    }

    /// The goal from the given day on: the typed targets, and the other parts of the goal in force.
    static func plan(_ arguments: ParsedArguments, _ home: inout Home) throws -> GoalPlan {
        let day = try home.day
        var plan = try plan(from: day, &home)
        try GoalOptions.apply(to: &plan, arguments, &home)
        if !arguments.has(GoalOptions.weekday), let goals = plan.weekdayGoals,
            !goals.computed(in: plan.mode ?? .fixed).isEmpty
        {
            plan.weekdayGoals = nil
        }
        let mode = plan.mode ?? .fixed
        if let computed = plan.weekdayGoals?.computed(in: mode), !computed.isEmpty {
            throw arguments.usageError(
                of: GoalOptions.weekday,
                "states \(computed.formattedList), which a goal in mode \(mode.name) computes",
                instead: "--mode fixed beside it, or only what is not computed")
        }
        return plan
    }
}
