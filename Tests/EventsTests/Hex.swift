/// Bytes from hexadecimal digits; spaces between them are for the reader.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { $0 != " " }
    precondition(digits.count.isMultiple(of: 2), "an even number of digits")
    var bytes: [UInt8] = []
    var rest = digits[...]
    while !rest.isEmpty {
        guard let byte = UInt8(rest.prefix(2), radix: 16) else {
            preconditionFailure("not a digit")
        }
        bytes.append(byte)
        rest = rest.dropFirst(2)
    }
    return bytes
}

/// Hexadecimal digits of bytes.
func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
