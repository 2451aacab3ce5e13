/// Reads CSV (RFC 4180) in pieces: bytes go in as they come, rows come out as they are complete.
///
/// ```swift
/// var reader = CSVReader()
/// for chunk in chunks { for row in try reader.rows(from: chunk) { use(row) } }
/// if let last = try reader.finish() { use(last) }
/// ```
///
/// Rows end with CRLF, LF or CR. A byte order mark at the beginning and empty lines are skipped.
/// Quoted fields may contain delimiters, line breaks and doubled quotes. A quote inside an unquoted
/// field is literal, as in `5" pan`.
package struct CSVReader: Sendable {
    /// Between fields: a comma, a semicolon, a tab.
    package let delimiter: UInt8
    /// The maximum length of a row in bytes; a longer row most likely has an unclosed quote.
    package let rowBytesMax: Int

    private enum State { case fieldStart, bare, quoted, quoteSeen }

    private var state = State.fieldStart
    private var field: [UInt8] = []
    private var fields: [String] = []
    private var rowBytes = 0
    /// The line of the byte being read, from 1.
    private var line = 1
    private var rowLine = 1
    private var quoteLine = 1
    private var lastWasReturn = false
    /// The bytes of a byte order mark seen so far; `nil` once it can no longer come.
    private var markBytes: Int? = 0

    package init(delimiter: UInt8 = UInt8(ascii: ","), rowBytesMax: Int = 1_048_576) {
        precondition(![0x0A, 0x0D, UInt8(ascii: "\"")].contains(delimiter))
        self.delimiter = delimiter
        self.rowBytesMax = rowBytesMax
    }

    /// The rows completed by these bytes. After an error the reader can't be used any more.
    package mutating func rows(from bytes: some Sequence<UInt8>) throws(CSVError) -> [CSVRow] {
        var rows: [CSVRow] = []
        for byte in bytes {
            if let seen = markBytes {
                let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
                if byte == mark[seen] {
                    markBytes = seen == 2 ? nil : seen + 1
                    continue
                }
                markBytes = nil
                for held in mark.prefix(seen) { _ = try take(held) }
            }
            if let row = try take(byte) { rows.append(row) }
        }
        return rows
    }

    /// The last row, if the bytes did not end with a line break.
    package mutating func finish() throws(CSVError) -> CSVRow? {
        if let seen = markBytes, seen > 0 {
            throw CSVError(line: 1, problem: "a field is not valid UTF-8")
        }
        if state == .quoted {
            throw CSVError(line: quoteLine, problem: "a quote is opened and never closed")
        }
        return try endRow()
    }

    private mutating func take(_ byte: UInt8) throws(CSVError) -> CSVRow? {
        defer { lastWasReturn = byte == 0x0D }
        if byte == 0x0A, lastWasReturn {
            // The second half of a line break that was already counted.
            if state == .quoted { field.append(byte) }
            return nil
        }
        rowBytes += 1
        if rowBytes > rowBytesMax {
            throw CSVError(
                line: rowLine,
                problem: state == .quoted
                    ? "a row is longer than \(rowBytesMax) bytes; perhaps a quote is not closed"
                    : "a row is longer than \(rowBytesMax) bytes")
        }
        let isBreak = byte == 0x0A || byte == 0x0D
        defer { if isBreak { line += 1 } }
        if state == .quoted {
            if byte == UInt8(ascii: "\"") { state = .quoteSeen } else { field.append(byte) }
            return nil
        }
        if isBreak { return try endRow() }
        if byte == delimiter {
            try endField()
            return nil
        }
        switch state {
        case .fieldStart where byte == UInt8(ascii: "\""):
            state = .quoted
            quoteLine = line
        case .quoteSeen where byte == UInt8(ascii: "\""):
            field.append(byte)
            state = .quoted
        case .quoteSeen:
            throw CSVError(line: line, problem: "text follows a closing quote")
        default:
            field.append(byte)
            state = .bare
        }
        return nil
    }

    private mutating func endField() throws(CSVError) {
        guard let text = String(validating: field, as: UTF8.self) else {
            throw CSVError(line: rowLine, problem: "a field is not valid UTF-8")
        }
        fields.append(text)
        field = []
        state = .fieldStart
    }

    private mutating func endRow() throws(CSVError) -> CSVRow? {
        defer {
            fields = []
            rowBytes = 0
            rowLine = line + 1
        }
        if fields.isEmpty, field.isEmpty, state == .fieldStart { return nil }
        try endField()
        return CSVRow(line: rowLine, fields: fields)
    }
}

/// One row of a CSV file.
package struct CSVRow: Equatable, Sendable {
    /// The line on which it begins, from 1.
    package let line: Int
    package let fields: [String]

    package init(line: Int, fields: [String]) {
        self.line = line
        self.fields = fields
    }
}

/// Why a file is not CSV.
package struct CSVError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line of the mistake, from 1.
    package let line: Int
    package let problem: String

    /// `line 12: a quote is opened and never closed`
    package var description: String { "line \(line): \(problem)" }
}
