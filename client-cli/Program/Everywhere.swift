import MacrologArgumentParsing

/// The options of every command.
enum Everywhere {
    static let json = Parameter.flag("json", "Print JSON, with units in the names of its keys.")
    static let db = Parameter.option("db", .file, "The file of the log.")
    static let at = Parameter.option(
        "at", .moment,
        "The time to use instead of now: 07:40 or 2026-11-20T07:40, optionally with Z or +01:00.")
    static let date = Parameter.option(
        "date", .day,
        "The day to use: today, yesterday, -3, 2026-11-20 or friday, which is the last one, and for "
            + "plans, goals, targets and due reminders the next one.")
    static let zone = Parameter.option(
        "tz", .text("ZONE"),
        "The time zone, such as Europe/Zurich; overrides `config set zone` and $TZ.")
    static let quiet = Parameter.flag("quiet", "Print only errors.")
    static let noColor = Parameter.flag("no-color", "Do not use colours.")
}
