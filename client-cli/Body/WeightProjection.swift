import Macrolog

/// When the weight reaches the target, how certain that is, or why it cannot be computed.
struct Projection {
    /// The slope of the last four weeks; `nil` with too few weigh-ins.
    let outlook: WeightOutlook?
    /// The weight that a person aims at, in grams.
    let target: Int64?

    /// `Target 75.0 kg, -5.2 kg to go: …`, and a remark on the pace.
    func lines(trendGrams: Int64, _ shown: Shown) -> [String] {
        var lines: [String] = []
        if let target {
            let left = (target - trendGrams) * 1_000_000
            lines.append(
                "Target \(shown.weight(target)), \(shown.weightChange(micrograms: left)) to go: "
                    + arrival(shown))
        }
        switch outlook?.pace {
        case .fastLoss?: lines.append("More than 1.5 % of body mass is lost a week.")
        case .fastGain?: lines.append("More than 0.5 % of body mass is gained a week.")
        case .moderate?, nil: break
        }
        return lines
    }

    private func arrival(_ shown: Shown) -> String {
        guard let outlook, let target else {
            return
                "no estimate before there are two weigh-ins a week apart within four weeks"
        }
        // Of two numbers with the same unit, only the second shows it.
        let slope = shown.weightChange(micrograms: outlook.slopeMicrogramsPerWeek)
            .prefix { $0 != " " }
        let margin = shown.weightChange(micrograms: outlook.plusMinusMicrogramsPerWeek).dropFirst()
        let pace = "at \(slope) ± \(margin) a week"
        switch outlook.arrival(at: target) {
        case .reached: return "the trend has reached it"
        case .on(let day):
            guard let span = outlook.arrivalSpan(at: target) else { return "\(day), \(pace)" }
            let days =
                span.latest.map { "between \(span.earliest) and \($0)" }
                ?? "\(span.earliest) at the earliest"
            return "about \(day), \(days), \(pace)"
        case .beyondTwoYears: return "more than two years away, \(pace)"
        case .level: return "no estimate, the trend is level"
        case .movingAway: return "no estimate, the trend moves the other way, \(pace)"
        }
    }
}
