import MacrologLog
public import MacrologNutrition
import MacrologSQLite

/// A day's targets, why they are what they are, and what the body is estimated to use.
public struct TargetReading: Hashable, Sendable {
    /// The plan in force; `nil` where there is none.
    public let plan: GoalPlan?
    /// The goals; `nil` where no plan is in force.
    public let goals: DayGoals?
    /// The arithmetic behind the goals.
    public let explanation: TargetExplanation?
    /// The day's movement. Its active energy is part of the targets of a dynamic plan.
    public let movement: DayEnergy
    /// The estimate from intake and weight; `nil` without one.
    public let expenditure: Expenditure?
    /// Resting energy on that day; `nil` when too little is known of the body.
    public let resting: RestingEnergy?
    /// How much the person moves, as the equation takes it.
    public let activityLevel: ActivityLevel
    /// Why there is no estimate, and what to do about it.
    public let missing: String?

    /// What the equation alone gives for a day, in thousandths of a kilocalorie: resting energy times
    /// the multiplier of ``activityLevel``.
    public var equationMillikilocalories: Int64? {
        resting.map {
            Rounding.scaled(
                $0.millikilocalories, by: activityLevel.multiplierThousandths, over: 1_000)
        }
    }
}

/// Reading targets with their reasons.
extension Store {
    /// A day's targets and the arithmetic behind them.
    ///
    /// - Parameter allowsDefault: Whether 1,800 kcal stand in for a resting energy that can't be
    ///   computed; see ``GoalPlan/goals(on:profile:body:activity:expenditure:allowsDefault:)``.
    package mutating func targets(
        on day: Day, today: Day, allowsDefault: Bool = false
    ) throws -> TargetReading {
        let profile = try profile()
        let body = try body(of: profile, on: day)
        let movement = try movement(on: day)
        var expenditure: Expenditure?
        var missing: String?
        switch try self.expenditure(
            before: day, today: today, body: body, profile: profile, trend: try weightTrend())
        {
        case .success(let estimate): expenditure = estimate
        case .failure(let reason): missing = reason.description
        }
        let plan = GoalPlan.inForce(on: day, among: try goalPlans())
        return TargetReading(
            plan: plan,
            goals: try plansInForce(on: day...day).goals(
                on: day, today: today, allowsDefault: allowsDefault, in: &self),
            explanation: plan.map {
                TargetExplanation(
                    of: $0, on: day, profile: profile, body: body,
                    activity: .measured(movement.activeMillikilocalories),
                    expenditure: expenditure, allowsDefault: allowsDefault)
            }, movement: movement, expenditure: expenditure,
            resting: try? RestingEnergy.estimate(
                for: body, formula: profile.restingFormula ?? .auto),
            activityLevel: profile.activityLevel ?? .sedentary, missing: missing)
    }

    /// What the body uses in a day, estimated from the 28 days that end with the last finished one.
    mutating func expenditure(
        before day: Day, today: Day, body: Body, profile: Profile?, trend: WeightTrend
    ) throws -> Result<Expenditure, NoExpenditure> {
        let end = min(day, today).advanced(by: -1)
        let window = end.lastDays(Expenditure.windowDays)
        let logs = try dayLogs(on: window)
        let meals = try contributions(on: window)
        let intake = window.map { day in
            let energy = (meals[day] ?? []).filter(\.isConsumed)
                .reduce(Int64(0)) { Rounding.sum($0, $1.totals[.energy] ?? 0) }
            return Expenditure.Intake(
                day: day, millikilocalories: energy, isComplete: logs[day]?.status == .complete)
        }
        let resting: RestingEnergy
        do throws(InsufficientData) {
            resting = try RestingEnergy.estimate(
                for: body, formula: profile?.restingFormula ?? .auto)
        } catch { return .failure(.body(error)) }
        let level = profile?.activityLevel ?? .sedentary
        let formula = Rounding.scaled(
            resting.millikilocalories, by: level.multiplierThousandths, over: 1_000)
        do throws(InsufficientHistory) {
            return .success(
                try Expenditure.estimate(
                    endingOn: end, intake: intake, trend: trend, formula: formula))
        } catch { return .failure(.history(error)) }
    }
}

/// Why a body's expenditure can't be estimated.
enum NoExpenditure: Error, CustomStringConvertible {
    case body(InsufficientData)
    case history(InsufficientHistory)

    var description: String {
        switch self {
        case .body(let reason): reason.description
        case .history(let reason): reason.description
        }
    }
}
