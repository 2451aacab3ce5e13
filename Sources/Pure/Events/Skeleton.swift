/// What is left of an event whose payload was given up, because every cell that it wrote had been
/// written again by others that had seen it (`protocol.md` §7.8).
///
/// A skeleton stands in the place of its event, in a log and in a page: it keeps the header, so that
/// causality and the order of names stay exact, and the hash, so that every digest does. Its bytes
/// begin like an event's; a map of six pairs, which no event is, tells them apart.
public struct Skeleton: Hashable, Sendable {
    /// The event's header, as it was.
    public let header: EventHeader
    /// The SHA-256 of the event's bytes.
    public let hash: [UInt8]
    /// How much of the log had been looked at: the cells had been written again by events up to this
    /// number.
    public let through: LogNumber

    /// The pairs of its map. An event has seven or more.
    static let pairs = 6

    /// Takes the place of an event.
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

    /// Whether bytes of a log are a skeleton's, and not an event's.
    public static func isSkeleton(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.first == 0xA0 | UInt8(pairs)
    }

    /// Encodes the skeleton.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter(capacity: 40)
        writer.int(4)
        writer.byteString(hash)
        writer.int(5)
        writer.int(through.rawValue)
        return header.joined(pairs: Self.pairs, tail: writer.bytes[...])
    }

    /// Decodes a skeleton, strictly.
    public static func decoded(_ bytes: UnsafeRawBufferPointer) throws(CBORError) -> Skeleton {
        try CBORReader.read(bytes, as: "skeleton") { reader throws(CBORError) in
            let start = reader.offset
            let (header, left) = try EventHeader.read(&reader)
            guard left == pairs - 4 else { throw reader.error(.shape, at: start) }
            try reader.expectKey(4)
            let hashStart = reader.offset
            let hash = try reader.byteString(limit: 32)
            guard hash.count == 32 else { throw reader.error(.shape, at: hashStart) }
            try reader.expectKey(5)
            return Skeleton(
                header: header, hash: hash, through: try reader.int(in: 1...Int64.max))
        }
    }

    /// Whether this is what is left of an event: of these bytes.
    public func stands(for body: [UInt8]) -> Bool { SHA256.hash(body) == hash }

    /// Whether an event says the same as the one that this was: whatever name it has now, and
    /// whatever base (`protocol.md` §6.6).
    package func says(_ event: Event) -> Bool {
        var event = event.original
        guard event.dot == header.dot else { return false }
        event.base = header.base
        return stands(for: event.encoded())
    }
}

/// What a log holds of an event: all of it, or its skeleton.
public enum StoredEvent: Hashable, Sendable {
    /// All of it.
    case whole(Event)
    /// What is left.
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

    /// The SHA-256 of the event's bytes, from what a log holds of it: what a digest sums up.
    public static func hash(of bytes: UnsafeRawBufferPointer) throws(CBORError) -> SHA256.Words {
        guard Skeleton.isSkeleton(bytes) else { return SHA256.words(bytes) }
        return SHA256.words(of: try Skeleton.decoded(bytes).hash)
    }

    /// The SHA-256 of the event's bytes, from what a log holds of it.
    public static func hash(of bytes: [UInt8]) throws(CBORError) -> SHA256.Words {
        try bytes.withUnsafeBufferPointer { buffer throws(CBORError) in
            try hash(of: UnsafeRawBufferPointer(buffer))
        }
    }
}

extension EntityState {
    /// The events that wrote something here that no other write of the same cell had seen. The
    /// payload of any other is not needed any more: a write that was seen by another stays seen,
    /// whatever comes.
    package var dots: Set<Dot> { Set(stamps.map { $0.dot }) }
}
