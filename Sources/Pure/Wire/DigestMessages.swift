package import MacrologEvents

/// The request of `POST /v1/digest`, sent when a device's log and the server's differ: ranges of
/// the log, each divided into parts, so that the rows that differ are found in a few round trips.
package struct DigestRequest: Hashable, Sendable {
    /// The events of the log after one number and up to another, divided into parts.
    public struct Range: Hashable, Sendable {
        /// The number before the first event, 0 or more.
        public let after: LogNumber
        /// The number of the last event, greater than ``after``.
        public let through: LogNumber
        /// The number of parts: at most ``Limits/digestPartsMax``, none of them empty.
        public let parts: Int

        /// A range divided into parts.
        public init(after: Int64, through: Int64, parts: Int) {
            self.after = LogNumber(after)
            self.through = LogNumber(through)
            self.parts = parts
        }

        /// The last number of each part: parts are as equal as possible, those with one event more
        /// first.
        public var ends: [LogNumber] {
            guard parts > 0, let length = through.distance(from: after) else { return [] }
            let (each, rest) = length.quotientAndRemainder(dividingBy: Int64(parts))
            return (1...Int64(parts)).compactMap { after.adding(each * $0 + min(rest, $0)) }
        }

        /// What a log of `head` events has of this range: it ends there, and no part is empty;
        /// `nil` where it has nothing of it.
        public func cut(at head: LogNumber) -> Range? {
            guard through > head else { return self }
            guard let length = head.distance(from: after), length > 0 else { return nil }
            return Range(
                after: after.rawValue, through: head.rawValue,
                parts: Int(min(Int64(parts), length)))
        }
    }

    /// The protocol's version.
    public var version: Int64
    /// In ascending order, without overlaps; 1 to ``Limits/digestRangesMax``.
    public var ranges: [Range]

    /// Memberwise initializer.
    public init(
        version: Int64 = Limits.protocolVersion, ranges: [Range]
    ) {
        self.version = version
        self.ranges = ranges
    }

    /// Encodes the message.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter(capacity: 16 + ranges.count * 24)
        writer.map(2)
        writer.int(0)
        writer.int(version)
        writer.int(1)
        writer.array(ranges.count)
        for range in ranges {
            writer.array(3)
            writer.int(range.after.rawValue)
            writer.int(range.through.rawValue)
            writer.int(Int64(range.parts))
        }
        return writer.bytes
    }

    /// Decodes the message, strictly.
    ///
    /// - Parameter versions: The supported protocol versions.
    public static func decoded(
        _ bytes: [UInt8], versions: ClosedRange<Int64> = Limits.protocolVersions
    ) throws(CBORError) -> DigestRequest {
        try CBORReader.read(bytes, as: "digest-request") { reader throws(CBORError) in
            let start = reader.offset
            let pairs = try reader.map()
            try reader.expectKey(0)
            let version = try reader.version(of: versions)
            guard pairs == 2 else { throw reader.error(.shape, at: start) }
            try reader.expectKey(1)
            let rangesStart = reader.offset
            let count = try reader.array(limit: Limits.digestRangesMax)
            guard count > 0 else { throw reader.error(.shape, at: rangesStart) }
            var ranges: [Range] = []
            for _ in 0..<count {
                let start = reader.offset
                try reader.array(of: 3)
                let after = try reader.int(in: 0...Int64.max)
                let through = try reader.int(in: 1...Int64.max)
                let parts = try reader.int(in: 1...Int64(Limits.digestPartsMax))
                guard after >= ranges.last?.through.rawValue ?? 0, through > after,
                    parts <= through - after
                else { throw reader.error(.shape, at: start) }
                ranges.append(Range(after: after, through: through, parts: Int(parts)))
            }
            return DigestRequest(version: version, ranges: ranges)
        }
    }
}

/// The answer of `POST /v1/digest`.
package struct DigestAnswer: Hashable, Sendable {
    /// The epoch of the server's log, never 0.
    public var epoch: UInt32
    /// The number of the last event of the server's log, where ranges are cut.
    public var head: LogNumber
    /// The digest of every part of every range, in the order requested.
    public var digests: [PrefixDigest]

    /// Memberwise initializer.
    public init(epoch: UInt32, head: LogNumber, digests: [PrefixDigest]) {
        self.epoch = epoch
        self.head = head
        self.digests = digests
    }

    /// Encodes the message.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter(capacity: 16 + digests.count * 17)
        writer.map(3)
        writer.int(0)
        writer.int(Int64(epoch))
        writer.int(1)
        writer.int(head.rawValue)
        writer.int(2)
        writer.array(digests.count)
        for digest in digests {
            writer.identifier(Identifier(high: digest.high, low: digest.low))
        }
        return writer.bytes
    }

    /// Decodes the message, strictly.
    public static func decoded(_ bytes: [UInt8]) throws(CBORError) -> DigestAnswer {
        try CBORReader.read(bytes, as: "digest-answer") { reader throws(CBORError) in
            try reader.map(of: 3)
            try reader.expectKey(0)
            let epoch = UInt32(try reader.int(in: 1...Int64(UInt32.max)))
            try reader.expectKey(1)
            let head = LogNumber(try reader.int(in: 0...Int64.max))
            try reader.expectKey(2)
            let limit = Limits.digestRangesMax * Limits.digestPartsMax
            var digests: [PrefixDigest] = []
            for _ in 0..<(try reader.array(limit: limit)) { digests.append(try reader.digest()) }
            return DigestAnswer(epoch: epoch, head: head, digests: digests)
        }
    }
}
