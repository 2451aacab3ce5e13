/// Writes rows of CSV (RFC 4180) that are safe to open in a spreadsheet.
package struct CSVWriter: Sendable {
    package enum Cell: Sendable {
        /// Text of any origin. A spreadsheet would run text that begins with `=`, `+`, `-`, `@`, a tab
        /// or a carriage return as a formula, so such text gets a `'` in front.
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
        case .text(let words):
            let first = words.utf8.first ?? UInt8(ascii: "a")
            text = Array("=+-@\t\r".utf8).contains(first) ? "'" + words : words
        }
        let needsQuotes = text.utf8.contains { byte in
            byte == delimiter || [0x0A, 0x0D, UInt8(ascii: "\"")].contains(byte)
        }
        let isPadded = text.utf8.first == 0x20 || text.utf8.last == 0x20
        guard needsQuotes || isPadded else { return text }
        return "\"" + text.replacing(UInt8(ascii: "\""), with: "\"\"") + "\""
    }
}
