package import MacrologEvents

/// The encoding of an event: deterministic CBOR, defined by the CDDL of `protocol.md` §3.
///
/// The bytes are authoritative: they are hashed, stored and relayed unchanged.
extension Event {
    fileprivate enum Key {
        static let device: Int64 = 0
        static let seq: Int64 = 1
        static let base: Int64 = 2
        static let wall: Int64 = 3
        static let type: Int64 = 4
        static let version: Int64 = 5
        static let changes: Int64 = 6
        static let group: Int64 = 7
    }

    /// Encodes the event.
    package func encoded() -> [UInt8] {
        var writer = CBORWriter()
        encode(into: &writer)
        return writer.bytes
    }

    /// Appends the encoded event to `writer`.
    package func encode(into writer: inout CBORWriter) {
        EventHeader(dot: dot, base: base, wall: wall)
            .encode(pairs: 7 + (group == nil ? 0 : 1) + extras.count, into: &writer)
        writer.int(Key.type)
        writer.text(type)
        writer.int(Key.version)
        writer.int(version)
        writer.int(Key.changes)
        writer.array(changes.count)
        // By index, because copying a change retains its kind and its operations.
        for index in changes.indices {
            Change.encode(changes[index].operations, of: changes[index].entity, into: &writer)
        }
        if let group {
            writer.int(Key.group)
            writer.identifier(group)
        }
        for extra in extras {
            writer.int(extra.key)
            writer.value(extra.value)
        }
    }

    /// Decodes an event, strictly.
    package static func decoded(_ bytes: [UInt8]) throws(CBORError) -> Event {
        try bytes.withUnsafeBufferPointer { buffer throws(CBORError) in
            try decoded(UnsafeRawBufferPointer(buffer))
        }
    }

    /// Decodes an event, strictly.
    package static func decoded(_ bytes: UnsafeRawBufferPointer) throws(CBORError) -> Event {
        guard bytes.count <= Limits.eventBytesMax else {
            throw CBORError(.limit, at: Limits.eventBytesMax, in: "event")
        }
        return try CBORReader.read(bytes, as: "event") { reader throws(CBORError) in
            let start = reader.offset
            var (header, pairs) = try EventHeader.read(&reader)
            guard pairs >= 3 else { throw reader.error(.shape, at: start) }
            reader.path = "event.type"
            try reader.expectKey(Key.type)
            let type = try reader.text(limit: Limits.nameBytesMax)
            try reader.expectKey(Key.version)
            let version = try reader.int(in: 1...Int64.max)
            reader.path = "event.changes"
            try reader.expectKey(Key.changes)
            let changes = try Change.readAll(&reader)
            pairs -= 3
            var (group, extras): (Identifier?, [Extra]) = (nil, [])
            reader.path = "event.extras"
            var last = Key.changes
            while pairs > 0 {
                let start = reader.offset
                let key = try reader.int()
                guard key > last else { throw reader.error(.keyOrder, at: start) }
                if key == Key.group {
                    group = try reader.identifier()
                } else {
                    extras.append(Extra(key: key, value: try reader.value(depth: 2)))
                }
                (last, pairs) = (key, pairs - 1)
            }
            return Event(
                dot: header.dot, base: header.base, wall: header.wall, type: type,
                version: version, changes: changes, group: group, extras: extras)
        }
    }
}

/// The part of an event that the server reads: its dot, its base and its wall time. The server
/// checks the rest in shape and size, never in meaning.
package struct EventHeader: Hashable, Sendable {
    /// The event's dot.
    public let dot: Dot
    /// How much of the server's log its device had folded.
    public let base: Base
    /// The device's wall clock, in milliseconds since 1970 UTC.
    public let wall: Int64

    /// Reads the header and checks that all bytes are an event in shape and size.
    public static func checked(_ bytes: [UInt8]) throws(CBORError) -> EventHeader {
        let event = try Event.decoded(bytes)
        return EventHeader(dot: event.dot, base: event.base, wall: event.wall)
    }

    /// Appends the head of an event's map and its first four pairs.
    func encode(pairs: Int, into writer: inout CBORWriter) {
        writer.map(pairs)
        writer.int(Event.Key.device)
        writer.identifier(dot.device)
        writer.int(Event.Key.seq)
        writer.int(dot.seq.rawValue)
        writer.int(Event.Key.base)
        writer.array(2)
        writer.int(Int64(base.epoch))
        writer.int(base.n.rawValue)
        writer.int(Event.Key.wall)
        writer.int(wall)
    }

    /// Reads only the header of bytes that were checked before.
    public static func peeked(_ bytes: UnsafeRawBufferPointer) throws(CBORError) -> EventHeader {
        try CBORReader.peek(bytes, as: "event") { reader throws(CBORError) in
            try read(&reader).header
        }
    }

    /// Reads the map's head and the first four pairs; also returns how many pairs are left.
    static func read(
        _ reader: inout CBORReader
    ) throws(CBORError) -> (header: EventHeader, pairsLeft: Int) {
        let start = reader.offset
        let pairs = try reader.map()
        guard pairs >= Skeleton.pairs else { throw reader.error(.shape, at: start) }
        try reader.expectKey(Event.Key.device)
        let device = try reader.identifier()
        try reader.expectKey(Event.Key.seq)
        let seq = try reader.int(in: 1...Int64.max)
        try reader.expectKey(Event.Key.base)
        reader.path = "event.base"
        let baseStart = reader.offset
        try reader.array(of: 2)
        let epoch = UInt32(try reader.int(in: 0...Int64(UInt32.max)))
        let base = Base(epoch: epoch, n: try reader.int(in: 0...Int64.max))
        guard base.epoch != 0 || base.n == 0 else { throw reader.error(.shape, at: baseStart) }
        reader.path = "event.wall"
        try reader.expectKey(Event.Key.wall)
        let wall = try reader.int()
        let header = EventHeader(dot: Dot(device: device, seq: seq), base: base, wall: wall)
        return (header, pairs - 4)
    }
}

