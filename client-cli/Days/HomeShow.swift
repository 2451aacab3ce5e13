import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `home`: today at a glance.
enum HomeShow {
    static let command = Verb(
        "home", "Show today at a glance: what was eaten, what is left, what comes next.",
        example: "home", "home --date yesterday",
        explanation: """
            A bar is full at the target. Pinned nutrients are listed below the bars (see: macrolog
            config set pinned-nutrients). To hide the streak: macrolog config set show-streaks no
            """,
        run: { _, home in
            try home.read { diary, home in
                let report = try diary.homeReport(of: try home.day, at: try home.typedInstant)
                try home.show(report.json) { home in
                    let view = HomeView(report: report, day: try DayView(report.day, diary))
                    home.say(view.lines(home.style, width: home.width))
                }
            }
        })
}

/// A day at a glance, for a person.
struct HomeView {
    let report: HomeReport
    let day: DayView

    private var shown: Shown { day.shown }

    func lines(_ style: Style, width: Int) -> [String] {
        let hello = greeting
        let date = day.report.summary.day.formatted
        let space = width - displayWidth(hello) - displayWidth(date)
        // Where both do not fit side by side, the day stands below.
        let gap = space < 2 ? "\n" : String(repeating: " ", count: space)
        var lines = [style.paint(hello, .bold) + gap + style.paint(date, .dim), ""]
        let bars = day.targetLines(style, width: width)
        lines += bars.isEmpty ? emptyLines(style) : bars
        let rows = rows(width: width - 9)
        if !rows.isEmpty { lines.append("") }
        for (name, text) in rows {
            for (index, line) in wrapped(text, to: width - 9).enumerated() {
                lines.append(style.paint(padded(index == 0 ? name : "", to: 9), .bold) + line)
            }
        }
        // A fast is shown on a separate line.
        let advice = CoachMessage.all(report.facts).first { $0.topic != .fasting }
        if report.day.day == report.day.today, let message = advice {
            lines += [""] + wrapped(message.text, to: width)
        }
        return lines
    }

    private var greeting: String {
        let name = report.day.profile.displayName.map { printable($0) }
        guard report.day.day == report.day.today else { return name ?? "At a glance" }
        let time =
            switch report.facts.minuteOfDay {
            case 300..<720: "Good morning"
            case 720..<1_080: "Good afternoon"
            default: "Good evening"
            }
        return time + (name.map { ", \($0)" } ?? "")
    }

    private func emptyLines(_ style: Style) -> [String] {
        let hasEaten = !day.report.summary.slots.isEmpty
        let text =
            hasEaten
            ? "No target to compare with yet: macrolog goal set --kcal 2000"
            : "No goal and nothing eaten yet. macrolog onboard, or macrolog add Oats --kcal 380"
        return [style.paint(text, .dim)]
    }

    // MARK: Rows

    private func rows(width: Int) -> [(String, String)] {
        var rows: [(String, String)] = []
        if !day.report.summary.slots.isEmpty {
            let slots = day.report.summary.slots.map { slot in
                let energy = shown.amount(slot.totals[.energy], of: .energy)
                return "\(printable(shown.slot(slot.key))) \(energy)"
            }
            rows.append(("Eaten", "\(slots.joined(separator: ", ")) \(shown.energySymbol)"))
        }
        if let pinned { rows.append(("Pinned", pinned)) }
        if let next { rows.append(("Next", next)) }
        if let weight { rows.append(("Weight", weight)) }
        rows += day.body.rows(shown, width: width).map { ($0.name, $0.text) }
        if shown.preferences.showsStreaks ?? true, report.streak.current > 1 {
            rows.append(("Streak", "\(report.streak.current) days in a row"))
        }
        return rows
    }

    private var pinned: String? {
        let parts = shown.preferences.pinnedNutrients.compactMap { key -> String? in
            guard let nutrient = Nutrient(key: UTF8Text(key)) else { return nil }
            let totals = day.report.summary.totals
            let coverage = totals.coverage(of: nutrient)
            return "\(printable(shown.name(of: nutrient))) "
                + shown.amountWithUnit(totals[nutrient], of: nutrient)
                + (coverage.isComplete || coverage.known == 0 ? "" : " from \(coverage)")
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// The next planned entry that is not eaten, else the next meal slot without a meal; and the
    /// next reminder.
    private var next: String? {
        var parts: [String] = []
        if let planned = day.report.meals.first(where: { !$0.meal.isConsumed }) {
            let clock = planned.meal.localDate.clock
            parts.append(
                printable(planned.title) + (clock.isEmpty ? "" : " at \(clock)") + ", planned")
        } else if report.day.day == report.day.today, report.facts.fast == nil,
            day.report.summary.status == .open,
            let slot = nextSlot
        {
            parts.append(
                printable(slot.name.string)
                    + (isOn(slot)
                        ? ", until \(clockText(slot.toMinute))"
                        : ", from \(clockText(slot.fromMinute))"))
        }
        if let reminder = report.next {
            let thing = printable(reminder.reminder.thing(slots: shown.slots).string).lowercased()
            parts.append("reminder of \(thing) at \(clockText(reminder.minute))")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// The first meal slot of the person's day that is not over and has no meal yet.
    private var nextSlot: MealSlot? {
        let eaten = day.report.summary.slots.map(\.key)
        let now = sinceDayStart(report.facts.minuteOfDay)
        let open = shown.slots.filter { slot in
            !eaten.contains(slot.key)
                && (spansDayStart(slot) || sinceDayStart(slot.toMinute) >= now)
        }
        return open.min { left, right in
            isOn(left) == isOn(right)
                ? sinceDayStart(left.fromMinute) < sinceDayStart(right.fromMinute) : isOn(left)
        }
    }

    /// Whether it is the time of a slot that is not over.
    private func isOn(_ slot: MealSlot) -> Bool {
        let now = sinceDayStart(report.facts.minuteOfDay)
        return now >= sinceDayStart(slot.fromMinute)
            || spansDayStart(slot) && now <= sinceDayStart(slot.toMinute)
    }

    /// Whether a slot begins before the person's day does, and ends in it.
    private func spansDayStart(_ slot: MealSlot) -> Bool {
        sinceDayStart(slot.toMinute) < sinceDayStart(slot.fromMinute)
    }

    /// The minutes from the beginning of the person's day to a minute of the clock.
    private func sinceDayStart(_ minute: Int64) -> Int64 {
        let start = shown.preferences.dayStartMinutes ?? 0
        return (minute - start + 1_440) % 1_440
    }

    private var weight: String? {
        guard let text = day.weight else { return nil }
        guard let targetGrams = report.day.profile.targetWeightGrams,
            let last = day.report.trend.points.last
        else { return text }
        let left = (targetGrams - last.trendGrams) * 1_000_000
        return text + "; \(shown.weightChange(micrograms: left)) to \(shown.weight(targetGrams))"
    }
}
