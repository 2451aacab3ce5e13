import Commands
import Macrolog

// A chart as an SVG file: the same bytes for the same days, and colours that follow the screen.

extension Chart {
    /// The whole document.
    var svg: String {
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 400" role="img" \
            aria-label="\(Self.escaped("\(title), \(days.lowerBound) to \(days.upperBound)"))">
            """,
            Self.colours, "<rect class=\"ground\" width=\"800\" height=\"400\" rx=\"12\"/>",
            text(24, 36, "title", "\(title), \(unit)"),
            text(776, 36, "label end", "\(days.lowerBound) – \(days.upperBound)"),
        ]
        for mark in plot.marks {
            let y = Self.tenths(self.y(mark))
            lines.append("<path class=\"grid\" d=\"M72 \(y)H776\"/>")
            lines.append(text(64, self.y(mark) / 10 + 4, "label end", label(mark)))
        }
        lines += dayLabels
        for (layer, one) in plot.series.enumerated() { lines += drawing(one, layer) }
        if let goal = plot.goal {
            lines.append("<path class=\"goal\" d=\"M72 \(Self.tenths(y(goal)))H776\"/>")
        }
        lines += legend
        return lines.joined(separator: "\n") + "\n</svg>\n"
    }

    private static let colours = """
        <style>
        svg{--ground:#ffffff;--ink:#1f2328;--quiet:#59636e;--grid:#e4e8ec;--goal:#b35900;\
        --s0:#0969da;--s1:#d4a72c;--s2:#a03a86;--dot:#8c959f;\
        font:14px system-ui,-apple-system,"Segoe UI",sans-serif}
        @media (prefers-color-scheme:dark){svg{--ground:#0d1117;--ink:#e6edf3;--quiet:#9198a1;\
        --grid:#262c36;--goal:#f0883e;--s0:#58a6ff;--s1:#e3b341;--s2:#e085c6;--dot:#6e7681}}
        .ground{fill:var(--ground)}.title{fill:var(--ink);font-size:18px;font-weight:600}
        .label{fill:var(--quiet);font-size:12px}.end{text-anchor:end}.middle{text-anchor:middle}
        .grid{stroke:var(--grid);fill:none}
        .goal{stroke:var(--goal);fill:none;stroke-width:2;stroke-dasharray:6 5}
        .line{stroke:var(--s0);fill:none;stroke-width:3;stroke-linejoin:round;\
        stroke-linecap:round}
        .dot{fill:var(--dot)}.s0{fill:var(--s0)}.s1{fill:var(--s1)}.s2{fill:var(--s2)}
        </style>
        """

    /// Where the days are: from 72 to 776, in tenths.
    private func x(_ index: Int) -> Int64 {
        720 + (Int64(index) * 2 + 1) * 7_040 / (Int64(plot.count) * 2)
    }

    /// Where a value is: from 320 up to 60, in tenths.
    private func y(_ value: Int64) -> Int64 {
        let range = plot.scale.high - plot.scale.low
        return 3_200 - Rounded.scaled(value - plot.scale.low, by: 2_600, over: max(range, 1))
    }

    private var dayLabels: [String] {
        let every = max(1, (plot.count + 6) / 7)
        return zip(days, 0...).filter { $0.1 % every == 0 }.map { day, index in
            text(x(index) / 10, 342, "label middle", String(day.short.dropFirst(4)))
        }
    }

    private func drawing(_ one: Plot.Series, _ layer: Int) -> [String] {
        switch one.shape {
        case .dots:
            return zip(one.values, 0...).compactMap { value, index in
                value.map {
                    "<circle class=\"dot\" cx=\"\(Self.tenths(x(index)))\" "
                        + "cy=\"\(Self.tenths(y($0)))\" r=\"3.5\"/>"
                }
            }
        case .line:
            let points = zip(one.values, 0...).compactMap { value, index in
                value.map { "\(Self.tenths(x(index))) \(Self.tenths(y($0)))" }
            }
            return points.isEmpty
                ? [] : ["<path class=\"line\" d=\"M\(points.joined(separator: "L"))\"/>"]
        case .columns:
            return (0..<plot.count).compactMap { column(one, layer, $0) }
        }
    }

    private func column(_ one: Plot.Series, _ layer: Int, _ index: Int) -> String? {
        guard let value = one.values[index], value > 0 else { return nil }
        let below = plot.series[..<layer].reduce(0) { $0 + ($1.values[index] ?? 0) }
        let width = max(10, min(7_040 / Int64(plot.count) * 7 / 10, 400))
        let (top, bottom) = (y(below + value), y(below))
        return "<rect class=\"s\(layer)\" x=\"\(Self.tenths(x(index) - width / 2))\" "
            + "y=\"\(Self.tenths(top))\" width=\"\(Self.tenths(width))\" "
            + "height=\"\(Self.tenths(bottom - top))\"><title>"
            + "\(days.lowerBound.advanced(by: index)) \(Self.escaped(one.name)) "
            + "\(Numerals.grouped.text(value, scale: 3, decimals: 0)) \(unit)</title></rect>"
    }

    private var legend: [String] {
        var lines: [String] = []
        var left: Int64 = 72
        for (layer, one) in plot.series.enumerated() {
            let middle = left + 8
            switch one.shape {
            case .line: lines.append("<path class=\"line\" d=\"M\(left) 372h16\"/>")
            case .dots:
                lines.append("<circle class=\"dot\" cx=\"\(middle)\" cy=\"372\" r=\"3.5\"/>")
            case .columns:
                lines.append(
                    "<rect class=\"s\(layer)\" x=\"\(left + 2)\" y=\"366\" width=\"12\" "
                        + "height=\"12\" rx=\"2\"/>")
            }
            lines.append(text(left + 24, 376, "label", one.name))
            left += 48 + Int64(one.name.utf8.count) * 8
        }
        if let goal = plot.goal {
            lines.append("<path class=\"goal\" d=\"M\(left) 372h16\"/>")
            lines.append(text(left + 24, 376, "label", "goal \(label(goal))"))
        }
        return lines
    }

    private func label(_ value: Int64) -> String { Numerals.grouped.text(value, scale: 3) }

    private func text(_ x: Int64, _ y: Int64, _ kind: String, _ words: String) -> String {
        "<text class=\"\(kind)\" x=\"\(x)\" y=\"\(y)\">\(Self.escaped(words))</text>"
    }

    private static func tenths(_ value: Int64) -> String { Numerals.plain.text(value, scale: 1) }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }
}
