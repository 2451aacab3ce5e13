/// Reading numbers from bytes whose owner may be hostile: every place is checked, nothing is
/// believed.
extension [UInt8] {
    /// Whether these bytes are at a position.
    func has(_ other: [UInt8], at offset: Int) -> Bool {
        guard offset >= 0, offset <= count, other.count <= count - offset else { return false }
        for index in 0..<other.count where self[offset + index] != other[index] { return false }
        return true
    }

    /// Whether these ASCII letters are at a position.
    func has(_ letters: StaticString, at offset: Int) -> Bool {
        let length = letters.utf8CodeUnitCount
        guard offset >= 0, offset <= count, length <= count - offset else { return false }
        for index in 0..<length where self[offset + index] != letters.utf8Start[index] {
            return false
        }
        return true
    }

    /// Two bytes, most significant first; `nil` beyond the end.
    func big16(_ offset: Int) -> Int? {
        guard offset >= 0, offset < count - 1 else { return nil }
        return Int(self[offset]) << 8 | Int(self[offset + 1])
    }

    /// Four bytes, most significant first; `nil` beyond the end.
    func big32(_ offset: Int) -> UInt32? {
        guard offset >= 0, offset < count - 3 else { return nil }
        return UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16
            | UInt32(self[offset + 2]) << 8 | UInt32(self[offset + 3])
    }

    /// Four bytes, least significant first; `nil` beyond the end.
    func little32(_ offset: Int) -> UInt32? { big32(offset)?.byteSwapped }

    mutating func append(big16 number: Int) {
        append(UInt8(truncatingIfNeeded: number >> 8))
        append(UInt8(truncatingIfNeeded: number))
    }

    mutating func append(big32 number: UInt32) {
        append(big16: Int(number >> 16))
        append(big16: Int(number & 0xFFFF))
    }

    mutating func append(little32 number: UInt32) { append(big32: number.byteSwapped) }
}

/// CRC-32 as PNG uses it (ISO/IEC 15948, annex D).
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        var value = UInt32(byte)
        for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
        return value
    }

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var value = ~UInt32(0)
        for byte in bytes { value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ value >> 8 }
        return ~value
    }
}
