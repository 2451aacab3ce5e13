import MacrologArgumentParsing
import MacrologTerminal
import MacrologFormats
import MacrologJSON
import Macrolog
import MacrologFaces

/// `doctor --bundle`: writes the log, redacted, to a file that can be given to a stranger.
enum DoctorBundle {
    static func write(to path: String, arguments: ParsedArguments, home: inout Home) throws {
        let replica = try home.replica
        var line = ProgressLine("Reading", home)
        let facts = try facts(replica)
        var file = try OutputFile.create(path, mayReplace: arguments[Doctor.force], arguments)
        let events = try replica.withStore { store in
            try JSONExport.writeRedacted(
                &store, facts: facts, progress: { line.show($0, $1) }, to: { try file.write($0) }
            ).events
        }
        line.end()
        try file.complete()
        try home.show(["file": .string(path), "event_count": .integer(events)]) { home in
            home.say(
                "Wrote \(counted(events, "event")), redacted, to \(printable(path)): no name, no "
                    + "number, no food.")
        }
    }

    /// Facts that help to understand a log: sizes, versions, the state of syncing.
    private static func facts(_ replica: Replica) throws -> [JSON.Member] {
        let (found, status) = (try replica.statistics(), try replica.syncStatus())
        return [
            JSON.Member("program", .string(Version.number)),
            JSON.Member("migrations", .array(try replica.migrations().map { .string($0) })),
            JSON.Member("file_bytes", .integer(found.fileBytes)),
            JSON.Member("unused_fields", .integer(found.quarantined)),
            JSON.Member("head", .integer(status.head)),
            JSON.Member("since_success_s", .seconds(status.sinceSuccess)),
            JSON.Member("failing_for_s", .seconds(status.failingFor)),
            JSON.Member("offline", .bool(status.isOffline)),
            JSON.Member("clock_ahead_s", .seconds(status.clock?.lead)),
            JSON.Member(
                "devices_lack",
                status.receipts.map { .array($0.devices.map { .integer($0.lacks) }) } ?? .null),
        ]
    }
}
