package import MacrologEvents

/// What remains of a compacted event: its payload was removed, because every cell that it wrote had
/// been overwritten by events that had seen it (`protocol.md` §7.8).
///
/// A skeleton replaces its event in a log and in a page. It keeps the header, so that causality and
/// the order of dots stay exact, and the hash, so that digests stay valid. Its bytes begin like an
/// event's; a map of six pairs, which an event never is, distinguishes them.
package struct Skeleton: Hashable, Sendable {
    /// The event's header, unchanged.
    public let header: EventHeader
    /// The SHA-256 of the event's bytes.
    public let hash: [UInt8]
    /// How much of the log was considered: the cells were overwritten by events up to this number.
    public let through: LogNumber

    /// The keys of its map after those of the header.
    private enum Key {
        static let hash: Int64 = 4
        static let through: Int64 = 5
    }

    /// The pairs of its map. An event has seven or more.
    static let pairs = 6

    /// Creates the skeleton of an event.
    ///
    /// - Parameter body: The event's bytes.
    public init(
        of body: UnsafeRawBufferPointer, through: Int64
    ) throws(CBORError) {
        header = try EventHeader.peeked(body)
        hash = SHA256.bytes(SHA256.words(body))
        self.through = LogNumber(through)
    }

    private init(header: EventHeader, hash: [UInt8], through: Int64) {
        self.header = header
        self.hash = hash
        self.through = LogNumber(through)
    }

    /// Whether bytes of a log are a skeleton, not an event.
    public static func isSkeleton(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.first == 0xA0 | UInt8(pairs)
    }

    /// Encodes the skeleton.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter()
        header.encode(pairs: Self.pairs, into: &writer)
        writer.int(Key.hash)
        writer.byteString(hash)
        writer.int(Key.through)
        writer.int(through.rawValue)
        return writer.bytes
    }

    /// Decodes a skeleton, strictly.
    public static func decoded(_ bytes: UnsafeRawBufferPointer) throws(CBORError) -> Skeleton {
        try CBORReader.read(bytes, as: "skeleton") { reader throws(CBORError) in
            let start = reader.offset
            let (header, left) = try EventHeader.read(&reader)
            guard left == pairs - 4 else { throw reader.error(.shape, at: start) }
            try reader.expectKey(Key.hash)
            let hashStart = reader.offset
            let hash = try reader.byteString(limit: 32)
            guard hash.count == 32 else { throw reader.error(.shape, at: hashStart) }
            try reader.expectKey(Key.through)
            return Skeleton(
                header: header, hash: hash, through: try reader.int(in: 1...Int64.max))
        }
    }

    /// Whether this is the skeleton of the event with these bytes.
    public func stands(for body: [UInt8]) -> Bool { SHA256.hash(body) == hash }

    /// Whether an event has the same content as the original of this skeleton, whatever its dot and
    /// base (`protocol.md` §6.6).
    package func says(_ event: Event) -> Bool {
        var event = event.original
        guard event.dot == header.dot else { return false }
        event.base = header.base
        return stands(for: event.encoded())
    }
}

/// What a log stores of an event: the whole event or its skeleton.
package enum StoredEvent: Hashable, Sendable {
    /// The whole event.
    case whole(Event)
    /// Its skeleton.
    case skeleton(Skeleton)

    /// Decodes the bytes of a log or a page, strictly.
    public static func decoded(_ bytes: UnsafeRawBufferPointer) throws(CBORError) -> StoredEvent {
        Skeleton.isSkeleton(bytes)
            ? .skeleton(try Skeleton.decoded(bytes)) : .whole(try Event.decoded(bytes))
    }

    /// Decodes the bytes of a log or a page, strictly.
    public static func decoded(_ bytes: [UInt8]) throws(CBORError) -> StoredEvent {
        try bytes.withUnsafeBufferPointer { buffer throws(CBORError) in
            try decoded(UnsafeRawBufferPointer(buffer))
        }
    }

    /// The header, kept in either case.
    public var header: EventHeader {
        switch self {
        case .whole(let event): EventHeader(dot: event.dot, base: event.base, wall: event.wall)
        case .skeleton(let skeleton): skeleton.header
        }
    }

    /// The SHA-256 of the event's bytes, for either form: the input of a digest.
    public static func hash(of bytes: UnsafeRawBufferPointer) throws(CBORError) -> SHA256.Words {
        guard Skeleton.isSkeleton(bytes) else { return SHA256.words(bytes) }
        return SHA256.words(of: try Skeleton.decoded(bytes).hash)
    }

    /// The SHA-256 of the event's bytes, for either form.
    public static func hash(of bytes: [UInt8]) throws(CBORError) -> SHA256.Words {
        try bytes.withUnsafeBufferPointer { buffer throws(CBORError) in
            try hash(of: UnsafeRawBufferPointer(buffer))
        }
    }
}

extension EntityState {
    /// The events with a write that no other write of the same cell had seen. The payload of any
    /// other event is not needed any more: a write that was seen by another stays seen.
    package var dots: Set<Dot> { Set(stamps.map { $0.dot }) }
}
