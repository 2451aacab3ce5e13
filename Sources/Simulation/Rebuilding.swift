import Events
import Macrolog

/// A log made anew from a shape: other names, other words, the same disagreements.
struct Rebuilt {
    /// The devices in the order of the shape.
    let devices: [Identifier]
    /// Sealed events by number, without gaps.
    private(set) var sealed: [(event: Event, seal: Seal)] = []
    /// What this device had not sent.
    private(set) var unsealed: [Event] = []
    /// The digest of the first so many sealed events.
    private(set) var digests: [PrefixDigest] = [.empty]

    /// The beginning of the log, in milliseconds since 1970 UTC: late enough that years before it
    /// are moments too.
    static let beginning: Int64 = 4_000_000_000_000

    /// Makes the events. Behind one that is missing nothing can be made.
    init(_ shape: LogShape) {
        devices = shape.ranks.map { Identifier(high: 0xA, low: UInt64($0) + 1) }
        for event in shape.events {
            let made = Self.event(event, devices)
            if let seal = event.seal {
                let t = (Self.beginning &+ seal.milliseconds) << 16 | seal.counter & 0xFFFF
                guard seal.n == Int64(sealed.count) + 1 else { return }
                let new = Seal(n: seal.n, t: t)
                sealed.append((made, new))
                var digest = digests[digests.count - 1]
                digest.add(
                    hash: made.encoded().withUnsafeBytes { SHA256.words($0) }, seal: new)
                digests.append(digest)
            } else {
                unsealed.append(made)
            }
        }
    }

    /// Where the log ends.
    var head: Int64 { Int64(sealed.count) }

    /// The epoch of a number; 0 is none.
    static func epoch(_ number: Int) -> UInt32 {
        number == 0 ? 0 : 1_000 &+ UInt32(truncatingIfNeeded: number)
    }

    static func entity(_ number: Int) -> Identifier {
        Identifier(high: 0xE, low: UInt64(truncatingIfNeeded: number))
    }

    private static func event(_ shape: LogShape.Event, _ devices: [Identifier]) -> Event {
        var extras: [Event.Extra] = []
        if let origin = shape.origin {
            let first = Value.array([.bytes(devices[origin.device].bytes), .int(origin.seq)])
            extras.append(Event.Extra(key: Event.originKey, value: first))
        }
        extras += shape.extras.filter { $0.key >= 8 }.map {
            Event.Extra(key: $0.key, value: value($0.value))
        }
        return Event(
            dot: Dot(device: devices[shape.device], seq: shape.seq),
            base: Base(epoch: epoch(shape.epoch), n: shape.base),
            wall: beginning &+ shape.wall, type: Text(shape.type), version: shape.version,
            changes: shape.changes.map { change in
                Change(
                    EntityKey(Text(change.kind), entity(change.entity)),
                    change.operations.map { operation($0) })
            }, group: shape.group.map { Identifier(high: 0x6, low: UInt64($0)) }, extras: extras)
    }

    private static func operation(_ shape: LogShape.Operation) -> Operation {
        switch shape {
        case .set(let fields):
            .set(ValueMap(fields.map { ValueMap.Entry(Text($0.name), value($0.value)) }))
        case .add(let field): .add(field: Text(field.name), element: value(field.value))
        case .remove(let field): .remove(field: Text(field.name), element: value(field.value))
        case .delete: .delete
        case .restore: .restore
        case .unknown(let verb, let arguments):
            .unknown(verb: verb, arguments: arguments.map { value($0) })
        }
    }

    /// A value of the type and the length; another one for each number.
    private static func value(_ shape: LogShape.ValueShape) -> Value {
        let digits = Array("\(shape.token)".utf8)
        let padded = digits + Array(repeating: 0x78, count: max(0, shape.length - digits.count))
        switch shape.kind {
        case .null: return .null
        case .bool: return .bool(shape.token % 2 == 1)
        case .int: return .int(Int64(shape.token))
        case .entity: return .bytes(entity(shape.token).bytes)
        case .text:
            return .text(Text(shape.length == 0 ? "" : String(decoding: padded, as: UTF8.self)))
        case .bytes: return .bytes(shape.length == 0 ? [] : padded)
        case .array:
            return .array(
                (0..<shape.length).map { .int($0 == 0 ? Int64(shape.token) : Int64($0)) })
        case .map:
            return .map(
                ValueMap(
                    (0..<shape.length).map {
                        ValueMap.Entry(
                            Text("k\($0)"), .int($0 == 0 ? Int64(shape.token) : Int64($0)))
                    }))
        }
    }
}
