import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `calendar`: a month as weeks, each day with its goal status.
enum CalendarShow {
    static let month = Parameter.optionalArgument(
        "month", .month, "The month: 2026-11. Otherwise that of the day meant.")

    static let command = Verb(
        "calendar", "Show a month: the days that were logged and those that met their goal.",
        example: "calendar", "calendar 2026-10",
        explanation: """
            Each state has a sign besides its colour. Below each day is the energy eaten.
            """, run: run
    ) { month }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let view = try CalendarView(arguments[month] ?? home.day.calendarMonth, &home)
        try home.show(DayJSON.calendar(view.days, view.summaries)) { home in
            home.say(view.lines(home.style))
        }
    }
}

/// All data about the days of a month.
struct CalendarView {
    let days: ClosedRange<Day>
    private let today: Day
    private let weekStart: Int
    private let shown: Shown
    private let width: Int
    /// Six columns and a number of six digits fit beside each other.
    private var columnWidth: Int { min(10, max(5, (width - 6) / 6)) }
    let summaries: [Day: DaySummary]

    init(_ days: ClosedRange<Day>, _ home: inout Home) throws {
        let today = try home.today
        let found = try home.read { try $0.statsReport(over: days).days }
        self.days = days
        self.today = today
        width = home.width
        weekStart = Int(try home.preferences.weekStart ?? 1)
        shown = Shown(preferences: try home.preferences)
        summaries = Dictionary(uniqueKeysWithValues: found.map { ($0.day, $0) })
    }

    /// The statuses of days, in the order of the legend.
    private enum Mark: CaseIterable {
        case achieved, missed, underway, logged, skipped, empty

        func sign(_ style: Style) -> String {
            switch self {
            case .achieved: style.blocks ? "●" : "+"
            case .missed: style.blocks ? "▲" : "!"
            case .underway: style.blocks ? "◐" : ">"
            case .logged: style.blocks ? "■" : "#"
            case .skipped: "-"
            case .empty: style.blocks ? "·" : "."
            }
        }

        var paint: Paint {
            switch self {
            case .achieved: .green
            case .missed: .yellow
            case .underway: .cyan
            case .logged: .blue
            case .skipped, .empty: .dim
            }
        }

        var word: String {
            switch self {
            case .achieved: "goal met"
            case .missed: "goal missed"
            case .underway: "under way"
            case .logged: "logged, no goal"
            case .skipped: "skipped"
            case .empty: "nothing logged"
            }
        }
    }

    private func mark(_ day: Day) -> Mark {
        guard let summary = summaries[day] else { return .empty }
        switch summary.goalStatus {
        case .achieved?: return .achieved
        case .missed?: return .missed
        case .inProgress?: return .underway
        case .noData?, nil:
            if summary.status == .skipped { return .skipped }
            return summary.isLogged ? .logged : .empty
        }
    }

    /// The lines of the screen: at most 70 columns. Where energies do not fit, they are left out.
    func lines(_ style: Style) -> [String] {
        let weeks = stride(
            from: days.lowerBound.week(startingOn: weekStart).lowerBound, through: days.upperBound,
            by: 7)
        let heading = style.paint(days.lowerBound.formattedMonth, .bold)
        let names = days.lowerBound.week(startingOn: weekStart).map {
            padded(String($0.short.prefix(3)), to: columnWidth)
        }
        var lines = [heading, "", style.paint(names.joined().trimmedEnd, .dim)]
        for first in weeks {
            let week = first...first.advanced(by: 6)
            lines.append(week.map { cell($0, style) }.joined().trimmedEnd)
            let energies = week.map { energy($0) }.joined().trimmedEnd
            if !energies.isEmpty, hasEnergies { lines.append(style.paint(energies, .dim)) }
        }
        let used = Mark.allCases.filter { mark in days.contains { self.mark($0) == mark } }
        let legend = used.map { "\(style.paint($0.sign(style), $0.paint)) \($0.word)" }
        lines += ["", legend[0]]
        for part in legend.dropFirst() {
            let longer = "\(lines[lines.count - 1])  \(part)"
            if displayWidth(longer) <= width {
                lines[lines.count - 1] = longer
            } else {
                lines.append(part)
            }
        }
        return lines + wrapped(counts, to: width)
    }

    private var hasEnergies: Bool { columnWidth > 6 }

    private func cell(_ day: Day, _ style: Style) -> String {
        guard days.contains(day) else { return padded("", to: columnWidth) }
        let mark = mark(day)
        let number = (day.dayOfMonth < 10 ? " " : "") + String(day.dayOfMonth)
        let shownNumber = day == today ? style.paint(number, .bold, .underlined) : number
        return padded(
            "\(shownNumber) \(style.paint(mark.sign(style), mark.paint))", to: columnWidth)
    }

    private func energy(_ day: Day) -> String {
        guard days.contains(day), let summary = summaries[day], summary.consumedMeals > 0,
            let energy = summary.totals[.energy]
        else { return padded("", to: columnWidth) }
        return padded(shown.energy(energy), to: columnWidth)
    }

    private var counts: String {
        let logged = summaries.values.filter { $0.isLogged && $0.day <= today }.count
        let (met, missed) = (
            days.filter { mark($0) == .achieved }.count, days.filter { mark($0) == .missed }.count
        )
        var text = "\(counted(Int64(logged), "day")) logged"
        if met + missed > 0 { text += ", goal met on \(met) of \(met + missed)" }
        return text + (hasEnergies ? ". Energy in \(shown.energySymbol)." : ".")
    }
}

extension String {
    fileprivate var trimmedEnd: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension Form where Value == ClosedRange<Day> {
    /// `2026-11`
    static var month: Form {
        Form("MONTH") { word throws(BadValue) in
            guard word.utf8.count == 7, let first = Day(word + "-01") else {
                throw BadValue("is not a month from 1900 to 2200", instead: "2026-11")
            }
            return first.calendarMonth
        }
    }
}
