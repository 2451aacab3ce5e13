package import MacrologEvents

/// The request of `POST /v1/sync`: what a device has, and the events it has recorded since.
package struct SyncRequest: Hashable, Sendable {
    /// An event to push.
    public struct Pushed: Hashable, Sendable {
        /// Milliseconds since it was recorded, as measured by its device (see ``Sealing``).
        public let age: Milliseconds
        /// The encoded event.
        public let body: [UInt8]

        /// Pairs age and body.
        public init(age: Int64, body: [UInt8]) {
            self.age = Milliseconds(age)
            self.body = body
        }
    }

    /// The protocol's version.
    public var version: Int64
    /// The requesting device.
    public var device: Identifier
    /// The epoch of the log that the device has folded; 0 for none.
    public var epoch: UInt32
    /// The number up to which it has folded the log; 0 for none.
    public var cursor: LogNumber
    /// The digest of the log up to there, as the device computed it.
    public var digest: PrefixDigest
    /// Its own events, in the order of `seq`, without gaps.
    public var pushed: [Pushed]
    /// The maximum number of events to return, 0 to ``Limits/pageEventsMax``.
    public var eventsMax: Int64
    /// The maximum bytes of events to return; a page has at least one event.
    public var bytesMax: Int64

    /// Memberwise initializer.
    public init(
        version: Int64 = Limits.protocolVersion, device: Identifier, epoch: UInt32, cursor: Int64,
        digest: PrefixDigest, pushed: [Pushed], eventsMax: Int64 = Int64(Limits.pageEventsMax),
        bytesMax: Int64 = Int64(Limits.pageBytesMax)
    ) {
        self.version = version
        self.device = device
        self.epoch = epoch
        self.cursor = LogNumber(cursor)
        self.digest = digest
        self.pushed = pushed
        self.eventsMax = eventsMax
        self.bytesMax = bytesMax
    }

    /// Encodes the message.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter(capacity: 64 + pushed.reduce(0) { $0 + $1.body.count + 8 })
        writer.map(8)
        writer.int(0)
        writer.int(version)
        writer.int(1)
        writer.identifier(device)
        writer.int(2)
        writer.int(Int64(epoch))
        writer.int(3)
        writer.int(cursor.rawValue)
        writer.int(4)
        writer.identifier(Identifier(high: digest.high, low: digest.low))
        writer.int(5)
        writer.array(pushed.count)
        for event in pushed {
            writer.array(2)
            writer.int(event.age.rawValue)
            writer.byteString(event.body)
        }
        writer.int(6)
        writer.int(eventsMax)
        writer.int(7)
        writer.int(bytesMax)
        return writer.bytes
    }

    /// Whether a message has events to push, without decoding the rest; false for what is no message.
    package static func hasEvents(_ message: [UInt8]) -> Bool {
        do throws(CBORError) {
            return try message.withUnsafeBufferPointer { bytes throws(CBORError) in
                try CBORReader.peek(UnsafeRawBufferPointer(bytes), as: "sync-request") {
                    reader throws(CBORError) in
                    _ = try reader.map()
                    for key in Int64(0)...4 {
                        try reader.expectKey(key)
                        if key == 1 || key == 4 {
                            _ = try reader.identifier()
                        } else {
                            _ = try reader.int()
                        }
                    }
                    try reader.expectKey(5)
                    return try reader.array() > 0
                }
            }
        } catch {
            return false
        }
    }

    /// Decodes the message, strictly. The events inside are not decoded.
    ///
    /// - Parameter versions: The supported protocol versions.
    public static func decoded(
        _ bytes: [UInt8], versions: ClosedRange<Int64> = Limits.protocolVersions
    ) throws(CBORError) -> SyncRequest {
        try CBORReader.read(bytes, as: "sync-request") { reader throws(CBORError) in
            // The version is first, so that a newer message is reported as newer, not as malformed.
            let start = reader.offset
            let pairs = try reader.map()
            try reader.expectKey(0)
            let version = try reader.version(of: versions)
            guard pairs == 8 else { throw reader.error(.shape, at: start) }
            try reader.expectKey(1)
            let device = try reader.identifier()
            try reader.expectKey(2)
            let epoch = UInt32(try reader.int(in: 0...Int64(UInt32.max)))
            try reader.expectKey(3)
            let cursor = try reader.int(in: 0...Int64.max)
            try reader.expectKey(4)
            let digest = try reader.digest()
            try reader.expectKey(5)
            let count = try reader.array(limit: Limits.pageEventsMax)
            var pushed: [Pushed] = []
            pushed.reserveCapacity(count)
            for _ in 0..<count {
                try reader.array(of: 2)
                let age = try reader.int()
                // An event that is too long is reported when it is decoded.
                pushed.append(
                    Pushed(age: age, body: try reader.byteString(limit: Limits.messageBytesMax)))
            }
            try reader.expectKey(6)
            let eventsMax = try reader.int(in: 0...Int64(Limits.pageEventsMax))
            try reader.expectKey(7)
            let bytesMax = try reader.int(in: 0...Int64(Limits.pageBytesMax))
            return SyncRequest(
                version: version, device: device, epoch: epoch, cursor: cursor, digest: digest,
                pushed: pushed,
                eventsMax: eventsMax, bytesMax: bytesMax)
        }
    }
}

/// The answer of `POST /v1/sync`: the next page of the log.
package struct SyncAnswer: Hashable, Sendable {
    /// One admitted event of the page.
    public struct Row: Hashable, Sendable {
        /// The sealed time; the number follows from the position in the page.
        public let t: SealedTime
        /// The event, or only its `seq` if the requesting device recorded it.
        public let content: Content

        /// Pairs time and content.
        public init(t: SealedTime, content: Content) {
            self.t = t
            self.content = content
        }

        /// Pairs time and content.
        public init(t: Int64, content: Content) {
            self.init(t: SealedTime(t), content: content)
        }
    }

    /// An event, or the `seq` of one that the device has.
    public enum Content: Hashable, Sendable {
        /// The encoded event of another device: bytes that begin with an ``EventHeader``.
        case event([UInt8])
        /// The requesting device's own event with this number.
        case own(seq: Seq)
    }

    /// The epoch of the server's log, never 0.
    public var epoch: UInt32
    /// The number of the last admitted event.
    public var head: LogNumber
    /// The greatest `seq` of the requesting device that the server has; 0 for none.
    public var admitted: Seq
    /// The server's clock, in milliseconds since 1970 UTC.
    public var now: Milliseconds
    /// The events after the cursor, in order, without gaps.
    public var rows: [Row]
    /// The digest of the log up to the last row, or up to the cursor if there is none.
    public var digest: PrefixDigest

    /// Memberwise initializer.
    public init(
        epoch: UInt32, head: LogNumber, admitted: Seq, now: Int64, rows: [Row],
        digest: PrefixDigest
    ) {
        self.init(
            epoch: epoch, head: head.rawValue, admitted: admitted.rawValue, now: now, rows: rows,
            digest: digest)
    }

    /// Memberwise initializer.
    public init(
        epoch: UInt32, head: Int64, admitted: Int64, now: Int64, rows: [Row], digest: PrefixDigest
    ) {
        self.epoch = epoch
        self.head = LogNumber(head)
        self.admitted = Seq(admitted)
        self.now = Milliseconds(now)
        self.rows = rows
        self.digest = digest
    }
}

extension CBORReader {
    mutating func digest() throws(CBORError) -> PrefixDigest {
        let bytes = try identifier()
        return PrefixDigest(high: bytes.high, low: bytes.low)
    }
}
