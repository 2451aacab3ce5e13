import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `db stats`: counts what is in the file.
enum DBStats {
    static let command = Verb(
        "db stats", "Show statistics of the log.", example: "db stats", run: run)

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        try home.requireLog()
        let found = try home.replica.read { try $0.statistics() }
        let path = try home.path
        try home.show(found.face.json(of: path)) { home in
            let numberFormat = NumberFormat.grouped
            var rows = [
                ("Database", path), ("Size", "\(numberFormat.text(found.fileBytes / 1_024)) KiB"),
                ("Device", "\(found.device)"), ("Devices", numberFormat.text(found.devices)),
                ("Events", numberFormat.text(found.events)),
                ("Compacted", numberFormat.text(found.compactedEvents)),
                ("Not sent yet", numberFormat.text(found.unsealedEvents)),
                (
                    "Server's log",
                    found.cursor == 0
                        ? "never synced" : "up to number \(numberFormat.text(found.cursor))"
                ), ("Conflicts", numberFormat.text(found.conflicts)),
                ("Not used", "\(numberFormat.text(found.quarantined)) fields"),
            ]
            for (kind, count) in found.entities where Kind.named(UTF8Text(kind)) != nil {
                rows.append(
                    (kind.split(separator: "_").joined(separator: " "), numberFormat.text(count)))
            }
            for (name, text) in rows {
                home.say(padded(name.capitalised, to: 14) + printable(text))
            }
        }
    }
}

extension LogStatistics {
    var face: LogStatisticsFace {
        LogStatisticsFace(
            device: device, devices: devices, events: events, compactedEvents: compactedEvents,
            unsealedEvents: unsealedEvents, cursor: cursor, epoch: epoch, conflicts: conflicts,
            unusedFields: quarantined, fileBytes: fileBytes, entities: entities)
    }
}
