import MacrologArgumentParsing
import Macrolog
import MacrologFaces

/// `day note`: attaches a note to a day.
enum DayNote {
    static let text = Parameter.argument("text", .anyText, "The note; '' removes it.")

    static let command = Verb(
        "day note", "Set the note of a day.", example: "day note 'Long hike, hungry'",
        "day note --date yesterday 'Birthday'", run: run
    ) { text }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let day = try home.day
        var log = try home.replica.read { try $0.dayLog(on: day) }
        let note = arguments[text].isEmpty ? nil : arguments[text]
        guard log.note != note else { return home.sayUnchanged() }
        log.note = note
        home.warn(try home.replica.write { try $0.save(log) })
        try home.show(log.json) { home in
            home.say(
                note == nil ? "Removed the note of \(log.day)." : "Set the note of \(log.day).")
        }
    }
}
