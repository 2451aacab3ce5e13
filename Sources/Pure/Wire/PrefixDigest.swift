package import MacrologEvents

/// A 128-bit digest of the first `n` admitted events; two replicas compare it to find out whether
/// they hold the same log: p(n) = p(n − 1) + H(body, seal) mod 2^128.
///
/// A range's digest is the difference of two prefixes. The summand hashes the body's hash, not the
/// body, so that it can still be computed after the body has been compacted.
package struct PrefixDigest: Hashable, Sendable {
    /// Bits 127 to 64.
    public private(set) var high: UInt64
    /// Bits 63 to 0.
    public private(set) var low: UInt64

    /// The digest of the empty log.
    public static let empty = PrefixDigest(high: 0, low: 0)

    @usableFromInline
    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads sixteen bytes, most significant first; `nil` for any other number of them.
    @inlinable
    public init?(bytes: some Collection<UInt8>) {
        guard let halves = Identifier(bytes: bytes) else { return nil }
        self.init(high: halves.high, low: halves.low)
    }

    /// The sixteen bytes, most significant first.
    public var bytes: [UInt8] { Identifier(high: high, low: low).bytes }

    /// Adds the next admitted event.
    ///
    /// - Parameter hash: The SHA-256 of the event's bytes.
    public mutating func add(hash: SHA256.Words, seal: Seal) {
        add(Self.summand(hash: hash, seal: seal))
    }

    /// Adds the digest of the range that follows.
    public mutating func add(_ range: PrefixDigest) {
        let (sum, overflow) = low.addingReportingOverflow(range.low)
        low = sum
        high = high &+ range.high &+ (overflow ? 1 : 0)
    }

    /// The difference to a shorter prefix: the digest of the range between.
    public func subtracting(_ shorter: PrefixDigest) -> PrefixDigest {
        let (difference, borrow) = low.subtractingReportingOverflow(shorter.low)
        return PrefixDigest(
            high: high &- shorter.high &- (borrow ? 1 : 0), low: difference)
    }

    /// What one event adds, which is the digest of the range that contains only it: the first 16
    /// bytes of SHA-256(hash ‖ n ‖ t), the numbers as 8 bytes big-endian.
    public static func summand(hash: SHA256.Words, seal: Seal) -> PrefixDigest {
        withUnsafeTemporaryAllocation(byteCount: 48, alignment: 8) { row in
            for index in 0..<8 {
                row.storeBytes(of: hash[index].bigEndian, toByteOffset: index * 4, as: UInt32.self)
            }
            row.storeBytes(of: seal.n.rawValue.bigEndian, toByteOffset: 32, as: Int64.self)
            row.storeBytes(of: seal.t.rawValue.bigEndian, toByteOffset: 40, as: Int64.self)
            let words = SHA256.words(UnsafeRawBufferPointer(row))
            return PrefixDigest(
                high: UInt64(words[0]) << 32 | UInt64(words[1]),
                low: UInt64(words[2]) << 32 | UInt64(words[3]))
        }
    }
}
