/// Text whose identity and order are its UTF-8 bytes.
///
/// Swift's `String ==` is canonical equivalence: `"Å"` U+00C5 and `"Å"` U+212B are one key to a
/// `Dictionary<String, …>` and two keys to SQLite, to every other language, and to a hash. Names,
/// keys and values in events are therefore `Text`, which compares, sorts and hashes bytes.
public struct Text: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text for display. Compare `Text`, never this.
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
    public var byteCount: Int { string.utf8.count }

    /// Whether there is no byte.
    public var isEmpty: Bool { string.isEmpty }

    /// The text itself.
    public var description: String { string }
}

extension Text: Hashable, Comparable {
    /// Equality of UTF-8 bytes.
    @inlinable
    public static func == (left: Text, right: Text) -> Bool {
        left.string.utf8.count == right.string.utf8.count
            && left.string.utf8.elementsEqual(right.string.utf8)
    }

    /// Lexicographic order of UTF-8 bytes.
    @inlinable
    public static func < (left: Text, right: Text) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }

    /// Hashes UTF-8 bytes.
    public func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}
