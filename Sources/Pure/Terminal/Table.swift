/// A table for the terminal: titles, a rule, rows, and perhaps a second rule with totals under it.
///
/// Cells are plain text, possibly written by other people: they are made printable here, and
/// painted here. When the table is wider than the terminal its left-aligned columns give way.
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
        let widths = columnWidths(texts, limit: width)
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

    /// Two spaces keep columns apart without any drawn line.
    private var gap: String { "  " }

    private func columnWidths(_ texts: [[String]], limit: Int?) -> [Int] {
        var widths = columns.indices.map { index in
            texts.reduce(displayWidth(columns[index].title)) { max($0, displayWidth($1[index])) }
        }
        guard let limit else { return widths }
        var surplus = widths.reduce(0, +) + gap.utf8.count * (columns.count - 1) - limit
        while surplus > 0 {
            // The widest text gives way first, so that a short one is never cut for a long one.
            let yielding = columns.indices.filter {
                columns[$0].alignment == .left && widths[$0] > 4
            }
            guard let widest = yielding.max(by: { widths[$0] < widths[$1] }) else { break }
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
    let others = Array((numberFormat.group + "+-").utf8)
    let whole = text.utf8.prefix { (48...57).contains($0) || others.contains($0) }
    // What is no number at all, such as a dash for an unknown value, ends where whole numbers end.
    return whole.isEmpty ? displayWidth(text) : displayWidth(String(Substring(whole)))
}

extension String {
    /// The text without the spaces at its end.
    var droppingTrailingSpaces: String {
        var bytes = Array(utf8)
        while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
