public import MacrologEvents
import MacrologWire
public import MacrologJSON
import MacrologLog
public import Macrolog
import MacrologNutrition
import MacrologNutritionModels
package import MacrologReadModels

/// Writes a whole replica as one JSON object from which it can be restored without loss: the exact
/// bytes and the seal of every event, their readable form, and the current entities.
///
///     {"format":"macrolog","version":1,"redacted":false,"device":"0190…","epoch":1,"cursor":3,
///     "digest":"…","devices":[{"name":"a","id":"0190…"}],
///     "events":[
///     {"event":"a1","clock":"a1","type":"meal.added",…,"bytes":"a8…"}
///     ],
///     "entities":[
///     {"kind":"meal","id":"…","deleted":false,"fields":{…}}
///     ],
///     "counts":{"events":1,"entities":1}}
///
/// One line for each event and entity: devices ordered by name, events by number, then those that
/// the server has not sealed. Everything else follows from `bytes` (hexadecimal CBOR, `protocol.md`
/// §2) and `seal`. A file that ends without `counts` was cut off.
///
/// A redacted log has the same form, with events made by a ``Redaction``. It has no digest and no
/// entities, but the `state` of the device and facts `about` it. ``ExportedLog`` reads both.
public enum JSONExport {
    /// The version of this format. Readers refuse a version they do not know.
    public static let version: Int64 = 1

    /// The amount written.
    public struct Counts: Hashable, Sendable {
        /// Events of all devices.
        public internal(set) var events: Int64 = 0
        /// Entities, deleted ones included.
        public internal(set) var entities: Int64 = 0
    }

    /// Writes the current replica; memory stays small, however long the log.
    ///
    /// The replica is locked meanwhile, so that events and entities are consistent: neither closure
    /// may use it.
    ///
    /// - Parameters:
    ///   - progress: Called with the number of events written, and their total.
    ///   - sink: Receives the text, piece by piece.
    /// - Throws: ``ExportError`` when the log is incomplete, and any error of the sink.
    @discardableResult
    public static func write(
        _ replica: Replica, progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in },
        to sink: (String) throws -> Void
    ) throws -> Counts {
        try replica.withStore { store in
            var page = Page(store.log, try store.log.devices(in: &store.db))
            return try write(&store, &page, progress: progress, to: sink)
        }
    }

    /// Writes the structure of the events, without their contents: what a bug report may hold.
    ///
    /// - Parameters:
    ///   - facts: Other facts about the device; nothing that a person typed.
    ///   - progress: Called with the number of events written, and their total.
    ///   - sink: Receives the text, piece by piece.
    @discardableResult
    public static func writeRedacted(
        _ replica: Replica, facts: [JSON.Member] = [],
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in },
        to sink: (String) throws -> Void
    ) throws -> Counts {
        try replica.withStore { store in
            try writeRedacted(&store, facts: facts, progress: progress, to: sink)
        }
    }

    /// Writes the structure of a store's events, without their contents.
    ///
    /// - Parameters:
    ///   - facts: Other facts about the device; nothing that a person typed.
    ///   - progress: Called with the number of events written, and their total.
    ///   - sink: Receives the text, piece by piece.
    @discardableResult
    package static func writeRedacted(
        _ store: inout Store, facts: [JSON.Member] = [],
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in },
        to sink: (String) throws -> Void
    ) throws -> Counts {
        let (state, devices) = try DeviceState.survey(&store)
        let more = [
            JSON.Member("state", state.json),
            JSON.Member("about", .object(try DeviceState.facts(&store) + facts)),
        ]
        var page = Page(store.log, devices, Redaction(devices), more)
        return try write(&store, &page, progress: progress, to: sink)
    }

    private static func write(
        _ store: inout Store, _ page: inout Page,
        progress: (_ done: Int64, _ total: Int64) -> Void, to sink: (String) throws -> Void
    ) throws -> Counts {
        let total = store.log.cursor + store.log.unsealedCount
        var counts = Counts()
        var kinds: Set<UTF8Text> = []
        // The log is scanned with errors of its own type only: another error is kept until the scan
        // has ended, and nothing is written after it.
        var failure: (any Error)?
        func attempt(_ body: () throws -> Void) {
            guard failure == nil else { return }
            do { try body() } catch { failure = error }
        }
        try store.log.scan(in: &store.db) { stored in
            attempt {
                guard try page.add(stored) else { return }
                if page.isFull { try sink(page.take()) }
                kinds.formUnion(stored.entry?.event.changes.map(\.entity.kind) ?? [])
                counts.events += 1
                if counts.events % 1_000 == 0 { progress(counts.events, total) }
            }
        }
        if let failure { throw failure }
        guard counts.events == total || page.isRedacted else {
            throw ExportError(missingEvents: total - counts.events)
        }
        progress(counts.events, total)
        page.next("entities")
        for kind in page.isRedacted ? [] : kinds.sorted() {
            try EntityTable.forEach(kind: kind, in: &store.db) { id, state in
                attempt {
                    page.line(Readable.entity(EntityKey(kind, id), state))
                    if page.isFull { try sink(page.take()) }
                    counts.entities += 1
                }
            }
            if let failure { throw failure }
        }
        page.close(counts)
        try sink(page.take())
        return counts
    }
}

