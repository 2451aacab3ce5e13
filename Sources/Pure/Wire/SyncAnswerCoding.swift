import MacrologEvents

/// The encoding of an answer (`protocol.md` §6.1). A page is encoded in columns of differences:
/// most header values follow from earlier events, so the columns consist mostly of zeros.
extension SyncAnswer {
    /// Encodes the message.
    ///
    /// - Precondition: Every event begins with an ``EventHeader``, as all admitted events do.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter(capacity: 96 + rows.count * 160)
        writer.map(6)
        writer.int(0)
        writer.int(Int64(epoch))
        writer.int(1)
        writer.int(head.rawValue)
        writer.int(2)
        writer.int(admitted.rawValue)
        writer.int(3)
        writer.int(now.rawValue)
        writer.int(4)
        if rows.isEmpty { writer.array(0) } else { PageColumns(rows).encode(into: &writer) }
        writer.int(5)
        writer.identifier(Identifier(high: digest.high, low: digest.low))
        return writer.bytes
    }

    /// Decodes the message, strictly. Only the headers of the events inside are checked.
    public static func decoded(_ bytes: [UInt8]) throws(CBORError) -> SyncAnswer {
        try CBORReader.read(bytes, as: "sync-answer") { reader throws(CBORError) in
            try reader.map(of: 6)
            try reader.expectKey(0)
            let epoch = UInt32(try reader.int(in: 1...Int64(UInt32.max)))
            try reader.expectKey(1)
            let head = try reader.int(in: 0...Int64.max)
            try reader.expectKey(2)
            let admitted = try reader.int(in: 0...Int64.max)
            try reader.expectKey(3)
            let now = try reader.int()
            try reader.expectKey(4)
            let rows = try PageColumns.rows(&reader)
            try reader.expectKey(5)
            return SyncAnswer(
                epoch: epoch, head: head, admitted: admitted, now: now, rows: rows,
                digest: try reader.digest())
        }
    }
}

/// A page as columns. Times, counters and contents have one item for every row; the other columns
/// have one for every row with an event of another device.
private struct PageColumns {
    /// Milliseconds of the sealed times, each as the difference to the previous one.
    private var times: [Int64] = []
    /// The counters of the sealed times.
    private var counters: [Int64] = []
    /// The part of an event after its header, or the `seq` of an own event.
    private var contents: [Content] = []
    /// The devices in the order of first appearance.
    private var devices: [Identifier] = []
    private var headers: [Header] = []
    private var track = Track()

    private enum Content {
        case tail(ArraySlice<UInt8>)
        case own(Int64)
    }

    /// One event's header, as differences to the predicted values.
    private struct Header {
        /// The index of the device in the list of devices.
        var device: Int64
        /// `seq` less the next expected one of its device in the page; for the first, less 1.
        var seq: Int64
        /// The base's epoch less that of the previous event.
        var epoch: Int64
        /// The base's `n` less that of its device's previous event.
        var base: Int64
        /// The wall clock less the sealed time, less the same difference of its device's previous
        /// event.
        var wall: Int64
        /// The number of pairs in the event's map.
        var pairs: Int64
    }

    /// The prediction of the next row from the rows so far.
    private struct Track {
        var milliseconds: Int64 = 0
        var epoch: Int64 = 0
        var seqs: [Int64] = []
        var bases: [Int64] = []
        var leads: [Int64] = []

        mutating func meet() {
            seqs.append(0)
            bases.append(0)
            leads.append(0)
        }
    }

    init(_ rows: [SyncAnswer.Row]) {
        for row in rows {
            let milliseconds = row.t.milliseconds
            times.append(milliseconds &- track.milliseconds)
            counters.append(row.t.counter)
            track.milliseconds = milliseconds
            switch row.content {
            case .own(let seq): contents.append(.own(seq.rawValue))
            case .event(let body): add(body, milliseconds)
            }
        }
    }

    private mutating func add(_ body: [UInt8], _ milliseconds: Int64) {
        guard let (header, pairs, tail) = try? EventHeader.split(body) else {
            preconditionFailure("an event without a header was admitted")
        }
        contents.append(.tail(body[tail...]))
        var device = devices.firstIndex(of: header.dot.device) ?? devices.count
        if device == devices.count {
            devices.append(header.dot.device)
            track.meet()
            device = devices.count - 1
        }
        let lead = header.wall &- milliseconds
        headers.append(
            Header(
                device: Int64(device), seq: header.dot.seq.rawValue &- track.seqs[device] &- 1,
                epoch: Int64(header.base.epoch) &- track.epoch,
                base: header.base.n.rawValue &- track.bases[device],
                wall: lead &- track.leads[device],
                pairs: Int64(pairs)))
        track.seqs[device] = header.dot.seq.rawValue
        track.epoch = Int64(header.base.epoch)
        track.bases[device] = header.base.n.rawValue
        track.leads[device] = lead
    }

    func encode(into writer: inout CBORWriter) {
        writer.array(10)
        Self.write(times, &writer)
        Self.write(counters, &writer)
        writer.array(contents.count)
        for content in contents {
            switch content {
            case .tail(let tail): writer.byteString(tail)
            case .own(let seq): writer.int(seq)
            }
        }
        writer.array(devices.count)
        for device in devices { writer.identifier(device) }
        Self.write(headers.map { $0.device }, &writer)
        Self.write(headers.map { $0.seq }, &writer)
        Self.write(headers.map { $0.epoch }, &writer)
        Self.write(headers.map { $0.base }, &writer)
        Self.write(headers.map { $0.wall }, &writer)
        Self.write(headers.map { $0.pairs }, &writer)
    }

