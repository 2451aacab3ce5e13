/// Strings compared and changed as bytes: the words of a command line and of
/// a terminal are ASCII where it matters.

extension String {
    /// Whether both have the same UTF-8 bytes. `==` would be canonical equivalence.
    public func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// Whether the first bytes are those of `start`.
    public func begins(with start: String) -> Bool { utf8.starts(with: start.utf8) }

    /// `a…z` as `A…Z`; everything else as it is.
    public var asciiCapitals: String {
        String(decoding: utf8.map { (97...122).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
    }

    /// `A…Z` as `a…z`; everything else as it is.
    public var asciiSmall: String {
        String(decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }

    /// The parts between `separator`, empty ones included.
    public func parts(separatedBy separator: UInt8) -> [String] {
        utf8.split(separator: separator, omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
    }

    /// Each occurrence of the ASCII character `byte` replaced.
    public func replacing(_ byte: UInt8, with replacement: String) -> String {
        utf8.contains(byte) ? parts(separatedBy: byte).joined(separator: replacement) : self
    }
}

extension [String] {
    /// Whether both have the same words in the same order.
    public func isSame(as other: [String]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.isSame(as: $1) }
    }

    /// Whether the first words are those of `start`.
    public func begins(with start: [String]) -> Bool {
        count >= start.count && zip(self, start).allSatisfy { $0.isSame(as: $1) }
    }

    /// Whether one of the strings is a word, byte for byte.
    public func contains(word: String) -> Bool { contains { $0.isSame(as: word) } }

    /// `a`, `a or b`, `a, b or c`.
    public var formattedList: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}
