/// What a coach without a model says: sentences by rule, from facts, in neutral words. The same facts
/// give the same sentences.
public struct CoachMessage: Hashable, Sendable {
    /// The topic of a message, most urgent first.
    public enum Topic: CaseIterable, Hashable, Sendable {
        /// Something must be known first.
        case missing
        /// A fast is in progress.
        case fasting
        /// A workout just ended.
        case workout
        /// Much of the energy is left late in the day.
        case energyLeft
        /// More was eaten than the target.
        case energyAbove
        /// A day with little movement.
        case rest
        /// Protein is left.
        case protein
        /// Water is left.
        case water
        /// The day is near its target.
        case onTarget
        /// Targets that do not fit together.
        case infeasible
        /// What the last weeks show.
        case pattern
        /// More days in a row are logged than ever before.
        case streak

        /// The word for it.
        package var name: String {
            switch self {
            case .missing: "missing"
            case .fasting: "fasting"
            case .workout: "workout"
            case .energyLeft: "energy_left"
            case .energyAbove: "energy_above"
            case .rest: "rest"
            case .protein: "protein"
            case .water: "water"
            case .onTarget: "on_target"
            case .infeasible: "infeasible"
            case .pattern: "pattern"
            case .streak: "streak"
            }
        }
    }

    /// What it is about.
    public let topic: Topic
    /// One or two sentences.
    public let text: String

    /// Less active energy than this is a quiet day; in thousandths of a kilocalorie.
    package static let restMax: Int64 = 150_000
    /// From when the remainder of a day is mentioned, in minutes after midnight: 18:00.
    package static let eveningMinute: Int64 = 1_080

    /// The messages, most urgent first; empty if there are none.
    public static func all(_ facts: CoachFacts) -> [CoachMessage] {
        let candidates = [
            missing(facts), infeasible(facts), fasting(facts), workout(facts), energy(facts),
            rest(facts), protein(facts), water(facts), streak(facts), weekend(facts),
            breakfast(facts),
        ]
        return candidates.compactMap { $0 }.filter { suits($0.topic, facts.status) }
    }

    /// Whether a message suits what the person has said about the day: no meal follows on a day that is complete,
    /// and nothing is known of what was eaten on one that is skipped.
    private static func suits(_ topic: Topic, _ status: DayStatus) -> Bool {
        switch (status, topic) {
        case (.complete, .workout), (.complete, .energyLeft), (.complete, .protein): false
        case (.skipped, .workout), (.skipped, .energyLeft), (.skipped, .energyAbove),
            (.skipped, .onTarget), (.skipped, .protein), (.skipped, .water):
            false
        default: true
        }
    }

    private static func missing(_ facts: CoachFacts) -> CoachMessage? {
        guard let missing = facts.targets?.missing else { return nil }
        return CoachMessage(topic: .missing, text: sentence("Not known yet: \(missing)"))
    }

    private static func infeasible(_ facts: CoachFacts) -> CoachMessage? {
        guard let computed = facts.targets?.computed, !computed.isFeasible else { return nil }
        return CoachMessage(
            topic: .infeasible,
            text: "Protein and fat as asked need more than \(facts.energy(computed.energy)); the"
                + " targets were reduced to fit.")
    }

    private static func fasting(_ facts: CoachFacts) -> CoachMessage? {
        guard let fast = facts.fast else { return nil }
        let lasted = hours(fast.minutes(at: facts.now))
        guard let target = fast.targetMinutes else {
            return CoachMessage(topic: .fasting, text: "The fast has lasted \(lasted).")
        }
        let reached = fast.hasReachedTarget(at: facts.now) == true
        return CoachMessage(
            topic: .fasting,
            text: "The fast has lasted \(lasted) of \(hours(target))"
                + (reached ? "; its target is reached." : "."))
    }

    private static func workout(_ facts: CoachFacts) -> CoachMessage? {
        guard facts.fast == nil, let (workout, end) = facts.lastWorkout,
            facts.now - end <= CoachFacts.workoutWindow, facts.lastMealAt ?? .min < end
        else { return nil }
        return CoachMessage(
            topic: .workout,
            text: "\(workout.name) ended \(CoachFacts.words(facts.now - end)) ago: 30 to 40 g of"
                + " protein in the next hour would support recovery.")
    }