    private static func write(_ column: [Int64], _ writer: inout CBORWriter) {
        writer.array(column.count)
        for value in column { writer.int(value) }
    }

    // Reading.

    static func rows(_ reader: inout CBORReader) throws(CBORError) -> [SyncAnswer.Row] {
        let start = reader.offset
        let columns = try reader.array(limit: 10)
        guard columns > 0 else { return [] }
        guard columns == 10 else { throw reader.error(.shape, at: start) }
        let times = try column(&reader)
        guard !times.isEmpty else { throw reader.error(.shape, at: start) }
        let counters = try column(&reader, count: times.count)
        try reader.array(of: times.count)
        var contents: [Content] = []
        contents.reserveCapacity(times.count)
        for _ in times { contents.append(try content(&reader)) }
        var devices: [Identifier] = []
        for _ in 0..<(try reader.array(limit: Limits.pageEventsMax)) {
            devices.append(try reader.identifier())
        }
        let events = contents.reduce(0) { if case .tail = $1 { $0 + 1 } else { $0 } }
        var headers: [[Int64]] = []
        for _ in 0..<6 { headers.append(try column(&reader, count: events)) }
        guard let rows = assemble(times, counters, contents, devices, headers) else {
            throw reader.error(.shape, at: start)
        }
        return rows
    }

    private static func column(
        _ reader: inout CBORReader, count: Int? = nil
    ) throws(CBORError) -> [Int64] {
        let length = try reader.array(limit: Limits.pageEventsMax)
        guard length == count ?? length else { throw reader.error(.shape) }
        var values: [Int64] = []
        values.reserveCapacity(length)
        for _ in 0..<length { values.append(try reader.int()) }
        return values
    }

    private static func content(_ reader: inout CBORReader) throws(CBORError) -> Content {
        if try reader.nextMajor() == 2 {
            return .tail(try reader.byteString(limit: Limits.eventBytesMax)[...])
        }
        return .own(try reader.int(in: 1...Int64.max))
    }

    /// The rows; `nil` if the columns are inconsistent.
    private static func assemble(
        _ times: [Int64], _ counters: [Int64], _ contents: [Content], _ devices: [Identifier],
        _ headers: [[Int64]]
    ) -> [SyncAnswer.Row]? {
        guard Set(devices).count == devices.count else { return nil }
        var track = Track()
        var writer = CBORWriter()
        var rows: [SyncAnswer.Row] = []
        rows.reserveCapacity(times.count)
        var event = 0
        for index in times.indices {
            track.milliseconds &+= times[index]
            guard (0...0xFFFF).contains(counters[index]),
                (0...Int64.max >> 16).contains(track.milliseconds)
            else { return nil }
            let t = track.milliseconds << 16 | counters[index]
            guard t > 0 else { return nil }
            switch contents[index] {
            case .own(let seq): rows.append(SyncAnswer.Row(t: t, content: .own(seq: Seq(seq))))
            case .tail(let tail):
                let header = Header(
                    device: headers[0][event], seq: headers[1][event], epoch: headers[2][event],
                    base: headers[3][event], wall: headers[4][event], pairs: headers[5][event])
                event += 1
                guard let body = body(header, tail, devices, &track, by: &writer)
                else { return nil }
                rows.append(SyncAnswer.Row(t: t, content: .event(body)))
            }
        }
        return track.seqs.count == devices.count ? rows : nil
    }

    private static func body(
        _ header: Header, _ tail: ArraySlice<UInt8>, _ devices: [Identifier],
        _ track: inout Track, by writer: inout CBORWriter
    ) -> [UInt8]? {
        guard (0..<Int64(devices.count)).contains(header.device) else { return nil }
        let device = Int(header.device)
        // The devices must be in the order of first appearance.
        guard device <= track.seqs.count else { return nil }
        if device == track.seqs.count { track.meet() }
        track.seqs[device] = track.seqs[device] &+ 1 &+ header.seq
        track.epoch &+= header.epoch
        track.bases[device] &+= header.base
        track.leads[device] &+= header.wall
        guard let epoch = UInt32(exactly: track.epoch), track.seqs[device] > 0,
            track.bases[device] >= 0, epoch != 0 || track.bases[device] == 0,
            (Int64(Skeleton.pairs)...Int64(Limits.mapEntriesMax)).contains(header.pairs)
        else { return nil }
        writer.reset()
        EventHeader(
            dot: Dot(device: devices[device], seq: track.seqs[device]),
            base: Base(epoch: epoch, n: track.bases[device]),
            wall: track.leads[device] &+ track.milliseconds
        ).encode(pairs: Int(header.pairs), into: &writer)
        writer.encoded(tail)
        return writer.count <= Limits.eventBytesMax ? writer.bytes : nil
    }
}

extension EventHeader {
    /// Splits an event: its header, the number of pairs in its map, and the offset of the rest.
    static func split(
        _ body: [UInt8]
    ) throws(CBORError) -> (header: EventHeader, pairs: Int, tail: Int) {
        try body.withUnsafeBufferPointer { bytes throws(CBORError) in
            try CBORReader.peek(UnsafeRawBufferPointer(bytes), as: "event") {
                reader throws(CBORError) in
                let (header, left) = try read(&reader)
                return (header, left + 4, reader.offset)
            }
        }
    }

}
