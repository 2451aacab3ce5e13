import Events
import Nutrition

/// The shape of a log: what its events did to each other, and nothing of what they say.
///
/// Devices, entities and groups are small numbers; times are differences; of a value there is its
/// type, its length, and whether the same field has held it before. Names of types, kinds and
/// fields are those of this program's own vocabulary; any other name is a number. So a shape can be
/// handed to a stranger, and the stranger's simulation can make the same disagreements from it.
package struct LogShape: Hashable, Sendable {
    /// The version of this form.
    package static let version: Int64 = 1

    /// An event's shape.
    package struct Event: Hashable, Sendable {
        /// The place of its device among ``LogShape/ranks``, from 0.
        package var device: Int
        package var seq: Int64
        /// The number of the base's epoch, 0 for none, and its `n`.
        package var epoch: Int
        package var base: Int64
        /// Milliseconds of its device's clock since the beginning of the log.
        package var wall: Int64
        /// Its number, and its sealed time: milliseconds since the beginning of the log, and the
        /// counter; `nil` while it is unsealed.
        package var seal: SealShape?
        package var type: String
        package var version: Int64
        package var group: Int?
        /// The name that it was issued under at first.
        package var origin: Name?
        /// Parts that a newer version added, but its origin.
        package var extras: [Extra]
        package var changes: [Change]
    }

    /// A seal.
    package struct SealShape: Hashable, Sendable {
        package var n: Int64
        package var milliseconds: Int64
        package var counter: Int64
    }

    /// The name of an event.
    package struct Name: Hashable, Sendable {
        package var device: Int
        package var seq: Int64

        /// Pairs device and number.
        package init(device: Int, seq: Int64) {
            self.device = device
            self.seq = seq
        }
    }

    /// A key and a value of an event's map.
    package struct Extra: Hashable, Sendable {
        package var key: Int64
        package var value: ValueShape
    }

    /// What an event did to one entity.
    package struct Change: Hashable, Sendable {
        package var kind: String
        package var entity: Int
        package var operations: [Operation]
    }

    /// A verb.
    package enum Operation: Hashable, Sendable {
        case set([Field])
        case add(Field)
        case remove(Field)
        case delete
        case restore
        case unknown(verb: Int64, arguments: [ValueShape])
    }

    /// A field and the shape of what it got.
    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: ValueShape
    }

    /// What is left of a value.
    package struct ValueShape: Hashable, Sendable {
        /// Its type.
        package enum Kind: String, CaseIterable, Sendable {
            case null, bool, int, text, bytes, array, map
            /// The id of an entity: sixteen bytes.
            case entity
        }

        package var kind: Kind
        /// Bytes of a text or of bytes, items of an array or a map; 0 for others.
        package var length: Int
        /// Equal values of one field of one entity have equal numbers; of an entity, which one.
        package var token: Int
    }

    /// How the wall clock of this device stood to its monotonic clock, from an own event on.
    package struct Mark: Hashable, Sendable {
        package var seq: Int64
        /// The run of the system, numbered.
        package var boot: Int
        /// Milliseconds, less those of the first mark.
        package var offset: Int64
    }

    /// The devices in the order of their first event; of each, its place in the order of the ids,
    /// which decides between equal times.
    package var ranks: [Int] = []
    /// The place of this device.
    package var this = 0
    /// The number of the epoch that this device follows; 0 for none.
    package var epoch = 0
    /// Sealed events in the order of their numbers, then this device's unsealed ones.
    package var events: [Event] = []
    package var marks: [Mark] = []
    /// How many entities are in conflict, and how many there are.
    package var conflicts: Int64 = 0
    package var entities: Int64 = 0
    /// Whether this device waits to take a new name, and whether it had another one before.
    package var isLeaving = false
    package var hasFormerName = false
    /// Where the hub's log has gone on otherwise, and how many events of others wait for that.
    package var fork: Int64?
    package var orphans: Int64 = 0
    /// Events that can't be read.
    package var damaged: [Name] = []
    /// The number up to which the digests are those of the events; less than the cursor for a
    /// damaged log.
    package var soundUpTo: Int64 = 0

    package init() {}

    /// The number up to which the log is held.
    package var cursor: Int64 { events.last { $0.seal != nil }?.seal?.n ?? 0 }
}

/// Takes the meaning out of events, one after the other.
struct Redaction {
    private struct Scope: Hashable {
        let entity: Int
        let field: Text
    }

    private(set) var devices: [Identifier] = []
    private var entities: [Identifier: Int] = [:]
    private var groups: [Identifier: Int] = [:]
    private var epochs: [UInt32: Int] = [0: 0]
    private var names: [Text: Int] = [:]
    private var tokens: [Scope: [Value: Int]] = [:]
    /// The beginning of the log, in milliseconds since 1970 UTC.
    private var beginning: Int64?

