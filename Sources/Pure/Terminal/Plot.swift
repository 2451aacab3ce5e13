/// Values over days, drawn in a terminal: lines and dots in braille, sums as columns of blocks.
public struct Plot: Sendable {
    /// How values are drawn.
    public enum Shape: Sendable {
        /// Joined by a line.
        case line
        /// Each by itself.
        case dots
        /// As a column from zero, upon those of the series before it.
        case columns
    }

    /// One value for each day; `nil` where it is unknown.
    public struct Series: Sendable {
        /// What the legend calls it.
        public let name: String
        /// How it is drawn.
        public let shape: Shape
        /// Its color.
        public let paint: Paint
        /// A value for each column; `nil` for none.
        public let values: [Int64?]

        /// Collects the parts of a series.
        public init(_ name: String, _ shape: Shape, _ paint: Paint, _ values: [Int64?]) {
            self.name = name
            self.shape = shape
            self.paint = paint
            self.values = values
        }
    }

    /// What is drawn, the first below the others.
    public let series: [Series]
    /// What is aimed at each day; `nil` where nothing is. Empty for none at all.
    public let targets: [Int64?]
    /// The lowest and the highest value of the scale, and what lies between two marks on it.
    public let scale: (low: Int64, high: Int64, step: Int64)

    /// - Parameters:
    ///   - series: All of the same length.
    ///   - targets: A value to be marked across each day.
    public init(_ series: [Series], targets: [Int64?] = []) {
        self.series = series
        self.targets = targets
        let isStacked = series.contains { $0.shape == .columns }
        var all = isStacked ? Plot.sums(series) : series.flatMap { $0.values.compactMap { $0 } }
        all += targets.compactMap { $0 }
        if isStacked { all.append(0) }
        scale = Plot.scale(from: all.min() ?? 0, to: all.max() ?? 0)
    }

    /// How many days there are.
    public var count: Int { series.first?.values.count ?? 0 }

    private static func sums(_ series: [Series]) -> [Int64] {
        (0..<(series.first?.values.count ?? 0)).map { index in
            series.reduce(0) { $0 + ($1.values[index] ?? 0) }
        }
    }

    /// A scale of at most six marks, one, two or five times a power of ten apart.
    private static func scale(
        from low: Int64, to high: Int64
    ) -> (low: Int64, high: Int64, step: Int64) {
        var step: Int64 = 100
        let factors: [Int64] = [2, 5, 10]
        var power: Int64 = 100
        var next = 0
        func floor(_ value: Int64) -> Int64 {
            (value >= 0 ? value / step : (value - step + 1) / step) * step
        }
        while (high - floor(low) + step - 1) / step > 5, power < .max / 100 {
            step = power * factors[next]
            next += 1
            if next == factors.count {
                power *= 10
                next = 0
            }
        }
        let bottom = floor(low)
        let top = bottom + max(1, (high - bottom + step - 1) / step) * step
        return (bottom, top, step)
    }

    /// The marks of the scale, from the lowest.
    public var marks: [Int64] {
        Array(stride(from: scale.low, through: scale.high, by: Int64.Stride(scale.step)))
    }

    /// The lines of the drawing without what stands below them.
    ///
    /// - Parameters:
    ///   - width: The columns that there are, the scale included.
    ///   - height: The rows.
    ///   - label: A mark of the scale as text.
    public func lines(
        width: Int, height: Int = 12, style: Style, label: (Int64) -> String
    ) -> [String] {
        let marked = marks.map { (row: row(of: $0, height), text: label($0)) }
        let margin = marked.map { displayWidth($0.text) }.max() ?? 0
        let room = max(10, width - margin - 2)
        var canvas = Canvas(width: room, height: height)
        drawTargets(&canvas, style)
        if series.contains(where: { $0.shape == .columns }) {
            drawColumns(&canvas, style)
        } else {
            for one in series { drawLine(one, &canvas, style) }
        }
        return (0..<height).map { row in
            let text = marked.last { $0.row == row }?.text ?? ""
            let edge = style.blocks ? (text.isEmpty ? "│" : "┤") : "|"
            let space = String(repeating: " ", count: margin - displayWidth(text))
            return style.paint(space + text + " " + edge, .dim) + canvas.line(row)
        }
    }

    private func row(of value: Int64, _ height: Int) -> Int {
        height - 1 - share(of: height - 1, value - scale.low, of: scale.high - scale.low)
    }

    private func drawTargets(_ canvas: inout Canvas, _ style: Style) {
        for column in 0..<canvas.width {
            guard let index = day(at: column, canvas.width), let target = targets[safely: index]
            else {
                continue
            }
            let row = targetRow(target, canvas.height)
            canvas[row, column] = style.paint(style.blocks ? "┄" : "-", .dim)
        }
    }

    /// The day that is drawn at a column.
    private func day(at column: Int, _ width: Int) -> Int? {
        guard count > 0 else { return nil }
        guard series.contains(where: { $0.shape == .columns }) else {
            return width > 1 ? column * (count - 1) / (width - 1) : 0
        }
        let days = min(count, width)
        let place = column / columns(each: width)
        return place < days ? count - days + place : nil
    }

    /// The row in which a column that reaches the target ends.
    private func targetRow(_ target: Int64, _ height: Int) -> Int {
        guard series.contains(where: { $0.shape == .columns }) else {
            return row(of: target, height)
        }
        let eighths = share(of: height * 8, target - scale.low, of: scale.high - scale.low)
        return height - 1 - min(height - 1, eighths / 8)
    }

