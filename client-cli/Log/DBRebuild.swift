import MacrologArgumentParsing
import MacrologFaces
import Macrolog

/// `db rebuild`: rebuilds all read models from the events.
enum DBRebuild {
    static let evenDamaged = Parameter.flag(
        "even-damaged",
        "Rebuild although events are damaged: what these recorded is not shown any more.")

    static let command = Verb(
        "db rebuild", "Rebuild the read models from the events.",
        example: "db rebuild",
        explanation: """
            No event is changed; which events count twice is decided again from their order. The result is identical to the last byte, unless the tables were
            damaged; the hashes before and after show whether they were. Damaged events cannot be
            folded, so while the log has some, nothing is rebuilt: the read models may still show
            what they recorded.
            """, run: run
    ) {
        evenDamaged
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        try home.requireLog()
        let replica = try home.replica
        let log = try replica.logHealth()
        guard (log.firstUnsound == nil && log.isQueueSound) || arguments[evenDamaged] else {
            throw CommandError(
                .dataErr,
                """
                \(arguments.command): events are damaged, and what they recorded would not be shown any more. With an \
                account, macrolog sync fetches those that the server has. Note what macrolog day show still shows of \
                the others; then type --even-damaged
                """)
        }
        var line = ProgressLine("Folding", home)
        var events: Int64 = 0
        let (before, after) = try replica.rebuild { done, total in
            events = total
            line.show(done, total)
        }
        line.end()
        try home.show(LogJSON.rebuilt(events: events, from: before, to: after)) { home in
            home.say(
                "Folded \(counted(events, "event")); "
                    + (before == after
                        ? "the result is identical." : "damaged tables were repaired."))
            home.say("State \(hexadecimal(after))")
        }
    }
}
