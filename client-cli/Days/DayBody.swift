import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// A day's data besides meals and weights, for a person: water, activities, body, ketones, check-in, fasts.
struct DayBody {
    let report: DayReport
    let checkIn: CheckIn?

    /// The lines of the entries that have something to show; long ones are wrapped.
    func rows(_ shown: Shown, width: Int) -> [(name: String, text: String)] {
        rows(shown).flatMap { name, text in
            wrapped(text, to: width).enumerated().map { ($0 == 0 ? name : "", $1) }
        }
    }

    private func rows(_ shown: Shown) -> [(name: String, text: String)] {
        var rows: [(name: String, text: String)] = []
        if report.water.targetMicroliters == nil, report.water.totalMicroliters > 0 {
            rows.append(("Water", report.water.formatted(shown)))
        } else if report.water.eatenMicroliters > 0 {
            rows.append(("Water", "\(shown.volume(report.water.eatenMicroliters)) of it in food"))
        }
        if let movement = movementText(shown) { rows.append(("Activity", movement)) }
        rows += report.bodyFat.map { ("Body fat", shown.share($0.basisPoints)) }
        if !report.measures.isEmpty {
            let measures = report.measures.map { $0.formatted(shown) }
            rows.append(("Measures", measures.joined(separator: ", ")))
        }
        rows += report.ketones.map { ketone in
            let clock = ketone.localDate.clock
            return ("Ketones", ketone.formatted(shown) + (clock.isEmpty ? "" : " at \(clock)"))
        }
        if let checkIn { rows.append(("Check-in", printable(checkIn.formatted(shown)))) }
        rows += report.fasts.map { ("Fast", text(of: $0)) }
        return rows
    }

    private func movementText(_ shown: Shown) -> String? {
        var parts: [String] = []
        if report.movement.activeMillikilocalories > 0 {
            parts.append("\(shown.energyWithUnit(report.movement.activeMillikilocalories)) active")
        }
        if let steps = report.movement.steps { parts.append(counted(steps, "step")) }
        let names = report.activities.map { printable($0.title) }.joined(separator: ", ")
        guard !parts.isEmpty else { return names.isEmpty ? nil : names }
        return parts.joined(separator: ", ") + (names.isEmpty ? "" : " (\(names))")
    }

    private func text(of fast: Fast) -> String {
        let from = FastVerbs.clock(fast.startedAt)
        if fast.startedAt > report.instant { return "planned from \(from)" }
        let until = fast.endedAt.map { " to \(FastVerbs.clock($0))" } ?? ", on"
        let clash = report.overlappingFasts.contains(fast.id) ? ", overlaps another fast" : ""
        let span = Fasting.Span(of: fast).formatted(at: report.instant)
        return "from \(from)\(until): \(span)\(clash)"
    }
}
