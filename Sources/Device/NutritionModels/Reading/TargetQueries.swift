import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// Reading targets with their explanations.
extension Store {
    /// A day's targets and their arithmetic.
    ///
    /// - Parameter allowsDefault: Whether 1,800 kcal replace a resting energy that cannot be
    ///   computed; see ``GoalPlan/targets(on:profile:body:activity:expenditure:allowsDefault:)``.
    package mutating func targets(
        on day: Day, today: Day, allowsDefault: Bool = false
    ) throws(LogError) -> TargetReport {
        let preferences = try preferences()
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
        return TargetReport(
            plan: plan,
            targets: try plansInForce(on: day...day).targets(
                on: day, today: today, allowsDefault: allowsDefault, in: &self),
            explanation: plan.map {
                TargetExplanation(
                    of: $0, on: day, profile: profile, body: body,
                    activity: .measured(movement.activeMillikilocalories),
                    expenditure: expenditure, allowsDefault: allowsDefault,
                    in: preferences)
            }, movement: movement, expenditure: expenditure,
            resting: try? RestingEnergy.estimate(
                for: body, formula: profile.restingFormula ?? .auto),
            activityLevel: profile.activityLevel ?? .sedentary, missing: missing)
    }

    /// The energy expenditure of a day, estimated from the 28 days up to the last finished one.
    mutating func expenditure(
        before day: Day, today: Day, body: Body, profile: Profile?, trend: WeightTrend
    ) throws(LogError) -> Result<Expenditure, NoExpenditure> {
        let end = min(day, today).advanced(by: -1)
        let window = end.lastDays(Expenditure.windowDays)
        let logs = try dayLogs(on: window)
        let meals = try contributions(on: window)
        let intake = window.filter { logs[$0]?.status != .skipped }.map { day in
            var eaten = NutrientTotals()
            for meal in meals[day] ?? [] where meal.isConsumed { eaten.add(meal.totals) }
            let coverage = eaten.coverage(of: .energy)
            return Expenditure.Intake(
                day: day, millikilocalories: eaten[.energy] ?? 0,
                isComplete: logs[day]?.status == .complete,
                isKnown: coverage.parts == 0 || coverage.isEnough)
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

/// Why an energy expenditure cannot be estimated.
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
