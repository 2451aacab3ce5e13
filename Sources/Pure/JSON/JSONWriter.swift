/// JSON values as text (RFC 8259).

extension JSON {
    /// One line without spaces.
    public var compact: String {
        var text = ""
        write(to: &text, indentation: nil)
        return text
    }

    /// One member or element per line, indented by two spaces, without a line feed at the end.
    public var pretty: String {
        var text = ""
        write(to: &text, indentation: 0)
        return text
    }

    /// - Parameter indentation: The depth in spaces; `nil` to write without any white space.
    private func write(to text: inout String, indentation: Int?) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let digits): text += digits
        case .string(let value): writeString(value, to: &text)
        case .array(let elements):
            writeList("[", "]", elements.count, to: &text, indentation) { index, text, inner in
                elements[index].write(to: &text, indentation: inner)
            }
        case .object(let members):
            writeList("{", "}", members.count, to: &text, indentation) { index, text, inner in
                writeString(members[index].key, to: &text)
                text += inner == nil ? ":" : ": "
                members[index].value.write(to: &text, indentation: inner)
            }
        }
    }
}

private func writeList(
    _ open: String, _ close: String, _ count: Int, to text: inout String, _ indentation: Int?,
    item: (Int, inout String, Int?) -> Void
) {
    text += open
    let inner = indentation.map { $0 + 2 }
    for index in 0..<count {
        if index > 0 { text += "," }
        writeLineBreak(inner, to: &text)
        item(index, &text, inner)
    }
    if count > 0 { writeLineBreak(indentation, to: &text) }
    text += close
}

private func writeLineBreak(_ indentation: Int?, to text: inout String) {
    if let indentation { text += "\n" + String(repeating: " ", count: indentation) }
}

/// Control and direction-changing characters, a line feed among them: with them, text in a terminal could move the
/// cursor or imitate other text.
package func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
}

/// Escapes what must be escaped, and control and direction-changing characters, so that JSON in a terminal can
/// neither move the cursor nor imitate other text. Everything else stays UTF-8.
private func writeString(_ string: String, to text: inout String) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(string.utf8.count + 2)
    bytes.append(UInt8(ascii: "\""))
    for scalar in string.unicodeScalars {
        switch scalar.value {
        case 0x22, 0x5C: bytes += [UInt8(ascii: "\\"), UInt8(scalar.value)]
        case 0x08: bytes += "\\b".utf8
        case 0x09: bytes += "\\t".utf8
        case 0x0A: bytes += "\\n".utf8
        case 0x0C: bytes += "\\f".utf8
        case 0x0D: bytes += "\\r".utf8
        case _ where isHarmful(scalar):
            bytes += "\\u".utf8
            for shift in [12, 8, 4, 0] {
                let digit = UInt8(scalar.value >> UInt32(shift) & 15)
                bytes.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
            }
        default: bytes += scalar.utf8
        }
    }
    bytes.append(UInt8(ascii: "\""))
    text += String(decoding: bytes, as: UTF8.self)
}
