import MacrologArgumentParsing
import MacrologNutrition

/// The options of every command.
enum Everywhere {
    static let json = Parameter.flag("json", "Print JSON, with units in the names of its keys.")
    static let db = Parameter.option("db", .file, "The file that holds the log.")
    static let at = Parameter.option(
        "at", .moment,
        "The moment meant, instead of now: 07:40 or 2026-11-20T07:40, perhaps with Z or +01:00.")
    static let date = Parameter.option(
        "date", .day, "The day meant: today, yesterday, -3, friday or 2026-11-20.")
    static let zone = Parameter.option(
        "tz", .text("ZONE"),
        "The time zone to live in, such as Europe/Zurich, whatever `config set zone` and $TZ say.")
    static let quiet = Parameter.flag("quiet", "Say nothing but errors.")
    static let noColor = Parameter.flag("no-color", "Do not use colours.")
}
