/// Writes rows of CSV (RFC 4180) that are safe to open in a spreadsheet.
package struct CSVWriter: Sendable {
    package enum Cell: Sendable {
        /// Text of any origin. A spreadsheet would run text that begins with `=`, `+`, `-`, `@`, a
        /// tab or a line break as a formula, so such text gets a `'` in front; and so does text
        /// where only such quotes stand before it, so that ``CSVGuard/removed(from:)`` gives back
        /// what was meant.
        case text(String)
        /// A number of our own writing, taken as it is.
        case number(String)
        case empty
    }

    /// Between fields: a comma, a semicolon, a tab.
    package let delimiter: UInt8

    package init(delimiter: UInt8 = UInt8(ascii: ",")) { self.delimiter = delimiter }

    /// One row with its CRLF.
    package func row(_ cells: [Cell]) -> String {
        let separator = String(decoding: [delimiter], as: UTF8.self)
        // A row of one empty cell would be an empty line, which readers skip.
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
        // At the beginning of a file it would be taken for the file's own.
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
    /// Whether the text, behind any `'` in front of it, begins like a formula.
    static func isNeeded(by text: String) -> Bool {
        let first = text.utf8.first { $0 != UInt8(ascii: "'") }
        return first.map { Array("=+-@\t\r\n".utf8).contains($0) } ?? false
    }

    /// The text without one guard, if it has one.
    package static func removed(from text: String) -> String {
        text.utf8.first == UInt8(ascii: "'") && isNeeded(by: text) ? String(text.dropFirst()) : text
    }
}
