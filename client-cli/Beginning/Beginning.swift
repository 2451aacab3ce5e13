import MacrologArgumentParsing
import Macrolog

/// What a person enters when they begin: how things are shown, who they are, a first weight and a
/// goal. All of it is recorded, and undone, as one group.
struct Beginning {
    static let weight = Parameter.option(
        "weight", .weight, "Your weight today: a first weigh-in.")
    static let training = Parameter.option(
        "training", .choice(MacroProfile.allCases.map { (word: $0.name, value: $0) }),
        "Your kind of training; sets protein per pound and the share of fat.")

    static let options =
        ProfileSettings.all.options + [weight.specification, training.specification]
        + PreferenceSettings.all.options + GoalOptions.all

    static func isAnythingTyped(_ arguments: ParsedArguments) -> Bool {
        ProfileSettings.all.contains { arguments.has($0.option) } || arguments.has(weight)
            || arguments.has(training)
            || PreferenceSettings.all.contains { arguments.has($0.option) }
            || GoalOptions.areTyped(arguments)
    }

    var preferences: Preferences
    var profile: Profile
    /// The first weigh-in, once a weight was given.
    var weighIn: WeighIn?
    /// The goal, once a part of it was given.
    var plan: GoalPlan?
    /// The day that is meant.
    let day: Day
    /// The last measured share of body fat, in basis points.
    let measuredFat: Int64?
    /// The last weigh-in.
    let lastWeighIn: WeighIn?
    /// The goal in force without this one.
    let planInForce: GoalPlan?

    /// The known values, changed by the arguments.
    init(_ arguments: ParsedArguments, _ home: inout Home) throws {
        preferences = try home.replica.read { try $0.preferences() }
        for setting in PreferenceSettings.all {
            try setting.apply(arguments, to: &preferences, preferences)
        }
        // "--weight-unit lb --weight 176" is in pounds, and "--zone Asia/Tokyo" says what day it is.
        home.assume(preferences)
        let day = try home.day
        self.day = day
        profile = try home.replica.read { try $0.profile() }
        measuredFat = try home.replica.read { try $0.bodyFat(upTo: day) }
        lastWeighIn = try home.read { try $0.weighIn(onOrBefore: day) }
        planInForce = GoalPlan.inForce(on: day, among: try home.replica.read { try $0.goalPlans() })
        for setting in ProfileSettings.all {
            try setting.apply(arguments, to: &profile, preferences)
        }
        arguments[Self.training]?.apply(to: &profile)
        if let typed = try home.value(Self.weight, arguments), let grams = typed {
            weighIn = WeighIn(id: try home.replica.newID(), on: try home.entryDate(), grams: grams)
        }
        if GoalOptions.areTyped(arguments) { plan = try GoalSet.plan(arguments, &home) }
    }

    /// Records the differences from the known values.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    func record(_ home: inout Home) throws -> Bool {
        let (isAnything, findings) = try home.replica.write { diary in
            var (isAnything, findings): (Bool, [Finding]) = (weighIn != nil, [])
            if try preferences != diary.preferences() {
                (isAnything, findings) = (true, findings + (try diary.save(preferences)))
            }
            if try profile != diary.profile() {
                (isAnything, findings) = (true, findings + (try diary.save(profile)))
            }
            if let weighIn { findings += try diary.add(weighIn) }
            if let plan, try plan != diary.entity(GoalPlan.self, plan.id) {
                (isAnything, findings) = (true, findings + (try diary.save(plan)))
            }
            return (isAnything, findings)
        }
        home.warn(findings)
        return isAnything
    }

    /// The bound that is violated.
    func hardFindings(today: Day) -> [Finding] {
        var all = preferences.findings(today: today) + profile.findings(today: today)
        if let weighIn { all += weighIn.findings(today: today) }
        if let plan { all += plan.findings(today: today) }
        return all.filter(\.isHard)
    }

    // MARK: What would follow

    var body: Body {
        var body = Body(profile, on: day, weighIn: weighIn ?? lastWeighIn)
        if let measuredFat { body.bodyFatBasisPoints = measuredFat }
        return body
    }

    /// The goal that would be in force.
    var goal: GoalPlan? { plan ?? planInForce }

    var targets: DayTargets? { goal?.targets(on: day, profile: profile, body: body) }

    var explanation: TargetExplanation? {
        goal.map {
            TargetExplanation(of: $0, on: day, profile: profile, body: body, in: preferences)
        }
    }

    var resting: RestingEnergy? {
        try? RestingEnergy.estimate(for: body, formula: profile.restingFormula ?? .auto)
    }

    var grams: Int64? { (weighIn ?? lastWeighIn)?.grams }
}