    mutating func device(_ id: Identifier) -> Int {
        if let known = devices.firstIndex(of: id) { return known }
        devices.append(id)
        return devices.count - 1
    }

    mutating func epoch(_ epoch: UInt32) -> Int {
        if let known = epochs[epoch] { return known }
        epochs[epoch] = epochs.count
        return epochs.count - 1
    }

    /// Milliseconds since the beginning, which is the first moment that is asked for.
    mutating func moment(_ milliseconds: Int64) -> Int64 {
        if beginning == nil { beginning = milliseconds }
        return milliseconds &- (beginning ?? 0)
    }

    mutating func shape(_ event: Event, _ seal: Seal?) -> LogShape.Event {
        let sealed = seal.map {
            LogShape.SealShape(
                n: $0.n, milliseconds: moment($0.milliseconds), counter: $0.t & 0xFFFF)
        }
        let origin = event.origin
        return LogShape.Event(
            device: device(event.dot.device), seq: event.dot.seq, epoch: epoch(event.base.epoch),
            base: event.base.n, wall: moment(event.wall), seal: sealed, type: type(event.type),
            version: event.version, group: event.group.map { Self.number($0, &groups) },
            origin: origin.map { LogShape.Name(device: device($0.device), seq: $0.seq) },
            extras: event.extras.filter { origin == nil || $0.key != Event.originKey }.map {
                LogShape.Extra(key: $0.key, value: shape($0.value, of: "extra", in: -1))
            },
            changes: event.changes.map { shape($0) })
    }

    private mutating func shape(_ change: Change) -> LogShape.Change {
        let entity = Self.number(change.entity.id, &entities)
        let kind = change.entity.kind
        return LogShape.Change(
            kind: Kind(name: kind) == nil ? alias(kind) : kind.string, entity: entity,
            operations: change.operations.map { operation in
                switch operation {
                case .set(let fields):
                    .set(fields.entries.map { field($0.name, $0.value, kind, entity) })
                case .add(let name, let element): .add(field(name, element, kind, entity))
                case .remove(let name, let element): .remove(field(name, element, kind, entity))
                case .delete: .delete
                case .restore: .restore
                case .unknown(let verb, let arguments):
                    .unknown(
                        verb: verb,
                        arguments: arguments.map { shape($0, of: "argument", in: entity) })
                }
            })
    }

    private mutating func field(
        _ name: Text, _ value: Value, _ kind: Text, _ entity: Int
    ) -> LogShape.Field {
        // A person's own nutrients are named by them.
        let isKnown = Kind(name: kind).map { Catalogue.fields(of: $0) }?.contains {
            $0.name == name
        }
        return LogShape.Field(
            name: isKnown == true ? name.string : alias(name),
            value: shape(value, of: name, in: entity))
    }

    private mutating func shape(
        _ value: Value, of field: Text, in entity: Int
    ) -> LogShape.ValueShape {
        typealias Shape = LogShape.ValueShape
        if case .null = value { return Shape(kind: .null, length: 0, token: 0) }
        if let bytes = value.bytes, let id = Identifier(bytes: bytes) {
            return Shape(kind: .entity, length: 0, token: Self.number(id, &entities))
        }
        let scope = Scope(entity: entity, field: field)
        let count = tokens[scope, default: [:]].count
        let token = tokens[scope]?[value] ?? count
        tokens[scope, default: [:]][value] = token
        return switch value {
        case .null: Shape(kind: .null, length: 0, token: 0)
        case .bool: Shape(kind: .bool, length: 0, token: token)
        case .int: Shape(kind: .int, length: 0, token: token)
        case .text(let text): Shape(kind: .text, length: text.byteCount, token: token)
        case .bytes(let bytes): Shape(kind: .bytes, length: bytes.count, token: token)
        case .array(let items): Shape(kind: .array, length: items.count, token: token)
        case .map(let map): Shape(kind: .map, length: map.entries.count, token: token)
        }
    }

    /// Words of this program stay; the rest is numbered.
    private mutating func type(_ type: Text) -> String {
        let words = type.string.split(separator: ".")
        let isKnown = words.count == 2 && Self.words.isSuperset(of: words.map(String.init))
        return isKnown ? type.string : alias(type)
    }

    private static let words: Set = [
        "profile", "preferences", "goal", "food", "meal", "item", "weight", "day", "added",
        "edited", "deleted", "restored", "set", "logged", "noted", "consumed", "unconsumed",
        "moved", "completed", "skipped", "reopened",
    ]

    private mutating func alias(_ name: Text) -> String {
        "?\(Self.number(name, &names))"
    }

    private static func number<Key: Hashable>(_ key: Key, _ numbers: inout [Key: Int]) -> Int {
        if let known = numbers[key] { return known }
        numbers[key] = numbers.count
        return numbers.count - 1
    }
}
