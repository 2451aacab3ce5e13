import MacrologArgumentParsing
import MacrologTerminal
import MacrologFormats
import Macrolog
import MacrologFaces

/// `doctor --bundle`: writes the log, redacted, to a file that can be given to a stranger.
enum DoctorBundle {
    static func write(to path: String, arguments: ParsedArguments, home: inout Home) throws {
        let replica = try home.replica
        var line = ProgressLine("Reading", home)
        let facts = LogJSON.facts(
            program: Version.number, try replica.read { try $0.statistics() }.face,
            try replica.syncStatus().face)
        var file = try OutputFile.create(path, mayReplace: arguments[Doctor.force], arguments)
        let events = try JSONExport.writeRedacted(
            replica, facts: facts, progress: { line.show($0, $1) }, to: { try file.write($0) }
        ).events
        line.end()
        try file.complete()
        try home.show(FileJSON.written(path, [.events(events)])) { home in
            home.say(
                "Wrote \(counted(events, "event")), redacted, to \(printable(path)): no name, no "
                    + "number, no food.")
        }
    }
}
