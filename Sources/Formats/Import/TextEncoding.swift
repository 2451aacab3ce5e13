/// Files that are not UTF-8: spreadsheets also write UTF-16 ("Unicode text") and, in much of Europe and America,
/// Windows-1252.
enum TextEncoding {
    /// The bytes of a file in UTF-8, and the name of its encoding where that is guessed. Bytes that are neither
    /// stay as they are.
    static func utf8(_ bytes: [UInt8]) -> (bytes: [UInt8], guessed: String?) {
        for (mark, high) in [([0xFF, 0xFE] as [UInt8], 1), ([0xFE, 0xFF], 0)]
        where bytes.starts(with: mark) {
            let units = stride(from: 2, to: bytes.count - 1, by: 2).map { place in
                UInt16(bytes[place + high]) << 8 | UInt16(bytes[place + 1 - high])
            }
            guard let text = String(validating: units, as: UTF16.self) else { return (bytes, nil) }
            return (Array(text.utf8), nil)
        }
        guard String(validating: bytes, as: UTF8.self) == nil, !bytes.contains(0) else {
            return (bytes, nil)
        }
        var text = String.UnicodeScalarView()
        for byte in bytes {
            let code = 0x80...0x9F ~= byte ? windows1252[Int(byte) - 0x80] : UInt16(byte)
            guard code != 0, let scalar = Unicode.Scalar(code) else { return (bytes, nil) }
            text.append(scalar)
        }
        return (Array(String(text).utf8), "Windows-1252")
    }

    /// What 0x80 to 0x9F stand for; 0 for nothing.
    /// https://encoding.spec.whatwg.org/index-windows-1252.txt
    private static let windows1252: [UInt16] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
        0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
        0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
    ]
}
