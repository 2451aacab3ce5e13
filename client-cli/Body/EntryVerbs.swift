import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// An entry that the command line lists, deletes and restores on its own.
protocol FormattedEntry: DayEntry {
    /// The first word of its verbs: `water`.
    static var group: String { get }
    /// The plural, in a sentence: `drinks`.
    static var plural: String { get }
    /// The end of an id in examples.
    static var exampleID: String { get }
    /// Its value, in a sentence: `250 ml`.
    func formatted(_ shown: Shown) -> String
    /// Its day as a suffix: ` of 2026-11-20`.
    var formattedDay: String { get }
    /// With its id and its day.
    var json: JSON { get }
}

extension FormattedEntry {
    var formattedDay: String { " of \(day)" }
}

/// An entry that is listed as a row of a table.
protocol TabledEntry: FormattedEntry, DatedEntry {
    /// The columns after id, day and time.
    static var columns: [Table.Column] { get }
    /// Its cells in these columns.
    func cells(_ shown: Shown) -> [Table.Cell]
}

/// What the verbs of entries have in common: `water edit`, `ketone list`.
enum EntryVerbs {
    static let days = Parameter.option(
        "days", .integer("N", in: 1...36_600), otherwise: "30",
        "How many days, ending with --date or today.")

    static let time = Parameter.option("time", .moment, "When: 07:40.")

    /// - Parameters:
    ///   - example: What is typed after the id.
    ///   - fields: What can be changed besides day and time.
    ///   - warn: Reports what is unusual about it.
    ///   - tell: Reports the result.
    ///   - apply: Applies what was typed.
    static func edit<E: TabledEntry>(
        of type: E.Type, example: String, _ fields: [Specification],
        warn: @escaping @Sendable (E, [Finding], Home) -> Void = { $2.warn($1) },
        tell: @escaping @Sendable (E, inout Home) throws -> Void = { try $1.tell("Changed", $0) },
        apply: @escaping @Sendable (inout E, ParsedArguments, inout Home) throws -> Void
    ) -> Verb {
        let id = Parameter.argument(E.group, .id, "The entry, by the last digits of its id.")
        return Verb(
            "\(E.group) edit", "Change one of the \(E.plural).",
            example: "\(E.group) edit \(E.exampleID) \(example)",
            "\(E.group) edit \(E.exampleID) --date yesterday",
            explanation: """
                Only what you type changes. --date moves it to another day at the same time.
                """,
            run: { words, home in
                let found = try home.find(type, words[id], id, words)
                let old = try home.replica.read { try $0.require(type, found) }
                var entry = old
                try apply(&entry, words, &home)
                entry.localDate = try home.movedDate(old.localDate, time)
                guard entry.isChanged(since: old) else { return home.sayUnchanged() }
                let findings = try home.replica.write { try $0.save(entry) }
                warn(entry, findings, home)
                try tell(entry, &home)
            }
        ) {
            id
            fields
            time
        }
    }

    /// A table of entries.
    static func tell<E: TabledEntry>(_ entries: [E], _ home: inout Home) throws {
        guard !entries.isEmpty else { return home.say("No \(E.plural) in this period.") }
        let shown = Shown(preferences: try home.preferences)
        let ids = try home.replica.read { try $0.shortIDs(of: E.kind, for: entries.map(\.id)) }
        var table = Table(
            columns: [Table.Column("id"), Table.Column("day"), Table.Column("time")] + E.columns)
        for entry in entries {
            table.add(
                [
                    Table.Cell(ids[entry.id] ?? "", .dim), "\(entry.day)",
                    Table.Cell(entry.localDate.clock, .dim),
                ] + entry.cells(shown))
        }
        home.say(table.lines(style: home.style, width: home.terminalWidth))
    }
}

extension Home {
    /// Reports an entry: `Logged 250 ml, 2026-11-20 07:40, 1,250 ml that day  3f2a`.
    ///
    /// - Parameter more: The day's sum with it, if any.
    mutating func tell<E: TabledEntry>(
        _ verb: String, _ entry: E, more: [String] = []
    ) throws {
        try tell(verb, try read { try $0.answer(on: entry) }, more: more)
    }

    /// Reports an entry as the block that recorded it has read it.
    mutating func tell<E: TabledEntry>(
        _ verb: String, _ answer: EntryAnswer<E>, more: [String] = []
    ) throws {
        let shown = Shown(preferences: try preferences)
        let entry = answer.entry
        let date = entry.localDate
        try show(entry.json) { home in
            let parts =
                [
                    home.style.paint(printable(entry.formatted(shown)), .bold),
                    "\(date.day)" + (date.clock.isEmpty ? "" : " \(date.clock)"),
                ] + more
            home.say("\(verb) \(parts.joined(separator: ", "))  \(answer.short)")
        }
    }
}

/// What is reported of an entry, from one state of the log.
struct EntryAnswer<E: TabledEntry>: Sendable {
    let entry: E
    /// The end of its id, as lists show it.
    let short: String
}

extension Diary {
    /// What is reported of an entry.
    func answer<E: TabledEntry>(on entry: E) throws(DiaryError) -> EntryAnswer<E> {
        EntryAnswer(entry: entry, short: try shortID(E.kind, entry.id))
    }
}
