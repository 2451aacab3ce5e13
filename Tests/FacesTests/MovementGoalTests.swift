import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition
import Testing

/// Goal: a day says how its movement stands to the targets.
/// Method: days with a plan, with and without movement, as JSON.
@Suite struct MovementGoalTests {
    private static let day = Samples.span.lowerBound

    private static func report(_ change: (inout GoalPlan) -> Void) -> DayReport {
        var plan = GoalPlan(id: Samples.id(3), startDate: day)
        change(&plan)
        let summary = DaySummary(day: day, meals: [], targets: plan.targets(on: day), today: day)
        return DayReport(summary, today: day, at: 0)
    }

    @Test func `a target of movement says what was done, what is left, and whether it is met`() {
        var report = Self.report {
            $0.burnedMillikilocalories = 500_000
            $0.steps = 10_000
        }
        #expect(report.burnedGoal?.isMet == false && report.burnedGoal?.done == nil)
        #expect(report.stepsGoal?.done == nil && report.stepsGoal?.remaining == 10_000)
        var tracked = EnergyDay(on: Self.day, source: "watch")
        tracked.activeMillikilocalories = 310_500
        tracked.steps = 10_240
        report.movement = DayEnergy(activities: [], days: [tracked])
        let goals = report.json["movement_goals"]?.array ?? []
        #expect(
            goals == [
                [
                    "quantity": "burned", "direction": "min", "target_kcal": 500,
                    "burned_kcal": .number("310.5"), "remaining_kcal": .number("189.5"),
                    "met": false,
                ],
                [
                    "quantity": "steps", "direction": "min", "target_count": 10_000,
                    "steps": 10_240, "remaining_count": -240, "met": true,
                ],
            ], "\(goals)")
    }

    @Test func `a goal of movement forgives up to the person's tolerance`() {
        var report = Self.report { $0.steps = 10_000 }
        for (steps, isMet) in [(9_499, false), (9_500, true)] as [(Int64, Bool)] {
            var tracked = EnergyDay(on: Self.day, source: "watch")
            tracked.steps = steps
            report.movement = DayEnergy(activities: [], days: [tracked])
            #expect(report.stepsGoal?.isMet == isMet, "\(steps)")
        }
    }

    @Test func `without a target of movement there is none`() {
        let report = Self.report { $0.energyMillikilocalories = 2_000_000 }
        #expect(report.burnedGoal == nil && report.stepsGoal == nil)
        #expect(report.json["movement_goals"] == [])
    }
}
