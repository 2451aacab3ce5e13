import MacrologJSON
public import MacrologNutrition

/// A target for the movement of a day, energy to burn or steps to take, and what counts towards it. It does not
/// decide whether the day meets its goal.
public struct MovementGoal: Hashable, Sendable {
    /// At least so much: thousandths of a kilocalorie, or steps.
    public let target: Int64
    /// How much it was, in the same unit; `nil` when nothing is known.
    public let done: Int64?
    /// Whether the target is met, within the tolerance of the person's goals.
    public let isMet: Bool

    init(_ target: Int64, done: Int64?, toleranceBasisPoints: Int64) {
        self.target = target
        self.done = done
        isMet =
            Int128(done ?? 0) * 10_000 >= Int128(target) * Int128(10_000 - toleranceBasisPoints)
    }

    /// The target less what was done; negative when there is more.
    public var remaining: Int64 { Rounding.sum(target, -(done ?? 0)) }
}

extension DayReport {
    /// The energy to burn by activity, in thousandths of a kilocalorie; `nil` without a target.
    public var burnedGoal: MovementGoal? {
        summary.targets?.burnedMillikilocalories.map {
            MovementGoal(
                $0, done: movement.known, toleranceBasisPoints: toleranceBasisPoints)
        }
    }

    /// The steps to take; `nil` without a target.
    public var stepsGoal: MovementGoal? {
        summary.targets?.steps.map {
            MovementGoal($0, done: movement.steps, toleranceBasisPoints: toleranceBasisPoints)
        }
    }

    /// The targets of movement, each with what was done, what is left, and whether it is met.
    var movementGoals: JSON {
        var goals: [JSON] = []
        if let goal = burnedGoal {
            goals.append([
                "quantity": "burned", "direction": .text(GoalDirection.min.name),
                "target_kcal": .amount(goal.target, of: .energy),
                "burned_kcal": .amount(goal.done, of: .energy),
                "remaining_kcal": .amount(goal.remaining, of: .energy), "met": .bool(goal.isMet),
            ])
        }
        if let goal = stepsGoal {
            goals.append([
                "quantity": "steps", "direction": .text(GoalDirection.min.name),
                "target_count": .integer(goal.target), "steps": .optional(goal.done),
                "remaining_count": .integer(goal.remaining), "met": .bool(goal.isMet),
            ])
        }
        return .array(goals)
    }
}
