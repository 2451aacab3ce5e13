import MacrologArgumentParsing
import Macrolog
import MacrologFaces

/// `day complete`, `day reopen`, `day skip`: sets the status of a day's record.
enum DayMark {
    static let day = Parameter.optionalArgument(
        "day", .day,
        "The day: today, yesterday, -3, friday (the last one) or 2026-11-20. "
            + "Otherwise --date.")

    static let complete = Verb(
        "day complete", "Mark a day as complete.", example: "day complete",
        "day complete yesterday",
        explanation: "A complete day without meals counts as a day of fasting, not as a gap.",
        run: { arguments, home in try mark(.complete, arguments, &home) }
    ) { day }

    static let reopen = Verb(
        "day reopen", "Mark a day as open again.", example: "day reopen",
        run: { arguments, home in try mark(.open, arguments, &home) }
    ) { day }

    static let skip = Verb(
        "day skip", "Mark a day as skipped: not logged on purpose.", example: "day skip yesterday",
        explanation: """
            What is logged on a skipped day counts in no average and no estimate of your expenditure. The day
            does not break a streak.
            """,
        run: { arguments, home in try mark(.skipped, arguments, &home) }
    ) { day }

    private static func mark(_ status: DayStatus, _ arguments: ParsedArguments, _ home: inout Home)
        throws
    {
        let day = try arguments[day].map { try home.typedDay($0, Self.day, arguments) } ?? home.day
        var log = try home.replica.read { try $0.dayLog(on: day) }
        guard log.status != status else { return home.sayUnchanged() }
        log.status = status
        home.warn(try home.replica.write { try $0.save(log) })
        try home.show(log.json) { home in home.say("\(day.formatted) is \(status.name).") }
    }
}
