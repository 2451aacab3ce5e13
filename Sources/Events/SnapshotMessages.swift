/// What the hub answers to `GET /v1/snapshot`: what a log's first `n` events make of all entities, in
/// parts that are fetched one by one, the most wanted first.
public struct SnapshotManifest: Hashable, Sendable {
    /// One part, named by what it holds.
    public struct Part: Hashable, Sendable {
        /// The SHA-256 of its bytes, 32 bytes.
        public let hash: [UInt8]
        /// How many bytes it has, before any compression.
        public let byteCount: Int64
        /// How many entities it holds.
        public let entityCount: Int64

        /// Collects the facts.
        public init(hash: [UInt8], byteCount: Int64, entityCount: Int64) {
            precondition(hash.count == 32)
            self.hash = hash
            self.byteCount = byteCount
            self.entityCount = entityCount
        }
    }

    /// The epoch of the hub's log, never 0.
    public var epoch: UInt32
    /// How many events were folded, 1 or more.
    public var n: Int64
    /// The digest of these events.
    public var digest: PrefixDigest
    /// The parts, 1 or more, in the order in which they should be fetched.
    public var parts: [Part]

    /// Collects the parts.
    public init(epoch: UInt32, n: Int64, digest: PrefixDigest, parts: [Part]) {
        self.epoch = epoch
        self.n = n
        self.digest = digest
        self.parts = parts
    }

    /// Encodes the message.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter(capacity: 64 + parts.count * 48)
        writer.map(4)
        writer.int(0)
        writer.int(Int64(epoch))
        writer.int(1)
        writer.int(n)
        writer.int(2)
        writer.identifier(Identifier(high: digest.high, low: digest.low))
        writer.int(3)
        writer.array(parts.count)
        for part in parts {
            writer.array(3)
            writer.byteString(part.hash)
            writer.int(part.byteCount)
            writer.int(part.entityCount)
        }
        return writer.bytes
    }

    /// Decodes the message, strictly.
    public static func decoded(_ bytes: [UInt8]) throws(CBORError) -> SnapshotManifest {
        try CBORReader.read(bytes, as: "snapshot") { reader throws(CBORError) in
            try reader.map(of: 4)
            try reader.expectKey(0)
            let epoch = UInt32(try reader.int(in: 1...Int64(UInt32.max)))
            try reader.expectKey(1)
            let n = try reader.int(in: 1...Int64.max)
            try reader.expectKey(2)
            let digest = try reader.digest()
            try reader.expectKey(3)
            let start = reader.offset
            var parts: [Part] = []
            for _ in 0..<(try reader.array(limit: Limits.snapshotPartsMax)) {
                try reader.array(of: 3)
                let hashStart = reader.offset
                let hash = try reader.byteString(limit: 32)
                guard hash.count == 32 else { throw reader.error(.shape, at: hashStart) }
                parts.append(
                    Part(
                        hash: hash,
                        byteCount: try reader.int(in: 1...Int64(Limits.snapshotPartBytesMax)),
                        entityCount: try reader.int(in: 0...Int64.max)))
            }
            guard !parts.isEmpty else { throw reader.error(.shape, at: start) }
            return SnapshotManifest(epoch: epoch, n: n, digest: digest, parts: parts)
        }
    }
}

/// One part of a snapshot: entities, each with what is known of it.
public struct SnapshotPart: Hashable, Sendable {
    /// One entity.
    public struct Item: Hashable, Sendable {
        /// The entity.
        public let entity: EntityKey
        /// Its state, as ``EntityState/encoded()`` packs it.
        public let state: [UInt8]

        /// Pairs entity and state.
        public init(entity: EntityKey, state: [UInt8]) {
            self.entity = entity
            self.state = state
        }

        /// Bytes that it takes in a part, at most.
        public var byteCountMax: Int { state.count + entity.kind.byteCount + 32 }
    }

