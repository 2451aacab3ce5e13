package import MacrologEvents

/// The request of `POST /v1/heal`, sent when the server's log ends before the device's, and is equal
/// up to there: the sealed events that the server has lost.
package struct HealRequest: Hashable, Sendable {
    /// A sealed event; its number follows from its position.
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
    /// The number of the event before the first row, where the server's log ends.
    public var after: LogNumber
    /// The events that follow, 1 or more.
    public var rows: [Row]
    /// The digest of the device's log up to the last row.
    public var digest: PrefixDigest

    /// Memberwise initializer.
    public init(
        version: Int64 = Limits.protocolVersion, after: Int64, rows: [Row], digest: PrefixDigest
    ) {
        self.version = version
        self.after = LogNumber(after)
        self.rows = rows
        self.digest = digest
    }

    /// Encodes the message: the times as differences in one column, the events in another.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter(capacity: 64 + rows.reduce(0) { $0 + $1.body.count + 12 })
        writer.map(5)
        writer.int(0)
        writer.int(version)
        writer.int(1)
        writer.int(after.rawValue)
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
    ) throws(CBORError) -> HealRequest {
        try CBORReader.read(bytes, as: "heal-request") { reader throws(CBORError) in
            let start = reader.offset
            let pairs = try reader.map()
            try reader.expectKey(0)
            let version = try reader.version(of: versions)
            guard pairs == 5 else { throw reader.error(.shape, at: start) }
            try reader.expectKey(1)
            let after = try reader.int(in: 0...Int64.max)
            try reader.expectKey(2)
            let rowsStart = reader.offset
            let count = try reader.array(limit: Limits.pageEventsMax)
            guard count > 0 else { throw reader.error(.shape, at: rowsStart) }
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
            return HealRequest(
                version: version, after: after, rows: rows, digest: try reader.digest())
        }
    }
}

/// The answer of `POST /v1/heal`.
package struct HealAnswer: Hashable, Sendable {
    /// The epoch of the server's log, never 0.
    public var epoch: UInt32
    /// The number of the last event of the server's log, including the events just restored.
    public var head: LogNumber
    /// The digest of the server's log.
    public var digest: PrefixDigest

    /// Memberwise initializer.
    public init(epoch: UInt32, head: LogNumber, digest: PrefixDigest) {
        self.epoch = epoch
        self.head = head
        self.digest = digest
    }

    /// Encodes the message.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter(capacity: 40)
        writer.map(3)
        writer.int(0)
        writer.int(Int64(epoch))
        writer.int(1)
        writer.int(head.rawValue)
        writer.int(2)
        writer.identifier(Identifier(high: digest.high, low: digest.low))
        return writer.bytes
    }

    /// Decodes the message, strictly.
    public static func decoded(_ bytes: [UInt8]) throws(CBORError) -> HealAnswer {
        try CBORReader.read(bytes, as: "heal-answer") { reader throws(CBORError) in
            try reader.map(of: 3)
            try reader.expectKey(0)
            let epoch = UInt32(try reader.int(in: 1...Int64(UInt32.max)))
            try reader.expectKey(1)
            let head = LogNumber(try reader.int(in: 0...Int64.max))
            try reader.expectKey(2)
            return HealAnswer(epoch: epoch, head: head, digest: try reader.digest())
        }
    }
}
