import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `log`: the events, with their vector clocks.
enum ShowLog {
    static let count = Parameter.optionalArgument(
        "n", .integer("N", in: 1...1_000_000), "How many events. Otherwise 20.")

    static let command = Verb(
        "log", "Show the last events with their vector clocks.", example: "log", "log 5 --json",
        explanation: """
            Newest first. `b2` is the second event of device b, and its vector clock `a3.b2` says what
            b had seen when it recorded it: three events of a and its own two. Devices are lettered in
            the order in which they reached the server. `n` is the event's number in the server's log;
            a dash means that it has not been sent yet. Duplicates, which arise when a file is copied
            or restored, are left out. With --json the clocks are written out by device.
            """, run: run
    ) { count }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let events = try home.replica.read { try $0.latestEvents(Int(arguments[count] ?? 20)) }
        let notation = try home.replica.read { try $0.notation() }
        try home.show(.array(events.map { EventJSON.json($0, notation) })) { home in
            try tell(events, notation, &home)
        }
    }

    private static func tell(
        _ events: [LoggedEvent], _ notation: Notation, _ home: inout Home
    ) throws {
        guard !events.isEmpty else { return home.say("No events yet.") }
        var notation = notation
        let shown = Shown(preferences: try home.preferences)
        var table = Table(
            Table.Column("event"), Table.Column("clock"), Table.Column("n", .right),
            Table.Column("recorded"), Table.Column("what"), Table.Column("changes"))
        for logged in events {
            let event = logged.event
            table.add(
                Table.Cell(notation.write(event.dot), .bold),
                Table.Cell(notation.write(logged.clock), .cyan),
                Table.Cell(logged.n.map { "\($0)" } ?? "–"),
                Table.Cell(localTimeText(event.wall), .dim), Table.Cell(event.type.string),
                Table.Cell(summary(of: event, shown)))
        }
        home.say(table.lines(style: home.style, width: home.terminalWidth))
    }

    /// What an event changes, in one line.
    static func summary(of event: Event, _ shown: Shown) -> String {
        let parts = event.changes.map { change in
            let operations = change.operations.map { text($0, in: change.entity.kind, shown) }
            return "\(change.entity.kind) \(change.entity.id.lastDigits(4)) "
                + operations.joined(separator: ", ")
        }
        return parts.joined(separator: "; ")
    }

    /// One operation as a person reads it.
    static func text(_ operation: CellOperation, in kind: UTF8Text, _ shown: Shown) -> String {
        switch operation {
        case .set(let fields):
            fields.entries.map {
                "\(shownTitle(of: $0.name, in: kind)) "
                    + formatted($0.value, of: $0.name, in: kind, shown)
            }.joined(separator: ", ")
        case .add(let field, let element):
            "\(shownTitle(of: field, in: kind)) +\(element.formatted)"
        case .remove(let field, let element):
            "\(shownTitle(of: field, in: kind)) -\(element.formatted)"
        case .delete: "deleted"
        case .restore: "added or restored"
        case .unknown: "a change of a newer version"
        }
    }
}

/// Milliseconds since 1970 UTC as local time: `2026-11-20 07:40`. The clock of another device may be
/// wrong by centuries.
func localTimeText(_ milliseconds: Int64) -> String {
    let offset = LocalZone.system.offsetMinutes(milliseconds)
    let date = LocalDate(instant: milliseconds, zone: nil, offsetMinutes: offset)
    return date.map { "\($0.day) \($0.clock)" } ?? timeText(milliseconds) ?? "an unknown time"
}
