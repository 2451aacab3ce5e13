/// A table for the terminal: titles, a rule, rows, and perhaps a second rule with totals under it.
///
/// Cells are plain text, possibly written by other people: they are made printable here, and
/// painted here. When the table is wider than the terminal its left-aligned columns give way; where
/// that would cut short texts, such as dates, each row becomes a few lines: `id 3f2a  day 2026-11-20`.
public struct Table: Sendable {
    /// The side on which cells stand.
    public enum Alignment: Equatable, Sendable {
        case left, right
        /// The decimal marks stand below each other, whatever unit follows the number.
        case decimal
    }

    /// A column.
    public struct Column: Sendable {
        /// The heading.
        public let title: String
        /// The side on which its cells stand.
        public let alignment: Alignment

        /// Declares a column.
        public init(_ title: String, _ alignment: Alignment = .left) {
            self.title = title
            self.alignment = alignment
        }
    }

    /// One cell.
    public struct Cell: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        /// What it says.
        public let text: String
        /// Its color; `nil` for that of the terminal.
        public let paint: Paint?

        /// Pairs a text with its color.
        public init(_ text: String, _ paint: Paint? = nil) {
            self.text = printable(text)
            self.paint = paint
        }

        /// A literal text.
        public init(stringLiteral text: String) { self.init(text) }
    }

    /// The columns.
    public let columns: [Column]
    /// How the numbers in decimal columns are written.
    public let numberFormat: NumberFormat
    /// The cells from left to right. Missing ones are empty.
    public private(set) var rows: [[Cell]] = []
    /// The row below the second rule.
    public var totals: [Cell]?

    /// Begins a table without rows.
    public init(numberFormat: NumberFormat = .grouped, _ columns: Column...) {
        self.init(numberFormat: numberFormat, columns: columns)
    }

    /// Columns from left to right.
    public init(numberFormat: NumberFormat = .grouped, columns: [Column]) {
        self.columns = columns
        self.numberFormat = numberFormat
    }

    /// Adds a row below the others.
    public mutating func add(_ cells: Cell...) { add(cells) }

    /// Adds a row below the others.
    public mutating func add(_ cells: [Cell]) {
        precondition(cells.count <= columns.count, "A row is wider than its table.")
        rows.append(cells)
    }

    /// The lines of the table, without line feeds.
    ///
    /// - Parameter width: The columns of the terminal; `nil` where nothing limits the width.
    public func lines(style: Style, width: Int?) -> [String] {
        var texts = (rows + (totals.map { [$0] } ?? [])).map { row in
            columns.indices.map { $0 < row.count ? row[$0].text : "" }
        }
        for (index, column) in columns.enumerated() where column.alignment == .decimal {
            let cells = aligned(texts.map { $0[index] }, at: numberFormat)
            for row in texts.indices { texts[row][index] = cells[row] }
        }
        guard let widths = columnWidths(texts, limit: width) else {
            return paragraphs(texts, style: style, width: width ?? 80)
        }
        func line(_ texts: [String], _ paints: [Paint?]) -> String {
            var cells: [String] = []
            for (index, column) in columns.enumerated() {
                let text = truncated(texts[index], to: widths[index], style: style)
                let space = String(repeating: " ", count: widths[index] - displayWidth(text))
                let painted = paints[index].map { style.paint(text, $0) } ?? text
                cells.append(column.alignment == .left ? painted + space : space + painted)
            }
            return cells.joined(separator: gap).droppingTrailingSpaces
        }
        let rule = style.paint(
            widths.map { String(repeating: style.blocks ? "─" : "-", count: $0) }
                .joined(separator: gap), .dim)
        let titles = columns.map { $0.title }
        var result = [line(titles, titles.map { _ in Paint.bold }), rule]
        for (index, texts) in texts.enumerated() {
            let isTotal = index == rows.count
            let cells = isTotal ? totals ?? [] : rows[index]
            if isTotal { result.append(rule) }
            result.append(
                line(texts, columns.indices.map { $0 < cells.count ? cells[$0].paint : nil }))
        }
        return result
    }

    /// A text of ten columns, such as a date, is not cut.
    private var readable: Int { 10 }

    /// Two spaces keep columns apart without any drawn line.
    private var gap: String { "  " }

    /// Each row as its titles and cells, wrapped; what is unknown or empty is left out.
    private func paragraphs(_ texts: [[String]], style: Style, width: Int) -> [String] {
        var lines: [String] = []
        for (row, texts) in texts.enumerated() {
            let cells = row < rows.count ? rows[row] : totals ?? []
            var line = ""
            for (index, text) in texts.enumerated() {
                let words = trimmed(text)
                guard !words.isEmpty, words != "–" else { continue }
                let title = columns[index].title
                let room = max(1, width - 2 - (title.isEmpty ? 0 : displayWidth(title) + 1))
                let value = truncated(words, to: room, style: style)
                let paint = index < cells.count ? cells[index].paint : nil
                let pair =
                    (title.isEmpty ? "" : style.paint(title, .dim) + " ")
                    + (paint.map { style.paint(value, $0) } ?? value)
                if line.isEmpty {
                    line = pair
                } else if displayWidth(line) + 2 + displayWidth(pair) <= width {
                    line += gap + pair
                } else {
                    lines.append(line)
                    line = gap + pair
                }
            }
            if !line.isEmpty { lines.append(line) }
        }
        return lines
    }

    /// The widths of the columns; `nil` where the limit is too narrow for a table.
    private func columnWidths(_ texts: [[String]], limit: Int?) -> [Int]? {
        var widths = columns.indices.map { index in
            texts.reduce(displayWidth(columns[index].title)) { max($0, displayWidth($1[index])) }
        }
        guard let limit else { return widths }
        var surplus = widths.reduce(0, +) + gap.utf8.count * (columns.count - 1) - limit
        while surplus > 0 {
            // The widest text gives way first, so that a short one is never cut for a long one.
            let yielding = columns.indices.filter {
                columns[$0].alignment == .left && widths[$0] > readable
            }
            guard let widest = yielding.max(by: { widths[$0] < widths[$1] }) else { return nil }
            widths[widest] -= 1
            surplus -= 1
        }
        return widths
    }
}