    /// The ids of all entities that are in other parts; of the first part alone, otherwise empty.
    public var elsewhere: IdentifierFilter
    /// The entities.
    public var items: [Item]

    /// Collects the parts.
    public init(elsewhere: IdentifierFilter, items: [Item]) {
        self.elsewhere = elsewhere
        self.items = items
    }

    /// Encodes the part.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter(
            capacity: items.reduce(elsewhere.bytes.count + 16) { $0 + $1.byteCountMax })
        writer.array(2)
        writer.byteString(elsewhere.bytes)
        writer.array(items.count)
        for item in items {
            writer.array(3)
            writer.text(item.entity.kind)
            writer.identifier(item.entity.id)
            writer.byteString(item.state)
        }
        return writer.bytes
    }

    /// Decodes the part, strictly. The states inside are not opened.
    public static func decoded(_ bytes: [UInt8]) throws(CBORError) -> SnapshotPart {
        try CBORReader.read(bytes, as: "snapshot part") { reader throws(CBORError) in
            try reader.array(of: 2)
            let filterStart = reader.offset
            let bits = try reader.byteString(limit: Limits.snapshotFilterBytesMax)
            guard let elsewhere = IdentifierFilter(bytes: bits) else {
                throw reader.error(.shape, at: filterStart)
            }
            let count = try reader.array()
            var items: [Item] = []
            items.reserveCapacity(CBORReader.believed(count))
            for _ in 0..<count {
                try reader.array(of: 3)
                let kind = try reader.text(limit: Limits.nameBytesMax)
                let id = try reader.identifier()
                items.append(
                    Item(
                        entity: EntityKey(kind, id),
                        state: try reader.byteString(limit: Limits.snapshotPartBytesMax)))
            }
            return SnapshotPart(elsewhere: elsewhere, items: items)
        }
    }
}

/// A set of ids in few bits that never denies one that it holds, and seldom claims one that it does
/// not (B. Bloom, 1970; the positions by double hashing, Kirsch and Mitzenmacher, 2006).
public struct IdentifierFilter: Hashable, Sendable {
    /// The bits, the least significant of each byte first. None for the empty set.
    public private(set) var bytes: [UInt8]

    /// How many bits stand for one id.
    private static let bitsEach: UInt64 = 8

    /// The empty set, with room for so many ids: two bytes for each, as long as there are so many.
    ///
    /// - Parameter byteCountMax: At most ``Limits/snapshotFilterBytesMax``.
    public init(capacity: Int, byteCountMax: Int = Limits.snapshotFilterBytesMax) {
        let byteCount = capacity <= 0 ? 0 : max(16, min(capacity * 2, byteCountMax))
        bytes = [UInt8](repeating: 0, count: byteCount)
    }

    /// Reads bits; `nil` for more than ``Limits/snapshotFilterBytesMax`` bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count <= Limits.snapshotFilterBytesMax else { return nil }
        self.bytes = bytes
    }

    /// Adds an id. There must be room for one.
    public mutating func insert(_ id: Identifier) {
        for turn in 0..<Self.bitsEach {
            let bit = position(id, turn)
            bytes[bit >> 3] |= 1 << UInt8(bit & 7)
        }
    }

    /// Whether an id may have been added. `false` is certain.
    public func mayContain(_ id: Identifier) -> Bool {
        guard !bytes.isEmpty else { return false }
        for turn in 0..<Self.bitsEach {
            let bit = position(id, turn)
            guard bytes[bit >> 3] & 1 << UInt8(bit & 7) != 0 else { return false }
        }
        return true
    }

    /// Ids that were made within a second begin alike, so both halves are stirred first.
    private func position(_ id: Identifier, _ turn: UInt64) -> Int {
        let first = Self.stirred(id.high ^ Self.stirred(id.low))
        let second = Self.stirred(first) | 1
        return Int((first &+ turn &* second) % UInt64(bytes.count * 8))
    }

    /// The finaliser of SplitMix64 (S. Vigna, 2015).
    private static func stirred(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
