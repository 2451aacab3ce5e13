/// What devices and the server exchange and store: deterministic CBOR (`protocol.md` §3, §6).
///
/// Encodings are unique: whatever a reader accepts is, byte for byte, what the writer writes.
import MacrologEvents
import MacrologWire

extension FuzzTarget {
    static let cbor = FuzzTarget("cbor") { input in
        guard
            let value = try? CBORReader.read(
                input, { (reader: inout CBORReader) throws(CBORError) in try reader.value() })
        else { return }
        var writer = CBORWriter()
        writer.value(value)
        try promise(writer.bytes == input, "a value has one encoding")
        let (items, bytes, depth) = weight(value)
        try promise(depth <= Limits.depthMax, "values are nested sixteen deep at most")
        try promise(items + bytes <= input.count, "every item and byte of a value was in the input")
    }

    static let event = FuzzTarget("event") { input in
        let header = try? EventHeader.checked(input)
        guard let event = try? Event.decoded(input) else {
            return try promise(header == nil, "the server admits only what devices can read")
        }
        try promise(header?.dot == event.dot, "the server and devices read one name")
        try promise(event.encoded() == input, "an event has one encoding")
        try promise(input.count <= Limits.eventBytesMax, "an event is not too long")
        let original = event.original
        try promise(original.original == original, "an original is its own original")
        try promise(
            event.reissuedFrom.map { original.dot == $0 } ?? (original == event),
            "an event without an origin is the original, and one with an origin has its name")
        let again = event.reissued(as: Dot(device: Identifier(high: 9, low: 9), seq: 1))
        if again.reissuedFrom != nil {
            try promise(
                again.original.dot == original.dot, "a reissued event keeps its first name")
        }
        let bytes = again.encoded()
        try promise(
            bytes.count > Limits.eventBytesMax || (try? Event.decoded(bytes)) == again,
            "a reissued event is an event")
        try fold(event)
    }

    /// Two stamps for one event: whatever it does can be folded, packed and unpacked.
    private static func fold(_ event: Event) throws {
        let unsealed = Stamp(dot: event.dot, base: event.base, seal: nil)
        let seal = Seal(n: event.base.n.successor()?.rawValue ?? .max, t: 1 << 20)
        for change in event.changes {
            var state = EntityState()
            state.fold(change, stamp: unsealed)
            state.fold(change, stamp: unsealed)
            state.seal(event.dot, seal)
            var other = EntityState()
            other.fold(
                change, stamp: Stamp(dot: event.dot, base: event.base, seal: seal))
            try promise(state == other, "sealing before folding or after is the same")
            let packed = state.encoded()
            try promise(
                (try? EntityState.decoded(packed)) == state, "a state comes back from its bytes")
        }
    }

    static let push = FuzzTarget("push") { input in
        guard let request = try? SyncRequest.decoded(input) else { return }
        try promise(request.encoded() == input, "a request has one encoding")
        try promise(
            request.pushed.count <= Limits.pageEventsMax, "a push has 500 events at most")
    }

    static let page = FuzzTarget("page") { input in
        guard let answer = try? SyncAnswer.decoded(input) else { return }
        try promise(answer.encoded() == input, "an answer has one encoding")
        try promise(answer.rows.count <= Limits.pageEventsMax, "a page has 500 rows at most")
        for row in answer.rows {
            try promise(row.t > 0, "a sealed time is positive")
            guard case .event(let body) = row.content else { continue }
            let header = try? body.withUnsafeBytes { body in try EventHeader.peeked(body) }
            try promise(header != nil, "each event of a page has a header")
        }
    }

    static let recover = FuzzTarget("recover") { input in
        guard let first = input.first else { return }
        let rest = Array(input.dropFirst())
        if first & 1 == 0 {
            guard let request = try? HealRequest.decoded(rest) else { return }
            try promise(request.encoded() == rest, "what is given back has one encoding")
            try promise(
                1...Limits.pageEventsMax ~= request.rows.count, "something is given, in pages")
            try promise(request.after >= 0, "it follows a number")
        } else {
            guard let answer = try? HealAnswer.decoded(rest) else { return }
            try promise(answer.encoded() == rest, "an answer to recovery has one encoding")
        }
    }

    static let registers = FuzzTarget("registers") { input in
        guard let state = try? EntityState.decoded(input) else { return }
        try promise(state.encoded() == input, "a state has one encoding")
        for conflict in state.conflicts {
            try promise(
                !conflict.losers.isEmpty && !conflict.losers.contains(conflict.winner),
                "a conflict has a winner and others that lost")
        }
        _ = state.isDeleted
        _ = state.fields
    }

    /// Items, bytes of texts and byte strings, and how deep they are nested.
    private static func weight(_ value: Value) -> (items: Int, bytes: Int, depth: Int) {
        switch value {
        case .null, .bool, .int: return (1, 0, 0)
        case .text(let text): return (1, text.byteCount, 0)
        case .bytes(let bytes): return (1, bytes.count, 0)
        case .array(let values):
            return values.map(weight).reduce((1, 0, 1)) {
                ($0.0 + $1.items, $0.1 + $1.bytes, max($0.2, $1.depth + 1))
            }
        case .map(let map):
            return map.entries.reduce((1, 0, 1)) { sum, entry in
                let inner = weight(entry.value)
                return (
                    sum.0 + 1 + inner.items, sum.1 + entry.name.byteCount + inner.bytes,
                    max(sum.2, inner.depth + 1)
                )
            }
        }
    }
}
