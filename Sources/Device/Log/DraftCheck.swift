import MacrologEvents
import MacrologWire

/// What is recorded must be what every other replica accepts. A draft is checked by the rules of
/// decoding, so that an event does not have to be decoded after it was encoded.
extension Draft {
    /// - Throws: ``LogError`` with code `tooLarge` or `malformedDraft`.
    func check(bodyBytes: Int) throws(LogError) {
        try Self.atMost(Limits.eventBytesMax, bodyBytes)
        try Self.name(type)
        try Self.atMost(Limits.changesMax, changes.count)
        guard version >= 1, !changes.isEmpty else { throw LogError(.malformedDraft) }
        // By index, because copying what an array holds retains it.
        for index in changes.indices {
            try Self.name(changes[index].entity.kind)
            try Self.check(changes[index].operations)
            guard changes[index].operations.count == 1 || changes[index].writesEachCellOnce,
                !(0..<index).contains(where: { changes[$0].entity == changes[index].entity })
            else { throw LogError(.malformedDraft) }
        }
    }

    private static func check(_ operations: [CellOperation]) throws(LogError) {
        guard !operations.isEmpty else { throw LogError(.malformedDraft) }
        try atMost(Limits.operationsMax, operations.count)
        for index in operations.indices {
            switch operations[index] {
            case .set(let fields):
                guard !fields.entries.isEmpty else { throw LogError(.malformedDraft) }
                // The map is in the change, in the changes, in the body: depth 4.
                try map(fields, depth: 4)
            case .add(let field, let element), .remove(let field, let element):
                try name(field)
                try value(element, depth: 5)
            case .delete, .restore: break
            case .unknown(let verb, let arguments):
                guard verb > 4 else { throw LogError(.malformedDraft) }
                try atMost(Limits.mapEntriesMax, 1 + arguments.count)
                for argument in arguments { try value(argument, depth: 5) }
            }
        }
    }

    private static func value(_ value: Value, depth: Int) throws(LogError) {
        switch value {
        case .null, .bool, .int: break
        case .text(let text): try atMost(Limits.textBytesMax, text.byteCount)
        case .bytes(let bytes): try atMost(Limits.textBytesMax, bytes.count)
        case .array(let elements):
            try atMost(Limits.depthMax, depth)
            for index in elements.indices where !elements[index].isSmall {
                try self.value(elements[index], depth: depth + 1)
            }
        case .map(let entries): try map(entries, depth: depth)
        }
    }

    private static func map(_ fields: ValueMap, depth: Int) throws(LogError) {
        try atMost(Limits.depthMax, depth)
        try atMost(Limits.mapEntriesMax, fields.entries.count)
        for index in fields.entries.indices where !fields.entries[index].value.isSmall {
            try value(fields.entries[index].value, depth: depth + 1)
        }
        // Names are in canonical order: the last is the longest.
        if let last = fields.entries.indices.last { try name(fields.entries[last].name) }
    }

    private static func name(_ name: UTF8Text) throws(LogError) {
        try atMost(Limits.nameBytesMax, name.byteCount)
    }

    private static func atMost(_ limit: Int, _ count: Int) throws(LogError) {
        guard count <= limit else { throw LogError(.tooLarge) }
    }
}

extension Value {
    /// Whether it has no size that a limit bounds.
    @inline(__always)
    fileprivate var isSmall: Bool {
        switch self {
        case .null, .bool, .int: true
        case .text, .bytes, .array, .map: false
        }
    }
}
