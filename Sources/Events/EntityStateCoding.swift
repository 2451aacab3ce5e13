/// An entity's state packed into one blob, so that a table holds one row for an entity and none for
/// a field: `[[* stamp], [* cell]]` in deterministic CBOR, every stamp once.
extension EntityState {
    /// Packs the state. Equal states give equal bytes.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter(capacity: 64 + cells.count * 24)
        encode(into: &writer)
        return writer.bytes
    }

    /// Packs the state behind what `writer` holds.
    public func encode(into writer: inout CBORWriter) {
        let stamps = sortedStamps()
        writer.array(2)
        writer.array(stamps.count)
        for stamp in stamps { Self.write(stamp, &writer) }
        writer.array(cells.count)
        for cell in cells {
            writer.array(1 + cell.writes.count * 2)
            Self.write(cell.key, &writer)
            for write in cell.writes {
                let index = stamps.firstIndex { $0.dot == write.stamp.dot } ?? 0
                writer.int(Int64(index))
                writer.value(write.value)
            }
        }
    }

    private func sortedStamps() -> [Stamp] {
        var stamps: [Stamp] = []
        for cell in cells {
            for write in cell.writes where !stamps.contains(where: { $0.dot == write.stamp.dot }) {
                stamps.append(write.stamp)
            }
        }
        if stamps.count > 1 { stamps.sort(by: Self.precedes) }
        return stamps
    }

    private static func write(_ stamp: Stamp, _ writer: inout CBORWriter) {
        writer.array(stamp.seal == nil ? 4 : 6)
        writer.identifier(stamp.dot.device)
        writer.int(stamp.dot.seq)
        writer.int(Int64(stamp.base.epoch))
        writer.int(stamp.base.n)
        if let seal = stamp.seal {
            writer.int(seal.n)
            writer.int(seal.t)
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

    /// Unpacks a state.
    public static func decoded(_ bytes: UnsafeRawBufferPointer) throws(CBORError) -> EntityState {
        try CBORReader.read(bytes, as: "entity") { reader throws(CBORError) in
            guard try reader.array() == 2 else { throw reader.error(.shape) }
            let stampCount = try reader.array()
            var stamps: [Stamp] = []
            stamps.reserveCapacity(stampCount)
            for _ in 0..<stampCount { stamps.append(try readStamp(&reader)) }
            let cellCount = try reader.array()
            var cells: [Cell] = []
            cells.reserveCapacity(cellCount)
            for _ in 0..<cellCount { cells.append(try readCell(&reader, stamps)) }
            return EntityState(cells: cells)
        }
    }

    /// Unpacks a state.
    public static func decoded(_ bytes: [UInt8]) throws(CBORError) -> EntityState {
        try bytes.withUnsafeBufferPointer { buffer throws(CBORError) in
            try decoded(UnsafeRawBufferPointer(buffer))
        }
    }

    private static func readStamp(_ reader: inout CBORReader) throws(CBORError) -> Stamp {
        let count = try reader.array()
        guard count == 4 || count == 6 else { throw reader.error(.shape) }
        let dot = Dot(device: try reader.identifier(), seq: try reader.int(in: 1...Int64.max))
        let epoch = UInt32(try reader.int(in: 0...Int64(UInt32.max)))
        let base = Base(epoch: epoch, n: try reader.int(in: 0...Int64.max))
        let seal = count == 6 ? Seal(n: try reader.int(), t: try reader.int()) : nil
        return Stamp(dot: dot, base: base, seal: seal)
    }

    private static func readCell(
        _ reader: inout CBORReader, _ stamps: [Stamp]
    ) throws(CBORError) -> Cell {
        let count = try reader.array()
        guard count >= 3, count % 2 == 1 else { throw reader.error(.shape) }
        let key: CellKey
        switch try reader.nextMajor() {
        case 0: key = try reader.int(in: 0...1) == 0 ? .life : .newer
        case 3: key = .field(try reader.text(limit: Limits.nameBytesMax))
        default:
            guard try reader.array() == 2 else { throw reader.error(.shape) }
            let field = try reader.text(limit: Limits.nameBytesMax)
            key = .member(field: field, element: try reader.value())
        }
        var writes: [Write] = []
        writes.reserveCapacity(count / 2)
        for _ in 0..<count / 2 {
            let index = Int(try reader.int(in: 0...Int64(max(stamps.count - 1, 0))))
            guard index < stamps.count else { throw reader.error(.shape) }
            writes.append(Write(stamp: stamps[index], value: try reader.value()))
        }
        return Cell(key: key, writes: writes)
    }
}
