/// Sixteen bytes that name a device, an entity or a group: a UUID (RFC 9562), ordered bytewise.
public struct Identifier: Hashable, Comparable, Sendable {
    /// Bytes 0 to 7, big-endian.
    @usableFromInline package let high: UInt64
    /// Bytes 8 to 15, big-endian.
    @usableFromInline package let low: UInt64

    /// Joins the two halves.
    @inlinable
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads sixteen bytes; `nil` for any other number of them.
    @inlinable
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for byte in bytes {
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(byte)
        }
        self.init(high: high, low: low)
    }

    /// The sixteen bytes, most significant first.
    package var bytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }

    /// Bytewise order.
    @inlinable
    public static func < (left: Identifier, right: Identifier) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}

extension Identifier: CustomStringConvertible {
    /// The text form of RFC 9562: `0190163d-8694-739b-aea5-966c26f8ad91`, in lower case.
    public var description: String {
        String(unsafeUninitializedCapacity: 36) { text in
            var count = 0
            for (index, byte) in bytes.enumerated() {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    text[count] = UInt8(ascii: "-")
                    count += 1
                }
                text[count] = hexadecimalDigit(byte >> 4)
                text[count + 1] = hexadecimalDigit(byte & 15)
                count += 2
            }
            return count
        }
    }

    /// Reads the text form, in either case; `nil` for anything else.
    public init?(_ text: String) {
        var halves: (UInt64, UInt64) = (0, 0)
        var count = 0
        for (index, character) in text.utf8.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
            default: return nil
            }
            guard count < 32 else { return nil }
            if count < 16 {
                halves.0 = halves.0 << 4 | UInt64(digit)
            } else {
                halves.1 = halves.1 << 4 | UInt64(digit)
            }
            count += 1
        }
        guard count == 32, text.utf8.count == 36 else { return nil }
        self.init(high: halves.0, low: halves.1)
    }
}

extension Identifier {
    /// The zero ID, used by a recovery to request rows (`protocol.md` §6.7).
    package static let zero = Identifier(high: 0, low: 0)

    /// A time-ordered UUID, version 7: 48 bits of Unix milliseconds, then 74 random bits.
    ///
    /// With time-ordered ids, neighbours in time are neighbours in a B-tree; random ids made SQLite
    /// three times slower.
    package static func v7(
        milliseconds: Int64, random generator: inout some RandomNumberGenerator
    ) -> Identifier {
        let random: (UInt64, UInt64) = (generator.next(), generator.next())
        let time = UInt64(bitPattern: milliseconds) & 0xFFFF_FFFF_FFFF
        return Identifier(
            high: time << 16 | 0x7000 | random.0 & 0x0FFF,
            low: 0x8000_0000_0000_0000 | random.1 & 0x3FFF_FFFF_FFFF_FFFF)
    }

    /// The Unix milliseconds of a version 7 UUID; `nil` for others.
    package var v7Milliseconds: Int64? {
        high >> 12 & 0xF == 7 ? Int64(high >> 16) : nil
    }

    /// A random UUID, version 4.
    package static func v4(random generator: inout some RandomNumberGenerator) -> Identifier {
        let random: (UInt64, UInt64) = (generator.next(), generator.next())
        return Identifier(
            high: random.0 & ~0xF000 | 0x4000,
            low: 0x8000_0000_0000_0000 | random.1 & 0x3FFF_FFFF_FFFF_FFFF)
    }

    /// A UUID computed from a name, version 5, so that two devices give the same thing the same id.
    package static func v5(namespace: Identifier, name: String) -> Identifier {
        let digest = SHA1.hash(namespace.bytes + Array(name.utf8))
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in 0..<8 {
            high = high << 8 | UInt64(digest[index])
            low = low << 8 | UInt64(digest[index + 8])
        }
        return Identifier(
            high: high & ~0xF000 | 0x5000,
            low: 0x8000_0000_0000_0000 | low & 0x3FFF_FFFF_FFFF_FFFF)
    }
}

extension Identifier {
    /// The last `count` of the 32 hexadecimal digits.
    public func lastDigits(_ count: Int) -> String {
        let digits = description.utf8.filter { $0 != UInt8(ascii: "-") }
        return String(decoding: digits.suffix(count), as: UTF8.self)
    }
}
