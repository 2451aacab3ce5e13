/// A blob within a space, and its name in a path.
import MacrologEvents
import MacrologWire

/// Names one blob of one space.
package struct BlobKey: Hashable, Sendable {
    package let space: Space
    /// The SHA-256 of its bytes.
    package let name: [UInt8]

    /// Pairs the two.
    package init(space: Space, name: [UInt8]) {
        precondition(name.count == BlobMention.nameBytes, "a blob's name has 32 bytes")
        self.space = space
        self.name = name
    }

    /// The name as 64 lower-case hexadecimal digits.
    var digits: String { hexadecimal(name) }

    /// The bytes of a hexadecimal name; `nil` if it is not valid.
    static func name(digits: some Collection<UInt8>) -> [UInt8]? {
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}

/// Limits that an operator cannot change, in milliseconds unless stated otherwise.
package enum BlobLimits {
    /// How long an unfinished upload without a new byte is kept.
    package static let unfinished: Int64 = 7 * 86_400_000
    /// Maximum number of unfinished uploads of an account.
    package static let unfinishedMax = 16
    /// How long a blob that no event holds is kept.
    package static let grace: Int64 = 30 * 86_400_000
    /// The interval between two collections of unreferenced blobs.
    static let collectionInterval: Int64 = 6 * 3_600_000
}
