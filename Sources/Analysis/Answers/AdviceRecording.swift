/// What a model advised for a day is recorded; what a person accepts becomes the targets of that day.
public import MacrologDiary
public import MacrologEvents
public import MacrologNutrition

/// Why advice cannot be accepted.
public enum AdviceError: ExplainedError, Hashable, Sendable {
    /// No model has advised anything for the day.
    case noAdvice

    /// The cause in words, and what a person can do about it.
    public var text: ErrorText {
        ErrorText(
            cannot: "accept advice", "no model has advised targets for that day",
            hint: "ask a model for the targets of the day", isRetryable: false)
    }
}

extension Diary {
    /// Records what a model advised for a day, and who it was. It changes no target.
    public mutating func record(
        _ advice: TargetAdvice, for day: Day, by provider: String
    ) throws {
        var kept = Recommendation(
            id: newID(), energy: advice.targets[.energy] ?? 0,
            protein: advice.targets[.protein] ?? 0, carbs: advice.targets[.carbs] ?? 0,
            fat: advice.targets[.fat] ?? 0)
        kept.day = day
        kept.reasoning = advice.reasoning
        kept.adjustments = advice.adjustments.filter { !$0.isEmpty }
        kept.confidenceBasisPoints = advice.confidenceBasisPoints
        kept.preWorkoutCarbsMilligrams = advice.preWorkoutCarbs
        kept.postWorkoutProteinMilligrams = advice.postWorkoutProtein
        kept.recoveryFocus = advice.recoveryFocus
        kept.provider = Words.clean("\(provider) \(advice.model)", bytesMax: 60)
        try add(kept)
    }

    /// Makes energy and macronutrients of the last advice for a day the targets of the day. The day after has
    /// the plan that was in force before, if there is one.
    ///
    /// - Returns: The plan of the day.
    /// - Throws: ``AdviceError``, or what recording throws.
    @discardableResult
    public mutating func acceptAdvice(on day: Day) throws -> GoalPlan {
        let advised = try entities(Recommendation.self).last { advice in
            if let advisedDay = advice.day { return advisedDay == day }
            return try advice.id.v7Milliseconds.map { try localDate(at: $0).day } == day
        }
        guard var advised else { throw AdviceError.noAdvice }
        let plans = try goalPlans()
        let old = GoalPlan.inForce(on: day, among: plans)
        let next = day.advanced(by: 1)
        if let old, !plans.contains(where: { $0.startDate == next }) {
            var after = GoalPlan(id: newID(), startDate: next)
            after.take(over: old)
            (after.source, after.rationale) = (old.source, old.rationale)
            try add(after)
        }
        let sameDay = plans.filter { $0.startDate == day }
        var plan = GoalPlan(id: newID(), startDate: day)
        if let old { plan = old.startDate == day ? old : plan }
        if let old { plan.take(over: old) }
        plan.mode = .fixed
        plan.energyMillikilocalories = advised.energyMillikilocalories
        plan.proteinMilligrams = advised.proteinMilligrams
        plan.carbsMilligrams = advised.carbsMilligrams
        plan.fatMilligrams = advised.fatMilligrams
        plan.macroShares = nil
        plan.energyAdjustMillikilocalories = nil
        plan.energyAdjustBasisPoints = nil
        plan.weekdayGoals = nil
        // Of two plans that begin on one day, a person's own goes before one of a model.
        plan.source = sameDay.count > 1 ? .user : .ai
        plan.rationale = advised.reasoning.map { Words.clean($0, bytesMax: 2_000) }
        try save(plan)
        advised.isAccepted = true
        try save(advised)
        return plan
    }
}