/// The texts with spaces around them so that their decimal marks stand in the same column.
private func aligned(_ texts: [String], at numberFormat: NumberFormat) -> [String] {
    let heads = texts.map { wholeWidth(of: $0, in: numberFormat) }
    let tails = zip(texts, heads).map { displayWidth($0) - $1 }
    let head = heads.max() ?? 0
    let tail = tails.max() ?? 0
    return zip(texts, zip(heads, tails)).map { text, widths in
        // An empty cell stays empty.
        text.isEmpty
            ? ""
            : String(repeating: " ", count: head - widths.0) + text
                + String(repeating: " ", count: tail - widths.1)
    }
}

/// The columns before the decimal mark of a number, or before what follows a number without one.
private func wholeWidth(of text: String, in numberFormat: NumberFormat) -> Int {
    let bound = text.utf8.starts(with: "≥ ".utf8) ? "≥ " : ""
    let others = Array((numberFormat.group + "+-").utf8)
    let whole = text.utf8.dropFirst(bound.utf8.count).prefix {
        (48...57).contains($0) || others.contains($0)
    }
    // What is no number at all, such as a dash for an unknown value, ends where whole numbers end.
    return whole.isEmpty
        ? displayWidth(text) : displayWidth(bound) + displayWidth(String(Substring(whole)))
}

/// A text without the spaces around it, which stand below the numbers of other rows.
private func trimmed(_ text: String) -> String {
    String(Substring(text.utf8.drop { $0 == UInt8(ascii: " ") })).droppingTrailingSpaces
}

extension String {
    /// The text without the spaces at its end.
    var droppingTrailingSpaces: String {
        var bytes = Array(utf8)
        while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
