/// The request of `POST /v1/heal`, sent when the server's log is not the one that the device knows:
/// marks of the device's log, to find how far both are equal, and the sealed events that the server
/// has lost.
public struct RecoverRequest: Hashable, Sendable {
    /// The digest of the first `n` events, as the device computed it.
    public struct Mark: Hashable, Sendable {
        /// How many events, 1 or more.
        public let n: LogNumber
        /// Their digest.
        public let digest: PrefixDigest

        /// Pairs number and digest.
        public init(n: Int64, digest: PrefixDigest) {
            self.n = LogNumber(n)
            self.digest = digest
        }
    }

    /// A sealed event; its number follows from its position after the last mark.
    public struct Row: Hashable, Sendable {
        /// The sealed time.
        public let t: SealedTime
        /// The encoded event, of any device.
        public let body: [UInt8]

        /// Pairs time and event.
        public init(t: SealedTime, body: [UInt8]) {
            self.t = t
            self.body = body
        }

        /// Pairs time and event.
        public init(t: Int64, body: [UInt8]) {
            self.init(t: SealedTime(t), body: body)
        }
    }

    /// The protocol's version.
    public var version: Int64
    /// In ascending order; at most ``Limits/recoverMarksMax``.
    public var marks: [Mark]
    /// The events after the last mark, or from the first event if there is no mark.
    public var rows: [Row]
    /// The digest after the last row, or after the last mark if there is no row.
    public var digest: PrefixDigest

    /// Memberwise initializer.
    public init(
        version: Int64 = Limits.protocolVersion, marks: [Mark], rows: [Row], digest: PrefixDigest
    ) {
        self.version = version
        self.marks = marks
        self.rows = rows
        self.digest = digest
    }

    /// Encodes the message: the times as differences in one column, the events in another.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter(capacity: 512 + rows.reduce(0) { $0 + $1.body.count + 12 })
        writer.map(5)
        writer.int(0)
        writer.int(version)
        writer.int(1)
        writer.array(marks.count)
        for mark in marks {
            writer.array(2)
            writer.int(mark.n.rawValue)
            writer.identifier(Identifier(high: mark.digest.high, low: mark.digest.low))
        }
        writer.int(2)
        writer.array(rows.count)
        var previous: Int64 = 0
        for row in rows {
            writer.int(row.t.rawValue &- previous)
            previous = row.t.rawValue
        }
        writer.int(3)
        writer.array(rows.count)
        for row in rows { writer.byteString(row.body) }
        writer.int(4)
        writer.identifier(Identifier(high: digest.high, low: digest.low))
        return writer.bytes
    }

    /// Decodes the message, strictly. The events inside are not decoded.
    ///
    /// - Parameter versions: The supported protocol versions.
    public static func decoded(
        _ bytes: [UInt8], versions: ClosedRange<Int64> = Limits.protocolVersions
    ) throws(CBORError) -> RecoverRequest {
        try CBORReader.read(bytes, as: "recover-request") { reader throws(CBORError) in
            let start = reader.offset
            let pairs = try reader.map()
            try reader.expectKey(0)
            let version = try reader.version(of: versions)
            guard pairs == 5 else { throw reader.error(.shape, at: start) }
            try reader.expectKey(1)
            var marks: [Mark] = []
            for _ in 0..<(try reader.array(limit: Limits.recoverMarksMax)) {
                let start = reader.offset
                try reader.array(of: 2)
                let mark = Mark(n: try reader.int(in: 1...Int64.max), digest: try reader.digest())
                guard mark.n > marks.last?.n ?? .zero else { throw reader.error(.shape, at: start) }
                marks.append(mark)
            }
            try reader.expectKey(2)
            let count = try reader.array(limit: Limits.pageEventsMax)
            var times: [Int64] = []
            times.reserveCapacity(count)
            var previous: Int64 = 0
            for _ in 0..<count {
                let start = reader.offset
                let (t, overflow) = previous.addingReportingOverflow(try reader.int())
                guard !overflow, t > 0 else { throw reader.error(.integerRange, at: start) }
                times.append(t)
                previous = t
            }
            try reader.expectKey(3)
            try reader.array(of: count)
            var rows: [Row] = []
            rows.reserveCapacity(count)
            for t in times {
                rows.append(Row(t: t, body: try reader.byteString(limit: Limits.messageBytesMax)))
            }
            try reader.expectKey(4)
            return RecoverRequest(
                version: version, marks: marks, rows: rows, digest: try reader.digest())
        }
    }
}

/// The answer of `POST /v1/heal`.
public struct RecoverAnswer: Hashable, Sendable {
    /// The epoch of the server's log, never 0.
    public var epoch: UInt32
    /// The number of the last event of the server's log, including the events just restored.
    public var head: LogNumber
    /// The greatest number, among 0, the marks and the last row, up to which both logs are equal.
    public var agreed: LogNumber

    /// Memberwise initializer.
    public init(epoch: UInt32, head: LogNumber, agreed: LogNumber) {
        self.epoch = epoch
        self.head = head
        self.agreed = agreed
    }

    /// Memberwise initializer.
    public init(epoch: UInt32, head: Int64, agreed: Int64) {
        self.init(epoch: epoch, head: LogNumber(head), agreed: LogNumber(agreed))
    }

    /// Encodes the message.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter(capacity: 32)
        writer.map(3)
        writer.int(0)
        writer.int(Int64(epoch))
        writer.int(1)
        writer.int(head.rawValue)
        writer.int(2)
        writer.int(agreed.rawValue)
        return writer.bytes
    }

    /// Decodes the message, strictly.
    public static func decoded(_ bytes: [UInt8]) throws(CBORError) -> RecoverAnswer {
        try CBORReader.read(bytes, as: "recover-answer") { reader throws(CBORError) in
            try reader.map(of: 3)
            try reader.expectKey(0)
            let epoch = UInt32(try reader.int(in: 1...Int64(UInt32.max)))
            try reader.expectKey(1)
            let head = try reader.int(in: 0...Int64.max)
            try reader.expectKey(2)
            return RecoverAnswer(
                epoch: epoch, head: head, agreed: try reader.int(in: 0...head))
        }
    }
}