/// Why the log could not be exported completely.
public struct ExportError: ExplainedError, Hashable, Sendable {
    /// The number of events that the log lacks.
    public let missingEvents: Int64

    /// The cause in words, and what a person can do about it.
    public var text: ErrorText {
        ErrorText(
            cannot: "export the log",
            "the log lacks \(missingEvents) events that it should hold",
            hint: "check the log, and sync into a new replica if events are missing")
    }
}

/// The text of the export, to be emitted in pieces.
private struct Page {
    private var text = ""
    private var isFirst = true
    private var clocks = ClockIndex()
    private let devices: [Identifier]
    private var redaction: Redaction?

    init(
        _ log: EventLog, _ devices: [Identifier], _ redaction: Redaction? = nil,
        _ more: [JSON.Member] = []
    ) {
        var redaction = redaction
        self.devices = redaction.map { made in devices.map { made.device($0) } } ?? devices
        var names = Notation(self.devices)
        let device = redaction?.device(log.device) ?? log.device
        let epoch = redaction?.epoch(log.epoch) ?? log.epoch
        let head: [JSON.Member] = [
            JSON.Member("format", "macrolog"), JSON.Member("version", .integer(JSONExport.version)),
            JSON.Member("redacted", .bool(redaction != nil)),
            JSON.Member("device", .string(device.description)),
            JSON.Member("epoch", .integer(Int64(epoch))),
            JSON.Member("cursor", .integer(log.cursor)),
            JSON.Member(
                "digest", redaction == nil ? .string(hexadecimal(log.digest.bytes)) : .null),
            JSON.Member(
                "devices",
                .array(
                    self.devices.map {
                        ["name": .string(names.name(of: $0)), "id": .string($0.description)]
                    })),
        ]
        text = JSON.object(head + more).compact.dropLast() + ",\n\"events\":[\n"
        self.redaction = redaction
    }

    var isRedacted: Bool { redaction != nil }

    /// - Returns: `false` for an event that can't be read and is left out.
    mutating func add(_ stored: EventLog.Stored) throws -> Bool {
        if let found = stored.entry {
            let entry = try redaction?.entry(found) ?? found
            line(Readable.event(entry, clocks.clock(of: entry.stamp), devices))
            if let seal = entry.seal { clocks.admit(entry.event.dot, n: seal.n.rawValue) }
        } else if let dot = redaction?.dot(stored.dot) {
            let seal = stored.seal.flatMap { redaction?.seal($0) }
            line(Readable.damaged(dot, seal, devices))
            if let seal { clocks.admit(dot, n: seal.n.rawValue) }
        } else {
            return false
        }
        return true
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
