package import MacrologEvents

/// An entity's state encoded as one blob, so that a table has one row for each entity instead of
/// one for each field: `[[* stamp], [* cell]]` in deterministic CBOR, every stamp once.
extension EntityState {
    /// Encodes the state. Equal states have equal encodings.
    package func encoded() -> [UInt8] {
        var writer = CBORWriter(capacity: 256)
        encode(into: &writer)
        return writer.bytes
    }

    /// Appends the encoded state to `writer`.
    package func encode(into writer: inout CBORWriter) {
        if let stamp {
            Self.encode(whole, stamp, into: &writer)
        } else {
            Self.encode(writes, into: &writer)
        }
    }

    private static func encode(
        _ fields: ValueMap, _ stamp: Stamp, into writer: inout CBORWriter
    ) {
        writer.array(2)
        writer.array(1)
        write(stamp, &writer)
        writer.array(fields.entries.count)
        for index in fields.entries.indices {
            writer.array(3)
            writer.text(fields.entries[index].name)
            writer.int(0)
            writer.value(at: index, of: fields)
        }
    }

    private static func encode(_ writes: Writes, into writer: inout CBORWriter) {
        writer.array(2)
        writer.array(writes.stamps.count)
        for index in writes.stamps.indices { write(writes.stamps[index], &writer) }
        let furtherCount = writes.entries.reduce(0) { $1.isFurther ? $0 + 1 : $0 }
        writer.array(writes.entries.count - furtherCount)
        for index in writes.entries.indices {
            if !writes.entries[index].isFurther {
                var end = index + 1
                while end < writes.entries.count, writes.entries[end].isFurther { end += 1 }
                writer.array(1 + 2 * (end - index))
                write(writes.entries[index].key, &writer)
            }
            writer.int(Int64(writes.entries[index].stamp))
            writer.value(writes.entries[index].value)
        }
    }

    private static func write(_ stamp: Stamp, _ writer: inout CBORWriter) {
        writer.array(stamp.seal == nil ? 4 : 6)
        writer.identifier(stamp.dot.device)
        writer.int(stamp.dot.seq.rawValue)
        writer.int(Int64(stamp.base.epoch))
        writer.int(stamp.base.n.rawValue)
        if let seal = stamp.seal {
            writer.int(seal.n.rawValue)
            writer.int(seal.t.rawValue)
        }
    }

    private static func write(_ key: CellKey, _ writer: inout CBORWriter) {
        switch key {
        case .life: writer.int(0)
        case .newer: writer.int(1)
        case .field(let name): writer.text(name)
        case .member(let field, let element):
            writer.array(2)
            writer.text(field)
            writer.value(element)
        }
    }

    /// Decodes a state, strictly: input that ``encoded()`` could not have written is refused.
    package static func decoded(_ bytes: UnsafeRawBufferPointer) throws(CBORError) -> EntityState {
        try CBORReader.read(bytes, as: "entity") { reader throws(CBORError) in
            try reader.array(of: 2)
            let stamps = try readStamps(&reader)
            let start = reader.offset
            let count = try reader.array()
            if stamps.count == 1, let only = try readOnly(&reader, count, stamps[0]) { return only }
            var entries: [Writes.Entry] = []
            entries.reserveCapacity(CBORReader.believed(count) + 1)
            var used = [Bool](repeating: false, count: stamps.count)
            for _ in 0..<count { try readCell(&reader, &used, into: &entries) }
            guard !used.contains(false) else { throw reader.error(.shape, at: start) }
            return EntityState(Writes(stamps, entries))
        }
    }

    /// What one event wrote; `nil`, with nothing read, where it wrote more than fields.
    private static func readOnly(
        _ reader: inout CBORReader, _ count: Int, _ stamp: Stamp
    ) throws(CBORError) -> EntityState? {
        let start = reader
        var entries: [ValueMap.Entry] = []
        entries.reserveCapacity(CBORReader.believed(count))
        for _ in 0..<count {
            let place = reader.offset
            let isSingle = try reader.array() == 3
            let major = try reader.nextMajor()
            guard isSingle, major == 3 else {
                reader = start
                return nil
            }
            let name = try reader.text(limit: Limits.nameBytesMax)
            if let last = entries.indices.last, !ValueMap.precedes(entries[last].name, name) {
                throw reader.error(.keyOrder, at: place)
            }
            _ = try reader.int(in: 0...0)
            entries.append(ValueMap.Entry(name, try reader.value()))
        }
        guard !entries.isEmpty else {
            reader = start
            return nil
        }
        return EntityState(ValueMap(canonical: entries), stamp)
    }

    /// Decodes a state, strictly.
    package static func decoded(_ bytes: [UInt8]) throws(CBORError) -> EntityState {
        try bytes.withUnsafeBufferPointer { buffer throws(CBORError) in
            try decoded(UnsafeRawBufferPointer(buffer))
        }
    }

    private static func readStamps(_ reader: inout CBORReader) throws(CBORError) -> [Stamp] {
        let count = try reader.array()
        var stamps: [Stamp] = []
        stamps.reserveCapacity(CBORReader.believed(count))
        for _ in 0..<count {
            let start = reader.offset
            let stamp = try readStamp(&reader)
            if let last = stamps.last, !precedes(last, stamp) {
                throw reader.error(.keyOrder, at: start)
            }
            stamps.append(stamp)
        }
        return stamps
    }

    private static func readStamp(_ reader: inout CBORReader) throws(CBORError) -> Stamp {
        let start = reader.offset
        let count = try reader.array()
        guard count == 4 || count == 6 else { throw reader.error(.shape, at: start) }
        let dot = Dot(device: try reader.identifier(), seq: try reader.int(in: 1...Int64.max))
        let epoch = UInt32(try reader.int(in: 0...Int64(UInt32.max)))
        let base = Base(epoch: epoch, n: try reader.int(in: 0...Int64.max))
        guard count == 6 else { return Stamp(dot: dot, base: base, seal: nil) }
        let n = try reader.int(in: 1...Int64.max)
        let t = try reader.int(in: 1...Int64.max)
        return Stamp(dot: dot, base: base, seal: Seal(n: n, t: t))
    }

    private static func readCell(
        _ reader: inout CBORReader, _ used: inout [Bool], into entries: inout [Writes.Entry]
    ) throws(CBORError) {
        let start = reader.offset
        let count = try reader.array()
        guard count >= 3, count % 2 == 1 else { throw reader.error(.shape, at: start) }
        let key = try readKey(&reader)
        if let last = entries.indices.last, !(entries[last].key < key) {
            throw reader.error(.keyOrder, at: start)
        }
        var last: Int64 = -1
        for _ in 0..<count / 2 {
            let start = reader.offset
            let place = try reader.int()
            guard place > last, place < Int64(used.count) else {
                throw reader.error(.shape, at: start)
            }
            used[Int(place)] = true
            entries.append(
                Writes.Entry(key, try reader.value(), stamp: Int(place), isFurther: last >= 0))
            last = place
        }
    }

    private static func readKey(_ reader: inout CBORReader) throws(CBORError) -> CellKey {
        switch try reader.nextMajor() {
        case 0: return try reader.int(in: 0...1) == 0 ? .life : .newer
        case 3: return .field(try reader.text(limit: Limits.nameBytesMax))
        default:
            try reader.array(of: 2)
            let field = try reader.text(limit: Limits.nameBytesMax)
            return .member(field: field, element: try reader.value())
        }
    }
}