extension CBORReader {
    /// Reads a key, which must be the given one.
    mutating func expectKey(_ key: Int64) throws(CBORError) {
        let start = offset
        guard try int() == key else { throw error(.shape, at: start) }
    }
}

extension Change {
    fileprivate enum Verb {
        static let add: Int64 = 1
        static let remove: Int64 = 2
        static let delete: Int64 = 3
        static let restore: Int64 = 4
    }

    @inline(__always)
    fileprivate static func encode(
        _ operations: [CellOperation], of entity: EntityKey, into writer: inout CBORWriter
    ) {
        writer.array(2 + operations.count)
        writer.text(entity.kind)
        writer.identifier(entity.id)
        for index in operations.indices {
            switch operations[index] {
            case .set(let fields): writer.map(fields)
            case .add(let field, let element): member(Verb.add, field, element, &writer)
            case .remove(let field, let element): member(Verb.remove, field, element, &writer)
            case .delete:
                writer.array(1)
                writer.int(Verb.delete)
            case .restore:
                writer.array(1)
                writer.int(Verb.restore)
            case .unknown(let verb, let arguments):
                writer.array(1 + arguments.count)
                writer.int(verb)
                for argument in arguments { writer.value(argument) }
            }
        }
    }

    private static func member(
        _ verb: Int64, _ field: UTF8Text, _ element: Value, _ writer: inout CBORWriter
    ) {
        writer.array(3)
        writer.int(verb)
        writer.text(field)
        writer.value(element)
    }

    static func readAll(_ reader: inout CBORReader) throws(CBORError) -> [Change] {
        let start = reader.offset
        let count = try reader.array(limit: Limits.changesMax)
        guard count > 0 else { throw reader.error(.shape, at: start) }
        var changes: [Change] = []
        changes.reserveCapacity(count)
        for _ in 0..<count {
            let start = reader.offset
            let change = try read(&reader)
            guard !changes.contains(where: { $0.entity == change.entity }) else {
                throw reader.error(.shape, at: start)
            }
            changes.append(change)
        }
        return changes
    }

    private static func read(_ reader: inout CBORReader) throws(CBORError) -> Change {
        let start = reader.offset
        let count = try reader.array(limit: 2 + Limits.operationsMax)
        guard count >= 3 else { throw reader.error(.shape, at: start) }
        let kind = try reader.text(limit: Limits.nameBytesMax)
        let id = try reader.identifier()
        var operations: [CellOperation] = []
        operations.reserveCapacity(count - 2)
        for _ in 2..<count { operations.append(try CellOperation.read(&reader)) }
        let change = Change(EntityKey(kind, id), operations)
        guard count == 3 || change.writesEachCellOnce else {
            throw reader.error(.shape, at: start)
        }
        return change
    }

    /// Whether no two operations write the same cell. Unknown operations are ignored, because a
    /// newer version may use several of them.
    package var writesEachCellOnce: Bool {
        var seen: Set<CellKey> = []
        for operation in operations {
            for (cell, _) in operation.writes where cell != .newer {
                guard seen.insert(cell).inserted else { return false }
            }
        }
        return true
    }
}

extension CellOperation {
    fileprivate static func read(_ reader: inout CBORReader) throws(CBORError) -> CellOperation {
        let start = reader.offset
        if try reader.nextMajor() == 5 {
            // The map is nested in the change, in the changes, in the body: depth 4.
            let fields = try reader.valueMap(depth: 4)
            guard !fields.entries.isEmpty else { throw reader.error(.shape, at: start) }
            return .set(fields)
        }
        let count = try reader.array(limit: Limits.mapEntriesMax)
        guard count >= 1 else { throw reader.error(.shape, at: start) }
        let verb = try reader.int(in: 1...Int64.max)
        switch (verb, count) {
        case (Change.Verb.add, 3), (Change.Verb.remove, 3):
            let field = try reader.text(limit: Limits.nameBytesMax)
            let element = try reader.value(depth: 5)
            return verb == Change.Verb.add
                ? .add(field: field, element: element) : .remove(field: field, element: element)
        case (Change.Verb.delete, 1): return .delete
        case (Change.Verb.restore, 1): return .restore
        case (Change.Verb.add...Change.Verb.restore, _): throw reader.error(.shape, at: start)
        default:
            var arguments: [Value] = []
            for _ in 1..<count { arguments.append(try reader.value(depth: 5)) }
            return .unknown(verb: verb, arguments: arguments)
        }
    }
}
