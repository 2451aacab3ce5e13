import MacrologEvents
import MacrologWire
import MacrologLog
import Macrolog
import MacrologNutrition

/// Removes the contents of events and keeps their structure.
///
/// Each value becomes a stand-in of the same type: a number becomes the count of other values that
/// this field of this entity had before; a text or bytes become that count, padded with `x` to
/// their length. Equal values thus stay equal, and different ones different. Ids are numbered,
/// devices in the order of their ids, which breaks ties between equal times; times are relative to
/// an invented beginning. Names of types, kinds and fields are kept if they are this program's own;
/// any other becomes `?` and a number.
struct Redaction {
    private struct Scope: Hashable {
        let entity: Identifier
        let field: UTF8Text
        /// Booleans are numbered separately, since they have only two values.
        let isBool: Bool
    }

    /// Late enough that years before it are moments too: milliseconds since 1970 UTC.
    private static let beginning: Int64 = 4_000_000_000_000

    private let devices: [Identifier: Identifier]
    private var entities: [Identifier: Int] = [:]
    private var groups: [Identifier: Int] = [:]
    private var epochs: [UInt32: Int] = [:]
    private var names: [UTF8Text: Int] = [:]
    private var values: [Scope: [Value: Int]] = [:]
    /// The offset of the invented beginning from the log's own.
    private var shift: Int64?

    /// Takes every device that an event may name.
    init(_ devices: [Identifier]) {
        let ranks = devices.sorted().enumerated().map { rank, device in
            (device, Identifier(high: 0xA, low: UInt64(rank) + 1))
        }
        self.devices = Dictionary(ranks) { first, _ in first }
    }

    func device(_ id: Identifier) -> Identifier { devices[id] ?? Identifier(high: 0xA, low: 0) }

    func dot(_ dot: Dot) -> Dot { Dot(device: device(dot.device), seq: dot.seq) }

    mutating func epoch(_ epoch: UInt32) -> UInt32 {
        epoch == 0 ? 0 : 1_001 + UInt32(Self.number(epoch, &epochs))
    }

    mutating func seal(_ seal: Seal) -> Seal {
        Seal(n: seal.n, t: SealedTime(moment(seal.milliseconds) << 16 | seal.t.rawValue & 0xFFFF))
    }

    mutating func entry(_ entry: LogEntry) throws -> LogEntry {
        let seal = entry.seal.map { self.seal($0) }
        let event = self.event(entry.event)
        guard let skeleton = entry.skeleton else { return LogEntry(event: event, seal: seal) }
        // The hash of the original could confirm a guess; the hash of the stand-in reveals nothing.
        let made = try event.encoded().withUnsafeBytes { body in
            try Skeleton(of: body, through: skeleton.through.rawValue)
        }
        return LogEntry(.skeleton(made), seal)
    }

    private mutating func event(_ event: Event) -> Event {
        Event(
            dot: dot(event.dot), base: Base(epoch: epoch(event.base.epoch), n: event.base.n),
            wall: moment(event.wall), type: type(event.type), version: event.version,
            changes: event.changes.map { change($0) },
            group: event.group.map {
                Identifier(high: 0x6, low: UInt64(Self.number($0, &groups)))
            }, extras: event.extras.map { extra($0, of: event) })
    }

    private mutating func extra(_ extra: Event.Extra, of event: Event) -> Event.Extra {
        let value: Value
        if extra.key == Event.reissuedFromKey, let origin = event.reissuedFrom {
            value = .array([.bytes(device(origin.device).bytes), .int(origin.seq.rawValue)])
        } else {
            value = standIn(extra.value, "extra", Identifier(high: 0, low: 0))
        }
        return Event.Extra(key: extra.key, value: value)
    }

    private mutating func change(_ change: Change) -> Change {
        let (kind, id) = (change.entity.kind, change.entity.id)
        let known = Kind.named(kind)
        let made = EntityKey(known == nil ? alias(kind) : kind, entity(id))
        return Change(
            made,
            change.operations.map { operation in
                switch operation {
                case .set(let fields):
                    .set(
                        ValueMap(
                            fields.entries.map {
                                ValueMap.Entry(
                                    field($0.name, known), standIn($0.value, $0.name, id))
                            }))
                case .add(let name, let element):
                    .add(field: field(name, known), element: standIn(element, name, id))
                case .remove(let name, let element):
                    .remove(field: field(name, known), element: standIn(element, name, id))
                case .delete: .delete
                case .restore: .restore
                case .unknown(let verb, let arguments):
                    .unknown(
                        verb: verb, arguments: arguments.map { standIn($0, "argument", id) })
                }
            })
    }

    /// - Parameters:
    ///   - field: The field that holds the value, by its own name.
    ///   - entity: The entity whose field it is, by its own id.
    private mutating func standIn(_ value: Value, _ field: UTF8Text, _ entity: Identifier) -> Value
    {
        let scope = Scope(entity: entity, field: field, isBool: value.bool != nil)
        switch value {
        case .null: return .null
        case .array(let items): return .array(items.map { standIn($0, field, entity) })
        case .map(let map):
            return .map(
                ValueMap(
                    map.entries.map {
                        ValueMap.Entry(alias($0.name), standIn($0.value, field, entity))
                    }))
        case .bool: return .bool(Self.number(value, &values[scope, default: [:]]) == 1)
        case .int: return .int(Int64(Self.number(value, &values[scope, default: [:]])))
        case .text(let text):
            let number = Self.number(value, &values[scope, default: [:]])
            return .text(UTF8Text(String(decoding: filled(number, text.byteCount), as: UTF8.self)))
        case .bytes(let bytes):
            if let id = Identifier(bytes: bytes) { return .bytes(self.entity(id).bytes) }
            return .bytes(filled(Self.number(value, &values[scope, default: [:]]), bytes.count))
        }
    }

    /// The bytes of a number, padded to at least `count`; empty when there is no number.
    private func filled(_ number: Int, _ count: Int) -> [UInt8] {
        guard count > 0 else { return [] }
        let digits = Array("\(number)".utf8)
        return digits + Array(repeating: UInt8(ascii: "x"), count: max(0, count - digits.count))
    }

    /// The first moment becomes the beginning.
    private mutating func moment(_ milliseconds: Int64) -> Int64 {
        let shift = shift ?? Self.beginning &- milliseconds
        self.shift = shift
        return milliseconds &+ shift
    }

    private mutating func entity(_ id: Identifier) -> Identifier {
        Identifier(high: 0xE, low: UInt64(Self.number(id, &entities)))
    }

    private mutating func type(_ type: UTF8Text) -> UTF8Text {
        type == LogEntry.compactedType || Kind.eventTypes.contains(type) ? type : alias(type)
    }

    /// A person's own nutrients are fields named by the person.
    private mutating func field(_ name: UTF8Text, _ kind: Kind?) -> UTF8Text {
        let isKnown = kind?.fields.contains { $0.name == name } ?? false
        return isKnown ? name : alias(name)
    }

    private mutating func alias(_ name: UTF8Text) -> UTF8Text {
        UTF8Text("?\(Self.number(name, &names))")
    }

    private static func number<Key: Hashable>(_ key: Key, _ numbers: inout [Key: Int]) -> Int {
        if let known = numbers[key] { return known }
        numbers[key] = numbers.count
        return numbers.count - 1
    }
}
