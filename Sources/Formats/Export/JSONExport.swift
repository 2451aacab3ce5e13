import Events
import JSON
import Log
public import Macrolog
import Nutrition

/// Writes a whole replica as one JSON object from which it can be made anew without loss: the exact
/// bytes and the seal of every event, readable beside them, and the entities as they are now.
///
///     {"format":"macrolog","version":1,"device":"0190…","epoch":1,"cursor":3,"digest":"…",
///     "devices":[{"name":"a","id":"0190…"}],
///     "events":[
///     {"event":"a1","clock":"a1","type":"meal.added",…,"bytes":"a8…"}
///     ],
///     "entities":[
///     {"kind":"meal","id":"…","deleted":false,"fields":{…}}
///     ],
///     "counts":{"events":1,"entities":1}}
///
/// One line for each event and entity, devices in the order of their names, each device's events in
/// the order of their numbers. Everything else follows from `bytes` (hexadecimal CBOR,
/// `protocol.md` §2) and `seal`. A file that ends without `counts` was cut off.
public enum JSONExport {
    /// The version of this format. Readers refuse a version they do not know.
    public static let version: Int64 = 1

    /// How much was written.
    public struct Counts: Hashable, Sendable {
        /// Events of all devices.
        public internal(set) var events: Int64 = 0
        /// Entities, deleted ones included.
        public internal(set) var entities: Int64 = 0
    }

    /// Writes the replica as it is now; memory stays small, however long the log.
    ///
    /// The replica waits meanwhile, so that events and entities belong together: neither closure
    /// may use it.
    ///
    /// - Parameters:
    ///   - progress: Told how many events are written, of how many.
    ///   - sink: Takes the text, piece by piece.
    /// - Throws: ``ExportError`` when the log does not hold all that it should, and what the sink
    ///   throws.
    @discardableResult
    public static func write(
        _ replica: Replica, progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in },
        to sink: (String) throws -> Void
    ) throws -> Counts {
        try replica.withStore { store in
            let log = store.log
            let devices = try log.devices(in: &store.db)
            let total = log.cursor + log.unsealedCount
            var counts = Counts()
            var kinds: Set<Text> = []
            var page = Page(log, devices)
            for device in devices {
                var seq: Int64 = 1
                while let entry = try log.entry(Dot(device: device, seq: seq), in: &store.db) {
                    let clock = try log.clock(of: entry.stamp, in: &store.db)
                    page.line(Readable.event(entry, clock, devices))
                    if page.isFull { try sink(page.take()) }
                    kinds.formUnion(entry.event.changes.map(\.entity.kind))
                    counts.events += 1
                    seq += 1
                    if counts.events % 1_000 == 0 { progress(counts.events, total) }
                }
            }
            guard counts.events == total else {
                throw ExportError(missingEvents: total - counts.events)
            }
            progress(counts.events, total)
            page.next("entities")
            for kind in kinds.sorted() {
                try EntityTable.forEach(kind: kind, in: &store.db) { id, state in
                    page.line(Readable.entity(EntityKey(kind, id), state))
                    if page.isFull { try sink(page.take()) }
                    counts.entities += 1
                }
            }
            page.close(counts)
            try sink(page.take())
            return counts
        }
    }
}

/// Why the log could not be exported whole.
public struct ExportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// How many events the log should hold and does not.
    public let missingEvents: Int64

    /// What is wrong and what to do.
    public var description: String {
        "the log lacks \(missingEvents) events that it should hold: run `macrolog db check`, "
            + "and sync a new replica if it agrees"
    }
}

/// The text of the export, to be handed on in pieces.
private struct Page {
    private var text: String
    private var isFirst = true

    init(_ log: EventLog, _ devices: [Identifier]) {
        var names = Notation(devices)
        let head: JSON = [
            "format": "macrolog", "version": .integer(JSONExport.version),
            "device": .string(log.device.description), "epoch": .integer(Int64(log.epoch)),
            "cursor": .integer(log.cursor), "digest": .string(Readable.hex(log.digest.bytes)),
            "devices": .array(
                devices.map {
                    ["name": .string(names.name(of: $0)), "id": .string($0.description)]
                }),
        ]
        text = head.compact.dropLast() + ",\n\"events\":[\n"
    }

    var isFull: Bool { text.utf8.count > 65_536 }

    mutating func take() -> String {
        defer { text = "" }
        return text
    }

    mutating func line(_ value: JSON) {
        text += (isFirst ? "" : ",\n") + value.compact
        isFirst = false
    }

    mutating func next(_ name: String) {
        text += "\n],\n\"\(name)\":[\n"
        isFirst = true
    }

    mutating func close(_ counts: JSONExport.Counts) {
        let tail: JSON = [
            "events": .integer(counts.events), "entities": .integer(counts.entities),
        ]
        text += "\n],\n\"counts\":\(tail.compact)}\n"
    }
}
