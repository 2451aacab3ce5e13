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
        if let (fields, stamp) = only {
            let bytesMax = fields.entries.reduce(Self.stampBytesMax + 3 * Self.headBytesMax) {
                $0 + RoomyCBORWriter.bytesMax($1.name) + RoomyCBORWriter.bytesMax($1.value)
                    + 2 * Self.headBytesMax
            }
            return writer.write(upTo: bytesMax) { Self.encode(fields, stamp, into: &$0) }
        }
        let (stamps, cells) = (self.stamps, self.cells)
        var bytesMax = stamps.count * Self.stampBytesMax + 3 * Self.headBytesMax
        // By index, because copying a cell retains and releases its name, writes and values.
        for cell in cells.indices {
            bytesMax += 2 * Self.headBytesMax + Self.bytesMax(cells[cell].key)
            bytesMax += RoomyCBORWriter.bytesMax(cells[cell].writes.earliest.value)
            for write in cells[cell].writes.others.indices {
                bytesMax += Self.headBytesMax
                bytesMax += RoomyCBORWriter.bytesMax(cells[cell].writes.others[write].value)
            }
        }
        writer.write(upTo: bytesMax) { Self.encode(cells, stamps, into: &$0) }
    }

    private static let headBytesMax = RoomyCBORWriter.headBytesMax
    private static let stampBytesMax = RoomyCBORWriter.identifierBytes + 6 * headBytesMax

    private static func bytesMax(_ key: CellKey) -> Int {
        switch key {
        case .life, .newer: headBytesMax
        case .field(let name): RoomyCBORWriter.bytesMax(name)
        case .member(let field, let element):
            headBytesMax + RoomyCBORWriter.bytesMax(field) + RoomyCBORWriter.bytesMax(element)
        }
    }

    private static func encode(
        _ fields: ValueMap, _ stamp: Stamp, into writer: inout RoomyCBORWriter
    ) {
        writer.array(2)
        writer.array(1)
        write(stamp, &writer)
        writer.array(fields.entries.count)
        for entry in fields.entries {
            writer.array(3)
            writer.text(entry.name)
            writer.int(0)
            writer.value(entry.value)
        }
    }

    private static func encode(
        _ cells: [Cell], _ stamps: [Stamp], into writer: inout RoomyCBORWriter
    ) {
        writer.array(2)
        writer.array(stamps.count)
        for stamp in stamps { write(stamp, &writer) }
        writer.array(cells.count)
        for cell in cells.indices {
            let others = cells[cell].writes.others.count
            writer.array(3 + others * 2)
            write(cells[cell].key, &writer)
            write(cells[cell].writes.earliest, of: stamps, &writer)
            for index in 0..<others {
                write(cells[cell].writes.others[index], of: stamps, &writer)
            }
        }
    }

    @inline(__always)
    private static func write(
        _ write: borrowing Write, of stamps: [Stamp], _ writer: inout RoomyCBORWriter
    ) {
        writer.int(stamps.count == 1 ? 0 : Int64(position(of: write.stamp, in: stamps)))
        writer.value(write.value)
    }

    private static func position(of stamp: Stamp, in stamps: [Stamp]) -> Int {
        var low = 0
        var high = stamps.count
        while low < high {
            let middle = (low + high) / 2
            if precedes(stamps[middle], stamp) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func write(_ stamp: Stamp, _ writer: inout RoomyCBORWriter) {
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

    private static func write(_ key: CellKey, _ writer: inout RoomyCBORWriter) {
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
            var cells: [Cell] = []
            cells.reserveCapacity(CBORReader.believed(count))
            var used = [Bool](repeating: false, count: stamps.count)
            for _ in 0..<count {
                let start = reader.offset
                let cell = try readCell(&reader, stamps, &used)
                if let last = cells.indices.last, !(cells[last].key < cell.key) {
                    throw reader.error(.keyOrder, at: start)
                }
                cells.append(cell)
            }
            guard used.allSatisfy({ $0 }) else { throw reader.error(.shape, at: start) }
            return EntityState(cells: cells)
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
        _ reader: inout CBORReader, _ stamps: [Stamp], _ used: inout [Bool]
    ) throws(CBORError) -> Cell {
        let start = reader.offset
        let count = try reader.array()
        guard count >= 3, count % 2 == 1 else { throw reader.error(.shape, at: start) }
        let key = try readKey(&reader)
        var last: Int64 = -1
        func write() throws(CBORError) -> Write {
            let start = reader.offset
            let index = try reader.int()
            guard index > last, index < Int64(stamps.count) else {
                throw reader.error(.shape, at: start)
            }
            used[Int(index)] = true
            last = index
            return Write(stamp: stamps[Int(index)], value: try reader.value())
        }
        var writes = Writes(try write())
        for _ in 1..<count / 2 { writes.append(try write()) }
        return Cell(key: key, writes: writes)
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
