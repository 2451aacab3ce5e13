/// Bytes as lower-case hexadecimal digits, two for each.
public func hexadecimal(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { text in
        for (index, byte) in bytes.enumerated() {
            text[index * 2] = hexadecimalDigit(byte >> 4)
            text[index * 2 + 1] = hexadecimalDigit(byte & 15)
        }
        return bytes.count * 2
    }
}

/// The digit of a number from 0 to 15, in ASCII.
func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
