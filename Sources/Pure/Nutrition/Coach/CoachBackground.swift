/// What is known of a person around a day, for a model that wants to know more than the day. What is
/// unknown is `nil`.
package struct CoachBackground: Hashable, Sendable {
    /// What the person wants of their body.
    package enum Goal: Hashable, Sendable {
        /// More muscle.
        case muscleGain
        /// Less fat.
        case fatLoss
    }

    /// Resting energy of the day, in thousandths of a kilocalorie.
    package var resting: Int64?
    /// In whole years.
    package var age: Int?
    /// As the person stated it.
    package var sex: Sex?
    /// The workouts of the seven days up to the moment, oldest first.
    package var workouts: [CoachFacts.Workout] = []
    /// The steps of the day.
    package var steps: Int64?
    /// How the person slept and feels today.
    package var checkIn: CheckIn?
    /// By the adjustment of the plan, else by the target weight.
    package var goal: Goal?
    /// The slope of the trend of the weight over the last 28 days, in micrograms a week.
    package var weightMicrogramsPerWeek: Int64?
    /// The share of the targets of the day before that were met, in basis points.
    package var metYesterdayBasisPoints: Int64?

    /// Nothing is known.
    package init() {}

    /// What a person wants who changes the energy by so much, else who weighs this and wants to weigh that, in grams.
    package static func goal(adjust: Int64, grams: Int64?, target: Int64?) -> Goal? {
        if adjust != 0 { return adjust < 0 ? .fatLoss : .muscleGain }
        guard let grams, let target, grams != target else { return nil }
        return target < grams ? .fatLoss : .muscleGain
    }
}