    private static func energy(_ facts: CoachFacts) -> CoachMessage? {
        guard let target = facts.targets?[.energy] else { return nil }
        let coverage = facts.totals.coverage(of: .energy)
        let eaten = facts.totals[.energy] ?? 0
        let left = target.remaining(after: eaten)
        let known = coverage.isComplete ? "" : " (known for \(coverage) parts)"
        // Above by more than the tolerance of the goal, at any hour.
        if target.direction != .min, left < 0, !target.isMet(by: eaten) {
            return CoachMessage(
                topic: .energyAbove,
                text: "Today is \(facts.energy(-max(left, -.max))) above the target of"
                    + " \(facts.energy(target.amount))\(known). One day is a small part of a week.")
        }
        guard facts.minuteOfDay >= eveningMinute, facts.fast == nil else { return nil }
        if left >= max(Rounding.scaled(target.amount, by: 1, over: 4), 400_000) {
            return CoachMessage(
                topic: .energyLeft,
                text: "\(facts.energy(left)) of today's \(facts.energy(target.amount)) are left"
                    + "\(known). Another meal would fit.")
        }
        guard target.isMet(by: eaten) else { return nil }
        return CoachMessage(
            topic: .onTarget,
            text: "\(facts.energy(eaten)) of \(facts.energy(target.amount))\(known): the day is at"
                + " its target.")
    }

    private static func rest(_ facts: CoachFacts) -> CoachMessage? {
        guard let active = facts.active, active < restMax, !facts.isActivePartial,
            facts.targets?.computed != nil, let target = facts.targets?[.energy]
        else { return nil }
        return CoachMessage(
            topic: .rest,
            text: "A quiet day with \(facts.energy(active)) of activity, which leaves time to"
                + " recover. Today's target is \(facts.energy(target.amount)).")
    }

    private static func protein(_ facts: CoachFacts) -> CoachMessage? {
        guard facts.minuteOfDay >= eveningMinute, facts.fast == nil,
            let target = facts.targets?[.protein], facts.totals.coverage(of: .protein).isComplete
        else { return nil }
        let eaten = facts.totals[.protein] ?? 0
        guard !target.isMet(by: eaten), target.remaining(after: eaten) > 0 else { return nil }
        let left = Display.decimal(target.remaining(after: eaten), scale: 1_000, places: 0)
        return CoachMessage(topic: .protein, text: "\(left) g of today's protein are left.")
    }

    private static func water(_ facts: CoachFacts) -> CoachMessage? {
        guard facts.minuteOfDay >= eveningMinute,
            let left = facts.hydration?.remainingMicroliters, left > 0,
            let target = facts.hydration?.targetMicroliters
        else { return nil }
        return CoachMessage(
            topic: .water,
            text: "\(facts.water(left)) of today's \(facts.water(target)) of water are left.")
    }

    private static func streak(_ facts: CoachFacts) -> CoachMessage? {
        guard facts.preferences.showsStreaks != false, let days = facts.patterns?.longestStreak
        else { return nil }
        return CoachMessage(
            topic: .streak, text: "\(days) days in a row are logged, the longest streak so far.")
    }

    private static func weekend(_ facts: CoachFacts) -> CoachMessage? {
        guard let found = facts.patterns?.weekendAbove else { return nil }
        return CoachMessage(
            topic: .pattern,
            text: "In the last eight weeks energy was above its target on \(found.more) Saturdays"
                + " and Sundays, and on \(found.less) other days.")
    }

    private static func breakfast(_ facts: CoachFacts) -> CoachMessage? {
        guard let found = facts.patterns?.proteinWithBreakfast else { return nil }
        return CoachMessage(
            topic: .pattern,
            text: "In the last eight weeks protein reached its target on \(found.more) days with a"
                + " breakfast, and on \(found.less) without.")
    }

    private static func hours(_ minutes: Int64) -> String {
        minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
    }

    private static func sentence(_ text: String) -> String {
        text.utf8.last == UInt8(ascii: ".") ? text : text + "."
    }
}

extension CoachFacts {
    /// An energy in the person's unit: `2,550 kcal`.
    fileprivate func energy(_ millikilocalories: Int64) -> String {
        Display.energy(millikilocalories, in: preferences.energyUnit ?? .kilocalories)
    }

    /// A volume in litres, or in the person's fluid ounces.
    fileprivate func water(_ microliters: Int64) -> String {
        let unit = preferences.volumeUnit ?? .milliliters
        return unit == .milliliters
            ? Display.decimal(microliters, scale: 1_000_000, places: 1) + " l"
            : Display.volume(microliters, in: unit)
    }
}
