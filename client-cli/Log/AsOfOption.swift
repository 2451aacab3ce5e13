import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// `--as-of`: the log as of an event or a time.
enum LookingBack {
    static let asOf = Parameter.option(
        "as-of", .text("WHEN"),
        "The state as of an event such as a17, a time or the end of a day.")

    /// The typed value; `nil` if there is none.
    static func asOf(
        _ arguments: ParsedArguments, _ notation: Notation, _ home: inout Home
    ) throws -> AsOf? {
        guard let word = arguments[asOf] else { return nil }
        if let dot = notation.dot(word) { return .event(dot) }
        let (today, dayStart) = (try home.today, try home.preferences.dayStartMinutes ?? 0)
        if let moment = Moment(word) {
            let now = try home.now
            if let end = moment.instant(on: today, dayStart: dayStart, now: now) {
                return .time(end)
            }
        } else if let day = Day.reading(word, today: today) {
            // If the clocks skip the end of a day, it ends an hour later.
            let next = day.advanced(by: 1)
            let end =
                LocalZone.system.instant(of: next, minuteOfDay: dayStart)
                ?? LocalZone.system.instant(of: next, minuteOfDay: dayStart + 60)
            if let end { return .time(end - 1) }
        }
        throw arguments.usageError(
            of: asOf, "\"\(printable(word))\" is neither an event of this log nor a time",
            instead: "an event as macrolog log shows them, 2026-11-20T07:40, yesterday")
    }

    /// The heading of an as-of view.
    static func heading(_ arguments: ParsedArguments) -> String? {
        arguments[asOf].map { "As of \(printable($0)):" }
    }
}
