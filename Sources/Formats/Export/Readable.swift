import MacrologEvents
import MacrologWire
import MacrologJSON
import MacrologLog
import Macrolog

/// Events and entities as readable JSON.
enum Readable {
    static func event(_ entry: LogEntry, _ clock: VectorClock, _ devices: [Identifier]) -> JSON {
        var names = Notation(devices)
        let event = entry.event
        return [
            "event": .string(names.write(event.dot)),
            "clock": .string(names.write(clock)),
            "device": .string(event.dot.device.description),
            "seq": .integer(event.dot.seq.rawValue),
            "base": [
                "epoch": .integer(Int64(event.base.epoch)), "n": .integer(event.base.n.rawValue),
            ],
            "seal": entry.seal.map(seal) ?? .null, "wall": .integer(event.wall),
            "type": .string(event.type.string), "version": .integer(event.version),
            "group": .optional(event.group?.description), "origin": origin(event),
            "extras": .object(event.extras.map { JSON.Member("\($0.key)", value($0.value)) }),
            "changes": .array(event.changes.map(change)),
            "bytes": .string(hexadecimal(entry.skeleton?.encoded() ?? event.encoded())),
        ]
    }

    /// An event that can't be read: its dot and its seal.
    static func damaged(_ dot: Dot, _ seal: Seal?, _ devices: [Identifier]) -> JSON {
        var names = Notation(devices)
        return [
            "event": .string(names.write(dot)), "device": .string(dot.device.description),
            "seq": .integer(dot.seq.rawValue), "seal": seal.map(Self.seal) ?? .null, "bytes": .null,
        ]
    }

    /// The device of an original dot may have no name in the log.
    private static func origin(_ event: Event) -> JSON {
        guard let origin = event.reissuedFrom else { return .null }
        return ["device": .string(origin.device.description), "seq": .integer(origin.seq.rawValue)]
    }

    static func entity(_ key: EntityKey, _ state: EntityState) -> JSON {
        let fields = state.allFields.entries.filter { !$0.value.isNull }
        return [
            "kind": .string(key.kind.string), "id": .string(key.id.description),
            "deleted": .bool(state.isDeleted),
            "fields": .object(fields.map { JSON.Member($0.name.string, value($0.value)) }),
        ]
    }

    /// The sealed time exceeds the integer range of many JSON readers, so it is text.
    private static func seal(_ seal: Seal) -> JSON {
        ["n": .integer(seal.n.rawValue), "t": .string("\(seal.t)")]
    }

    private static func change(_ change: Change) -> JSON {
        [
            "kind": .string(change.entity.kind.string),
            "id": .string(change.entity.id.description),
            "operations": .array(change.operations.map(operation)),
        ]
    }

    private static func operation(_ operation: CellOperation) -> JSON {
        switch operation {
        case .set(let fields): ["set": value(.map(fields))]
        case .add(let field, let element):
            ["add": .string(field.string), "element": value(element)]
        case .remove(let field, let element):
            ["remove": .string(field.string), "element": value(element)]
        case .delete: ["delete": true]
        case .restore: ["restore": true]
        case .unknown(let verb, let arguments):
            ["unknown": .integer(verb), "arguments": .array(arguments.map(value))]
        }
    }

    /// Sixteen bytes are nearly always an id and are formatted as one; the exact bytes are also
    /// given.
    static func value(_ value: Value) -> JSON {
        switch value {
        case .null: .null
        case .bool(let truth): .bool(truth)
        case .int(let number): .integer(number)
        case .text(let text): .string(text.string)
        case .bytes(let bytes):
            Identifier(bytes: bytes).map { ["id": .string($0.description)] }
                ?? ["bytes": .string(hexadecimal(bytes))]
        case .array(let elements): .array(elements.map(Self.value))
        case .map(let map):
            .object(map.entries.map { JSON.Member($0.name.string, Self.value($0.value)) })
        }
    }

    /// The bytes of hexadecimal digits, in either case; `nil` for other text.
    static func bytes(_ hex: String) -> [UInt8]? {
        let digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == hex.utf8.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }
}
