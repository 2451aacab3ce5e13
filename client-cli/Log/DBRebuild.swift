import MacrologArgumentParsing
import MacrologFaces
import Macrolog

/// `db rebuild`: rebuilds all read models from the events.
enum DBRebuild {
    static let command = Verb(
        "db rebuild", "Rebuild the read models from the events.",
        example: "db rebuild",
        explanation: """
            No event is changed. The result is identical to the last byte, unless the tables were
            damaged; the hashes before and after show whether they were.
            """, run: run)

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let replica = try home.replica
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
