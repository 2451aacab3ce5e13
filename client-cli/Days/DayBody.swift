import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// A day's data besides meals and weights: water, activities, body, ketones, fasts.
struct DayBody {
    let water: Hydration
    let movement: DayEnergy
    let activities: [Activity]
    let fat: [BodyFat]
    let measures: [BodyMeasure]
    let ketones: [Ketone]
    /// The fasts that overlap the day.
    let fasts: [Fast]
    /// Overlapping fasts.
    let crossed: [Identifier]
    let now: Int64

    init(_ summary: DaySummary, _ home: inout Home) throws {
        let day = summary.day
        let replica = try home.replica
        let today = try home.today
        let now = try home.now
        let span = day...day
        self.now = now
        water = try replica.withStore { try $0.hydration(beside: summary) }
        movement = try replica.movement(on: day)
        activities = try replica.entities(Activity.self, on: span)
        fat = try replica.entities(BodyFat.self, on: span)
        measures = try replica.entities(BodyMeasure.self, on: span)
        ketones = try replica.entities(Ketone.self, on: span)
        // A fast is rarely longer than a week, but one that was not ended may be.
        let near = try replica.entities(Fast.self, on: day.lastDays(31))
        fasts = near.filter { fast in
            guard !fast.isCancelled else { return false }
            guard let end = fast.endedAt else { return fast.day == day || day == today }
            let last = Day(instant: end, offsetMinutes: LocalTime.offsetMinutes(at: end))
            return fast.day <= day && day <= last ?? fast.day
        }
        crossed = Fasting(near).overlapping(at: now).map(\.id)
    }

    /// The lines of the entries that have something to show; long ones are wrapped.
    func rows(_ shown: Shown, width: Int) -> [(name: String, text: String)] {
        rows(shown).flatMap { name, text in
            wrapped(text, to: width).enumerated().map { ($0 == 0 ? name : "", $1) }
        }
    }

    private func rows(_ shown: Shown) -> [(name: String, text: String)] {
        var rows: [(name: String, text: String)] = []
        if water.targetMicroliters == nil, water.totalMicroliters > 0 {
            rows.append(("Water", water.formatted(shown)))
        } else if water.eatenMicroliters > 0 {
            rows.append(("Water", "\(shown.volume(water.eatenMicroliters)) of it in food"))
        }
        if let movement = movementText(shown) { rows.append(("Activity", movement)) }
        rows += fat.map { ("Body fat", shown.share($0.basisPoints)) }
        if !measures.isEmpty {
            rows.append(("Measures", measures.map { $0.formatted(shown) }.joined(separator: ", ")))
        }
        rows += ketones.map { ketone in
            let clock = ketone.localDate.clock
            return ("Ketones", ketone.formatted(shown) + (clock.isEmpty ? "" : " at \(clock)"))
        }
        rows += fasts.map { ("Fast", text(of: $0)) }
        return rows
    }

    private func movementText(_ shown: Shown) -> String? {
        var parts: [String] = []
        if movement.activeMillikilocalories > 0 {
            parts.append("\(shown.energyWithUnit(movement.activeMillikilocalories)) active")
        }
        if let steps = movement.steps { parts.append(counted(steps, "step")) }
        let names = activities.map { printable($0.title) }.joined(separator: ", ")
        guard !parts.isEmpty else { return names.isEmpty ? nil : names }
        return parts.joined(separator: ", ") + (names.isEmpty ? "" : " (\(names))")
    }

    private func text(of fast: Fast) -> String {
        let from = FastVerbs.clock(fast.startedAt)
        if fast.startedAt > now { return "planned from \(from)" }
        let until = fast.endedAt.map { " to \(FastVerbs.clock($0))" } ?? ", on"
        let clash = crossed.contains(fast.id) ? ", overlaps another fast" : ""
        return "from \(from)\(until): \(Fasting.Span(of: fast).formatted(at: now))\(clash)"
    }

    /// The members of the day's JSON.
    var members: [JSON.Member] {
        DayJSON.body(
            water: water, movement: movement, activities: activities, fat: fat,
            measures: measures, ketones: ketones, fasts: fasts, at: now)
    }
}
