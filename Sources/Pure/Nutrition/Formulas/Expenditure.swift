package import MacrologEvents

/// The daily energy expenditure, estimated from food and the change of weight.
///
/// `mean intake − slope of the trend × 7,700 kcal/kg`: of energy that was eaten and not used, the body
/// keeps a store, and the scale shows it. The estimate stays within 500 kcal of what the equations
/// give, and says how far it may be off.
///
/// Over 500 invented months with daily weigh-ins (true 2,500 kcal, 0.5 kg of scale noise) the mean
/// error is about 1 kcal and the standard deviation about 46; with half the weigh-ins missing 81, with
/// one a week 262. ``plusMinus`` is twice that, in whole hundreds.
///
/// Source of 7,700 kcal/kg: M. Wishnofsky, American Journal of Clinical Nutrition 6 (1958) 542, who
/// found 3,500 kcal per pound.
public struct Expenditure: Hashable, Sendable {
    /// The intake of one day.
    package struct Intake: Hashable, Sendable {
        /// The day.
        public let day: Day
        /// Energy, in thousandths of a kilocalorie.
        package let millikilocalories: Int64
        /// Whether the record is complete, even if nothing was eaten.
        package let isComplete: Bool
        /// Whether the energy of at least four parts in five of what was eaten is known: what is unknown is not zero.
        package let isKnown: Bool

        /// A day's energy.
        package init(
            day: Day, millikilocalories: Int64, isComplete: Bool = false, isKnown: Bool = true
        ) {
            self.day = day
            self.millikilocalories = millikilocalories
            self.isComplete = isComplete
            self.isKnown = isKnown
        }

        /// Whether the day is usable: its energy is known, and it is complete or has 200 kcal.
        package var qualifies: Bool {
            isKnown && (isComplete || millikilocalories >= leastIntake)
        }
    }

    /// Energy per kilogram of body mass, in kilocalories.
    package static let kilocaloriesPerKilogram: Int64 = 7_700
    /// The days of the window.
    public static let windowDays = 28
    /// A day with less energy is no record, unless marked complete; in thousandths of a kilocalorie.
    package static let leastIntake: Int64 = 200_000
    /// How far the estimate may lie from the equations, in thousandths of a kilocalorie.
    package static let clamp: Int64 = 500_000

    /// Thousandths of a kilocalorie per day, in whole tens of kilocalories: more digits would lie.
    public let millikilocalories: Int64
    /// How far it may be off, in thousandths of a kilocalorie.
    public let plusMinus: Int64
    /// How much it rests on: high is three weeks of records and weigh-ins, medium two, low less.
    public let confidence: Confidence
    /// Whether it was held within 500 kcal of the equations.
    package let isClamped: Bool
    /// The mean of the usable days, in thousandths of a kilocalorie.
    public let meanIntake: Int64
    /// How many days that were.
    public let intakeDays: Int
    /// The slope of the trend, in micrograms (10⁻⁶ g) per week.
    public let slopeMicrogramsPerWeek: Int64
    /// How many days have a weight.
    public let weighIns: Int

    /// `2,000 kcal eaten + 0.06 kg a day lost × 7,700 = 2,500 ± 100 kcal`, in a person's units; before an
    /// estimate that was held near the equations, what the sum gives.
    public func explanation(in preferences: Preferences) -> String {
        let unit = preferences.energyUnit ?? .kilocalories
        let isMetric = preferences.weightUnit ?? .kilograms == .kilograms
        func energy(_ energy: Int64) -> String { Display.energy(energy, in: unit) }
        let daily = Rounding.scaled(slopeMicrogramsPerWeek, by: 1, over: 7)
        let change =
            Display.decimal(
                abs(daily), scale: isMetric ? 1_000_000_000 : 453_592_370, places: 3)
            + (isMetric ? " kg" : " lb")
        let store = Rounding.scaled(
            Expenditure.kilocaloriesPerKilogram * 1_000, by: isMetric ? 100_000_000 : 45_359_237,
            over: 100_000_000)
        let sum = Rounding.sum(
            meanIntake,
            -Rounding.scaled(
                slopeMicrogramsPerWeek, by: Expenditure.kilocaloriesPerKilogram, over: 7_000_000))
        let tens = Rounding.scaled(sum, by: 1, over: 10_000) * 10_000
        let held =
            "\(Display.wholeEnergy(tens, in: unit)), held within \(energy(Expenditure.clamp)) of the "
            + "equation: "
        return "\(energy(meanIntake)) eaten "
            + (daily > 0 ? "- \(change) a day gained" : "+ \(change) a day lost")
            + " × \(Display.wholeEnergy(store, in: unit))"
            + " = " + (isClamped ? held : "")
            + "\(Display.wholeEnergy(millikilocalories, in: unit)) ± \(energy(plusMinus))"
    }

