import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// The goal plans that may be active, loaded once for many days.
struct PlansInForce {
    let plans: [GoalPlan]
    let profile: Profile?
    /// The trend of all weigh-ins, from which the estimates of an adaptive plan are computed.
    let trend: WeightTrend?
    /// The activity of the requested days, where a plan counts it.
    let movement: [Day: Movement]

    func targets(
        on day: Day, today: Day, allowsDefault: Bool = false, in store: inout Store
    ) throws(LogError) -> DayTargets? {
        guard let plan = GoalPlan.inForce(on: day, among: plans) else { return nil }
        guard plan.isComputed else { return plan.targets(on: day, profile: profile) }
        var body = Body()
        if let profile { body = try store.body(of: profile, on: day) }
        let active = movement[day]?.energy(of: body, formula: profile?.restingFormula)
        var expenditure: Int64?
        if plan.mode == .adaptive, let trend {
            let found = try store.expenditure(
                before: day, today: today, body: body, profile: profile, trend: trend)
            expenditure = try? found.get().millikilocalories
        }
        return plan.targets(
            on: day, profile: profile, body: body,
            activity: .measured(active?.activeMillikilocalories ?? 0), expenditure: expenditure,
            allowsDefault: allowsDefault)
    }
}

extension GoalPlan {
    /// Whether its targets follow from the body and its activity.
    fileprivate var isComputed: Bool { mode == .dynamic || mode == .adaptive }
}

/// Reading goals and what they depend on.
extension Store {
    /// The person's profile; only an id if nothing is known.
    package mutating func profile() throws(LogError) -> Profile {
        try entity(Profile.self, Identities.profile)
            ?? Profile(id: Identities.profile, fields: [:])
    }

    /// The person's preferences; defaults where nothing is recorded.
    package mutating func preferences() throws(LogError) -> Preferences {
        try entity(Preferences.self, Identities.preferences)
            ?? Preferences()
    }

    /// - Parameters:
    ///   - days: The days whose goals will be requested.
    ///   - instant: Milliseconds since 1970 UTC: activities that are known to begin later are left out.
    ///     `nil` for whole days.
    mutating func plansInForce(
        on days: ClosedRange<Day>, until instant: Int64? = nil
    ) throws(LogError) -> PlansInForce {
        let plans = try goalPlans()
        let trend = plans.contains { $0.mode == .adaptive } ? try weightTrend() : nil
        var movement = plans.contains(where: { $0.isComputed }) ? try movement(on: days) : [:]
        if let instant { movement = movement.mapValues { $0.begun(by: instant) } }
        return PlansInForce(
            plans: plans, profile: try profile(), trend: trend, movement: movement)
    }
}
