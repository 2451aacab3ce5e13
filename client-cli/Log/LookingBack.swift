import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// `--as-of`: the log as it was, up to an event or a time.
enum LookingBack {
    static let asOf = Parameter.option(
        "as-of", .text("WHEN"),
        "As it was: up to an event such as a17, a time or the end of a day.")

    /// What was typed; `nil` when nothing was.
    static func horizon(
        _ words: Words, _ notation: Notation, _ home: inout Home
    ) throws -> Horizon? {
        guard let word = words[asOf] else { return nil }
        if let dot = notation.dot(word) { return .event(dot) }
        let (today, dayStart) = (try home.today, try home.preferences.dayStartMinutes ?? 0)
        if let moment = Moment(word) {
            if let end = moment.instant(on: today, dayStart: dayStart) { return .time(end) }
        } else if let day = Day.reading(word, today: today) {
            // A day whose end the clocks skip ends an hour later.
            let next = day.advanced(by: 1)
            let end =
                LocalTime.instant(of: next, minuteOfDay: dayStart)
                ?? LocalTime.instant(of: next, minuteOfDay: dayStart + 60)
            if let end { return .time(end - 1) }
        }
        throw words.refusal(
            of: asOf, "\"\(printable(word))\" is neither an event of this log nor a time",
            instead: "an event as macrolog log shows them, 2026-11-20T07:40, yesterday")
    }

    /// The heading of what is shown then.
    static func heading(_ words: Words) -> String? {
        words[asOf].map { "As it was at \(printable($0)):" }
    }
}