    /// Estimates the 28 days that end with a day.
    ///
    /// - Parameters:
    ///   - day: The last day whose record is finished.
    ///   - intake: What was eaten, one per day, in any order; other days are left out.
    ///   - trend: The trend over all weigh-ins ever, so that it has settled when the window begins.
    ///   - formula: What the equations give for a whole day, in thousandths of a kilocalorie.
    /// - Throws: ``InsufficientHistory`` with fewer than seven days that tell enough, or without two
    ///   weigh-ins at least seven days apart.
    package static func estimate(
        endingOn day: Day, intake: [Intake], trend: WeightTrend, formula: Int64
    ) throws(InsufficientHistory) -> Expenditure {
        let window = day.lastDays(windowDays)
        let days = intake.filter { window.contains($0.day) && $0.qualifies }
        let points = trend.during(window).points
        let span =
            points.isEmpty ? 0 : points[0].day.distance(to: points[points.count - 1].day)
        guard days.count >= 7, points.count >= 2, span >= 7,
            let slope = WeightTrend(points: points).trendSlopeMicrogramsPerWeek
        else {
            throw InsufficientHistory(
                intakeDays: days.count, weighIns: points.count, weighInSpan: span)
        }
        let sum = days.reduce(Int128(0)) { $0 + Int128($1.millikilocalories) }
        let mean = Rounding.clamped(Rounding.halfEven(sum, over: Int128(days.count)))
        let stored = Rounding.halfEven(
            Int128(slope) * Int128(kilocaloriesPerKilogram), over: 7 * 1_000_000)
        let raw = Rounding.clamped(Int128(mean) - stored)
        let held = min(max(raw, Rounding.sum(formula, -clamp)), Rounding.sum(formula, clamp))
        let confidence = confidence(
            intakeDays: days.count, points: points, span: span,
            history: trend.points.first.map { $0.day.distance(to: day) } ?? 0)
        let plusMinus: Int64 =
            switch confidence {
            case .high: 100_000
            case .medium: 200_000
            case .low: 500_000
            }
        return Expenditure(
            millikilocalories: Rounding.scaled(held, by: 1, over: 10_000) * 10_000,
            plusMinus: plusMinus, confidence: confidence, isClamped: held != raw,
            meanIntake: mean, intakeDays: days.count, slopeMicrogramsPerWeek: slope,
            weighIns: points.count)
    }

    /// High with 21 days, 8 weigh-ins and 21 days between the first and the last; medium with 14, 4
    /// and 14; one less when records began less than six weeks ago or three days went by between two
    /// weigh-ins.
    private static func confidence(
        intakeDays: Int, points: [WeightTrend.Point], span: Int, history: Int
    ) -> Confidence {
        var level = Confidence.low
        if intakeDays >= 14, points.count >= 4, span >= 14 { level = .medium }
        if intakeDays >= 21, points.count >= 8, span >= 21 { level = .high }
        var hasGap = false
        for (earlier, later) in zip(points, points.dropFirst())
        where earlier.day.distance(to: later.day) >= 3 {
            hasGap = true
        }
        guard hasGap || history <= 42, level > .low else { return level }
        return level == .high ? .medium : .low
    }
}

/// Why there is no estimate of a day's expenditure yet: what is there, and what it takes.
package struct InsufficientHistory: ExplainedError, Hashable, Sendable {
    /// Usable days among the last 28; seven are needed.
    package let intakeDays: Int
    /// Days of the last 28 with a weight; two are needed.
    package let weighIns: Int
    /// The days between the first and the last of them; seven are needed.
    package let weighInSpan: Int

    /// What is wrong, in words.
    package var text: ErrorText {
        ErrorText(cannot: "estimate the expenditure", explanation, hint: hint)
    }

    /// The missing data.
    var explanation: String {
        var parts: [String] = []
        if intakeDays < 7 { parts.append("\(intakeDays) of 7 days with a record") }
        if weighIns < 2 {
            parts.append("\(weighIns) of 2 weigh-ins")
        } else if weighInSpan < 7 {
            parts.append("weigh-ins \(weighInSpan) of 7 days apart")
        }
        return "the last 28 days have only " + parts.joined(separator: " and ")
    }

    /// What to record.
    var hint: String? {
        var parts: [String] = []
        if intakeDays < 7 { parts.append("log meals, or mark days complete") }
        if weighIns < 2 {
            parts.append("log a weight")
        } else if weighInSpan < 7 {
            parts.append("log a weight next week")
        }
        return parts.joined(separator: "; ")
    }
}
