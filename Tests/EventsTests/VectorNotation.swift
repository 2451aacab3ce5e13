import MacrologEvents
import MacrologWire

/// How the vector files write what the room knows: see `Vectors/README.md`.
extension JSON {
    /// A whole number; beyond 2^53, which many readers of JSON cannot hold, as digits in a text.
    init(_ number: Int64) {
        self =
            number.magnitude <= 1 << 53
            ? .int(number) : .object([("int", .string(String(number)))])
    }

    var int: Int64? {
        if case .int(let number) = self { number } else { self["int"].string.flatMap { Int64($0) } }
    }

    init(_ id: Identifier) { self = .string(id.description) }

    var identifier: Identifier? { string.flatMap { Identifier($0) } }

    init(_ text: UTF8Text) { self = .string(text.string) }

    var text: UTF8Text? { string.map { UTF8Text($0) } }

    init(hex bytes: [UInt8]) { self = .string(hex(bytes)) }

    var bytes: [UInt8]? { string.map { hex($0) } }

    init(_ value: Value) {
        self =
            switch value {
            case .null: .null
            case .bool(let truth): .bool(truth)
            case .int(let number): JSON(number)
            case .text(let text): JSON(text)
            case .bytes(let bytes): .object([("bytes", JSON(hex: bytes))])
            case .array(let items): .array(items.map { JSON($0) })
            case .map(let map): .object([("map", JSON(map))])
            }
    }

    /// Pairs, not an object: to many readers of JSON two names that look alike are one key.
    init(_ map: ValueMap) {
        self = .array(map.entries.map { .array([JSON($0.name), JSON($0.value)]) })
    }

    var value: Value? {
        switch self {
        case .null: return .null
        case .bool(let truth): return .bool(truth)
        case .int(let number): return .int(number)
        case .string(let text): return .text(UTF8Text(text))
        case .array(let items): return .array(items.compactMap { $0.value })
        case .object:
            if let bytes = self["bytes"].bytes { return .bytes(bytes) }
            if let number = int { return .int(number) }
            return self["map"].valueMap.map { .map($0) }
        }
    }

    var valueMap: ValueMap? {
        guard case .array(let pairs) = self else { return nil }
        return ValueMap(
            pairs.compactMap { pair in
                guard let name = pair.array.first?.text, let value = pair.array.last?.value else {
                    return nil
                }
                return ValueMap.Entry(name, value)
            })
    }
}

extension JSON {
    init(_ operation: MacrologEvents.CellOperation) {
        self =
            switch operation {
            case .set(let fields): .object([("set", JSON(fields))])
            case .add(let field, let element):
                .object([("add", .array([JSON(field), JSON(element)]))])
            case .remove(let field, let element):
                .object([("remove", .array([JSON(field), JSON(element)]))])
            case .delete: .string("delete")
            case .restore: .string("restore")
            case .unknown(let verb, let arguments):
                .object([("unknown", .array([JSON(verb)] + arguments.map { JSON($0) }))])
            }
    }

    var operation: MacrologEvents.CellOperation? {
        if let word = string { return word == "delete" ? .delete : .restore }
        if let fields = self["set"].valueMap { return .set(fields) }
        for (verb, arguments) in [("add", self["add"].array), ("remove", self["remove"].array)] {
            guard arguments.count == 2, let field = arguments[0].text,
                let element = arguments[1].value
            else { continue }
            return verb == "add"
                ? .add(field: field, element: element) : .remove(field: field, element: element)
        }
        let unknown = self["unknown"].array
        return unknown.first?.int.map {
            .unknown(verb: $0, arguments: unknown.dropFirst().compactMap { $0.value })
        }
    }

    init(_ event: Event) {
        var entries: [(key: String, value: JSON)] = [
            ("device", JSON(event.dot.device)), ("seq", JSON(event.dot.seq)),
            ("base", .array([JSON(Int64(event.base.epoch)), JSON(event.base.n)])),
            ("wall", JSON(event.wall)), ("type", JSON(event.type)),
            ("version", JSON(event.version)),
            (
                "changes",
                .array(
                    event.changes.map { change in
                        .object([
                            ("kind", JSON(change.entity.kind)), ("id", JSON(change.entity.id)),
                            ("operations", .array(change.operations.map { JSON($0) })),
                        ])
                    })
            ),
        ]
        if let group = event.group { entries.append(("group", JSON(group))) }
        if !event.extras.isEmpty {
            let extras = event.extras.map { JSON.array([JSON($0.key), JSON($0.value)]) }
            entries.append(("extras", .array(extras)))
        }
        self = .object(entries)
    }

    var event: Event? {
        guard let device = self["device"].identifier, let seq = self["seq"].int,
            let epoch = self["base"].array.first?.int, let n = self["base"].array.last?.int,
            let wall = self["wall"].int, let type = self["type"].text,
            let version = self["version"].int
        else { return nil }
        return Event(
            dot: Dot(device: device, seq: seq), base: Base(epoch: UInt32(epoch), n: n), wall: wall,
            type: type, version: version,
            changes: self["changes"].array.compactMap { change in
                guard let kind = change["kind"].text, let id = change["id"].identifier else {
                    return nil
                }
                return Change(
                    EntityKey(kind, id), change["operations"].array.compactMap { $0.operation })
            },
            group: self["group"].identifier,
            extras: self["extras"].array.compactMap { pair in
                guard let key = pair.array.first?.int, let value = pair.array.last?.value else {
                    return nil
                }
                return Event.Extra(key: key, value: value)
            })
    }
}

extension JSON {
    init(_ write: EntityState.Write) {
        self = .object([
            ("device", JSON(write.stamp.dot.device)), ("seq", JSON(write.stamp.dot.seq)),
            ("value", JSON(write.value)),
        ])
    }

    init(_ conflict: CellConflict) {
        let cell: JSON =
            if case .field(let name) = conflict.cell { JSON(name) } else { .null }
        self = .object([
            ("field", cell), ("winner", JSON(conflict.winner)),
            ("losers", .array(conflict.losers.map { JSON($0) })),
        ])
    }

    init(_ request: SyncRequest) {
        self = .object([
            ("version", JSON(request.version)), ("device", JSON(request.device)),
            ("epoch", JSON(Int64(request.epoch))), ("cursor", JSON(request.cursor)),
            ("digest", JSON(hex: request.digest.bytes)),
            (
                "pushed",
                .array(request.pushed.map { .array([JSON($0.age), JSON(hex: $0.body)]) })
            ),
            ("eventsMax", JSON(request.eventsMax)), ("bytesMax", JSON(request.bytesMax)),
        ])
    }

    init(_ answer: SyncAnswer) {
        self = .object([
            ("epoch", JSON(Int64(answer.epoch))), ("head", JSON(answer.head)),
            ("admitted", JSON(answer.admitted)), ("now", JSON(answer.now)),
            (
                "rows",
                .array(
                    answer.rows.map { row in
                        switch row.content {
                        case .event(let body): .array([JSON(row.t), JSON(hex: body)])
                        case .own(let seq): .array([JSON(row.t), JSON(seq)])
                        }
                    })
            ),
            ("digest", JSON(hex: answer.digest.bytes)),
        ])
    }
}
