/// base32 without padding (RFC 4648 §6), for secrets that people type.
package enum Base32 {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// The letters and digits of these bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var (text, buffer, bits) = ([UInt8](), UInt32(0), 0)
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(letters[Int(buffer >> UInt32(bits) & 31)])
            }
        }
        if bits > 0 { text.append(letters[Int(buffer << UInt32(5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes; `nil` for anything that ``encode(_:)`` would not write, except that small letters,
    /// spaces and hyphens are allowed.
    package static func decode(_ text: String) -> [UInt8]? {
        var (bytes, buffer, bits) = ([UInt8](), UInt32(0), 0)
        var typed: [UInt8] = []
        for letter in text.utf8 where letter != UInt8(ascii: " ") && letter != UInt8(ascii: "-") {
            let capital = (97...122).contains(letter) ? letter - 32 : letter
            guard let value = letters.firstIndex(of: capital) else { return nil }
            typed.append(capital)
            buffer = (buffer << 5 | UInt32(value)) & 0xFFFF
            bits += 5
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
        }
        return encode(bytes).utf8.elementsEqual(typed) ? bytes : nil
    }
}
