import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `db stats`: counts what is in the file.
enum DBStats {
    static let command = Verb(
        "db stats", "Show statistics of the log.", example: "db stats", run: run)

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let found = try home.replica.statistics()
        let path = try home.path
        try home.show(
            .object([
                JSON.Member("file", .string(path)),
                JSON.Member("size_bytes", .integer(found.fileBytes)),
                JSON.Member("device_id", .id(found.device)),
                JSON.Member("device_count", .integer(found.devices)),
                JSON.Member("event_count", .integer(found.events)),
                JSON.Member("events_compacted", .integer(found.compactedEvents)),
                JSON.Member("unsealed", .integer(found.unsealedEvents)),
                JSON.Member("cursor", .integer(found.cursor)),
                JSON.Member("epoch", .integer(Int64(found.epoch))),
                JSON.Member("conflict_count", .integer(found.conflicts)),
                JSON.Member("unused_field_count", .integer(found.quarantined)),
                JSON.Member(
                    "entities",
                    .array(
                        found.entities.map {
                            ["kind": .string($0.kind), "entity_count": .integer($0.count)]
                        })),
            ])
        ) { home in
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
            for (kind, count) in found.entities where Kind.named(Text(kind)) != nil {
                rows.append(
                    (kind.split(separator: "_").joined(separator: " "), numberFormat.text(count)))
            }
            for (name, text) in rows {
                home.say(padded(name.capitalised, to: 14) + printable(text))
            }
        }
    }
}
