/// Text that is compared and ordered by its UTF-8 bytes.
///
/// Swift's `String ==` is canonical equivalence: `"Å"` U+00C5 and `"Å"` U+212B are one key in a
/// `Dictionary<String, …>`, but two keys in SQLite, in every other language, and in a hash. Names,
/// keys and values in events are therefore `UTF8Text`, which compares, sorts and hashes bytes.
public struct UTF8Text: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text for display. Compare `UTF8Text`, not this.
    public let string: String

    /// Wraps a string; the bytes compared are its UTF-8 bytes, unnormalised.
    public init(_ string: String) {
        var string = string
        string.makeContiguousUTF8()
        self.string = string
    }

    /// Wraps a literal.
    public init(stringLiteral value: String) {
        self.string = value
    }

    /// The number of UTF-8 bytes.
    @inlinable @inline(__always)
    package var byteCount: Int { string.utf8.count }

    /// The text itself.
    public var description: String { string }
}

extension UTF8Text: Hashable, Comparable {
    /// Equality of UTF-8 bytes.
    public static func == (left: UTF8Text, right: UTF8Text) -> Bool {
        if isOneInMemory(left, right) { return true }
        guard left.byteCount == right.byteCount else { return false }
        return left.withBytes { left in right.withBytes { firstDifference(left, $0) == nil } }
    }

    /// Whether both are the same bits: short texts, which names are, hold their bytes in them.
    @inline(__always)
    private static func isOneInMemory(_ left: UTF8Text, _ right: UTF8Text) -> Bool {
        withUnsafeBytes(of: left.string) { left in
            withUnsafeBytes(of: right.string) { right in
                var difference: UInt64 = 0
                var offset = 0
                while offset &+ 8 <= left.count {
                    difference |=
                        left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                        ^ right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    offset &+= 8
                }
                return difference == 0 && offset == left.count
            }
        }
    }

    /// Lexicographic order of UTF-8 bytes.
    public static func < (left: UTF8Text, right: UTF8Text) -> Bool {
        left.withBytes { left in
            right.withBytes { right in
                guard let index = firstDifference(left, right) else {
                    return left.count < right.count
                }
                return left[index] < right[index]
            }
        }
    }

    /// Hashes UTF-8 bytes.
    public func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: $0) }
        hasher.combine(0xFF as UInt8)
    }

    /// The UTF-8 bytes, valid only during the call. Every text is contiguous, so nothing is copied
    /// to the heap.
    @inlinable @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard
            let result = string.utf8.withContiguousStorageIfAvailable({
                body(UnsafeRawBufferPointer($0))
            })
        else { preconditionFailure("a text is contiguous") }
        return result
    }

    /// The first eight bytes and the last eight: the whole of a text of eight to sixteen bytes, in which two texts of one
    /// length can be compared without asking who owns them. A shorter text fills both with its bytes and zeros.
    package var ends: SIMD2<UInt64> {
        withBytes { bytes in
            if bytes.count >= 8 {
                return SIMD2(
                    bytes.loadUnaligned(as: UInt64.self),
                    bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self))
            }
            var word: UInt64 = 0
            for byte in bytes { word = word << 8 | UInt64(byte) }
            return SIMD2(word, word)
        }
    }

    /// The first position at which two texts differ within their common length; compares eight
    /// bytes at a time.
    @inline(__always)
    private static func firstDifference(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Int? {
        let count = min(left.count, right.count)
        var index = 0
        while index &+ 8 <= count {
            let difference =
                left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                ^ right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard difference == 0 else {
                return index &+ UInt64(littleEndian: difference).trailingZeroBitCount / 8
            }
            index &+= 8
        }
        while index < count {
            guard left[index] == right[index] else { return index }
            index &+= 1
        }
        return nil
    }
}