    // MARK: Columns

    /// How many columns a day takes.
    private func columns(each room: Int) -> Int { max(1, min(6, room / max(count, 1))) }

    /// How many of `width` columns the days take, the scale included.
    public func drawnWidth(of width: Int, margin: Int) -> Int {
        guard series.contains(where: { $0.shape == .columns }) else { return width }
        return margin + columns(each: width - margin) * min(count, width - margin)
    }

    private func drawColumns(_ canvas: inout Canvas, _ style: Style) {
        // Each day takes `each` columns; one of them stays empty if there is room.
        let each = columns(each: canvas.width)
        let bar = each > 2 ? each - 1 : each
        let days = min(count, canvas.width)
        for place in 0..<days {
            // The last days are shown where not all fit.
            let index = count - days + place
            var below = scale.low
            for (layer, one) in series.enumerated() {
                guard let value = one.values[index], value > 0 else { continue }
                fill(
                    from: below, to: below + value, at: place * each, bar, layer, one.paint,
                    &canvas, style)
                below += value
            }
        }
    }

    private func fill(
        from: Int64, to: Int64, at column: Int, _ width: Int, _ layer: Int, _ paint: Paint,
        _ canvas: inout Canvas, _ style: Style
    ) {
        let range = scale.high - scale.low
        let eighths = canvas.height * 8
        let (low, high) = (
            share(of: eighths, from - scale.low, of: range),
            share(of: eighths, to - scale.low, of: range)
        )
        let partial = ["", "▁", "▂", "▃", "▄", "▅", "▆", "▇"]
        // The layers differ by their pattern, too.
        let full = style.blocks ? ["█", "▒", "░"][layer % 3] : ["#", "=", ":"][layer % 3]
        for row in 0..<canvas.height {
            let bottom = (canvas.height - 1 - row) * 8
            let filled = min(high - bottom, 8)
            guard filled > 0, low < bottom + 8, filled * 2 > 8 || series.count == 1 else {
                continue
            }
            if low > bottom, (low - bottom) * 2 > 8 { continue }
            let isWhole = filled == 8 || series.count > 1 || !style.blocks
            if !style.blocks, filled * 2 < 8 { continue }
            for offset in 0..<width where column + offset < canvas.width {
                canvas[row, column + offset] = style.paint(isWhole ? full : partial[filled], paint)
            }
        }
    }

    // MARK: Lines

    private func drawLine(_ one: Series, _ canvas: inout Canvas, _ style: Style) {
        // Braille has two dots by four in a cell; ASCII has one by one.
        let (across, down) = style.blocks ? (2, 4) : (1, 1)
        let (width, height) = (canvas.width * across, canvas.height * down)
        var dots = [Bool](repeating: false, count: width * height)
        var last: (x: Int, y: Int)?
        for (index, value) in one.values.enumerated() {
            guard let value else { continue }
            let x = count > 1 ? index * (width - 1) / (count - 1) : width / 2
            let y =
                height - 1
                - share(of: height - 1, value - scale.low, of: scale.high - scale.low)
            if one.shape == .line, let last, x > last.x {
                for step in 0...(x - last.x) {
                    let from = last.y + (y - last.y) * step / (x - last.x)
                    let to = last.y + (y - last.y) * min(step + 1, x - last.x) / (x - last.x)
                    for level in min(from, to)...max(from, to) {
                        dots[level * width + last.x + step] = true
                    }
                }
            }
            dots[y * width + x] = true
            last = (x, y)
        }
        for row in 0..<canvas.height {
            for column in 0..<canvas.width {
                guard
                    let text = Plot.cell(dots, row, column, across, down, width, one.shape)
                else { continue }
                canvas[row, column] = style.paint(text, one.paint)
            }
        }
    }

    private static func cell(
        _ dots: [Bool], _ row: Int, _ column: Int, _ across: Int, _ down: Int, _ width: Int,
        _ shape: Shape
    ) -> String? {
        guard down > 1 else {
            return dots[row * width + column] ? (shape == .line ? "*" : "o") : nil
        }
        let bits: [[UInt32]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
        var pattern: UInt32 = 0
        for y in 0..<down {
            for x in 0..<across where dots[(row * down + y) * width + column * across + x] {
                pattern |= bits[y][x]
            }
        }
        guard pattern > 0 else { return nil }
        if shape == .dots { return "∘" }
        return Unicode.Scalar(0x2800 + pattern).map { String(Character($0)) }
    }
}

extension [Int64?] {
    fileprivate subscript(safely index: Int) -> Int64? {
        indices.contains(index) ? self[index] : nil
    }
}

/// A drawing of characters.
private struct Canvas {
    let width: Int
    let height: Int
    private var cells: [String?]

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        cells = [String?](repeating: nil, count: width * height)
    }

    subscript(row: Int, column: Int) -> String {
        get { cells[row * width + column] ?? " " }
        set { cells[row * width + column] = newValue }
    }

    /// A row without the spaces at its end.
    func line(_ row: Int) -> String {
        var columns = cells[row * width..<(row + 1) * width]
        while let last = columns.last, last == nil { columns.removeLast() }
        return columns.map { $0 ?? " " }.joined()
    }
}
