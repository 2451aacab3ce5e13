/// Writes rows of CSV (RFC 4180) that are safe to open in a spreadsheet.
package struct CSVWriter: Sendable {
    package enum Cell: Sendable {
        /// Text of any origin. A spreadsheet would run text that begins with `=`, `+`, `-`, `@`, a
        /// tab or a line break as a formula, so such text gets a leading `'`. So does text that has
        /// only such quotes before one of these, so that ``CSVGuard/removed(from:)`` restores the
        /// original.
        case text(String)
        /// A number written by this program, used unchanged.
        case number(String)
        case empty
    }

    /// Between fields: a comma, a semicolon, a tab.
    package let delimiter: UInt8

    package init(delimiter: UInt8 = UInt8(ascii: ",")) { self.delimiter = delimiter }

    /// One row with its CRLF.
    package func row(_ cells: [Cell]) -> String {
        let separator = String(decoding: [delimiter], as: UTF8.self)
        // A row with one empty cell would be an empty line, which readers skip.
        if cells.count == 1, field(cells[0]).isEmpty { return "\"\"\r\n" }
        return cells.map(field).joined(separator: separator) + "\r\n"
    }

    private func field(_ cell: Cell) -> String {
        let text: String
        switch cell {
        case .empty: return ""
        case .number(let digits): text = digits
        case .text(let words): text = CSVGuard.isNeeded(by: words) ? "'" + words : words
        }
        let needsQuotes = text.utf8.contains { byte in
            byte == delimiter || [0x0A, 0x0D, UInt8(ascii: "\"")].contains(byte)
        }
        let isPadded = text.utf8.first == 0x20 || text.utf8.last == 0x20
        // At the beginning of a file it would be read as the file's byte order mark.
        let hasMark = text.utf8.starts(with: [0xEF, 0xBB, 0xBF])
        guard needsQuotes || isPadded || hasMark else { return text }
        var quoted = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { quoted.append(byte) }
            quoted.append(byte)
        }
        return String(decoding: quoted + [UInt8(ascii: "\"")], as: UTF8.self)
    }
}

/// The `'` that keeps a spreadsheet from running text as a formula.
package enum CSVGuard {
    /// Whether the text begins like a formula, leading `'` skipped.
    static func isNeeded(by text: String) -> Bool {
        let first = text.utf8.first { $0 != UInt8(ascii: "'") }
        return first.map { Array("=+-@\t\r\n".utf8).contains($0) } ?? false
    }

    /// The text without one guard, if it has one.
    package static func removed(from text: String) -> String {
        text.utf8.first == UInt8(ascii: "'") && isNeeded(by: text) ? String(text.dropFirst()) : text
    }
}
