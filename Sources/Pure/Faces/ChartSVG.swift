import MacrologNutrition
import MacrologTerminal

// A chart as an SVG file: the same bytes for the same days.

/// The screen that a chart is drawn for.
package enum ChartTheme: String, CaseIterable, Sendable {
    case light, dark
}

extension Chart {
    /// The whole document.
    ///
    /// - Parameter theme: `nil` for colours that follow the viewer's colour scheme.
    package func svg(_ theme: ChartTheme?) -> String {
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 400" role="img" \
            aria-label="\(Self.escaped("\(title), \(days.lowerBound) to \(days.upperBound)"))">
            """,
            Self.style(theme), "<rect class=\"ground\" width=\"800\" height=\"400\" rx=\"12\"/>",
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
        if let path = goalPath { lines.append("<path class=\"goal\" d=\"\(path)\"/>") }
        lines += legend
        return lines.joined(separator: "\n") + "\n</svg>\n"
    }

    private static func style(_ theme: ChartTheme?) -> String {
        var rules = """
            svg{font:14px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}
            .title{font-size:18px;font-weight:600}.label{font-size:12px}
            .end{text-anchor:end}.middle{text-anchor:middle}.grid,.goal,.line{fill:none}
            .goal{stroke-width:2;stroke-dasharray:6 5}
            .line{stroke-width:3;stroke-linejoin:round;stroke-linecap:round}
            """
        rules += "\n" + colours(theme ?? .light)
        if theme == nil { rules += "\n@media (prefers-color-scheme:dark){\(colours(.dark))}" }
        return "<style>\n\(rules)\n</style>"
    }

    /// Repeated for each class: not every viewer supports custom properties.
    private static func colours(_ theme: ChartTheme) -> String {
        let (ground, ink, quiet, grid, goal, dot, series) =
            switch theme {
            case .light:
                (
                    "#ffffff", "#1f2328", "#59636e", "#e4e8ec", "#b35900", "#8c959f",
                    ["#0969da", "#d4a72c", "#a03a86"]
                )
            case .dark:
                (
                    "#0d1117", "#e6edf3", "#9198a1", "#262c36", "#f0883e", "#6e7681",
                    ["#58a6ff", "#e3b341", "#e085c6"]
                )
            }
        return ".ground{fill:\(ground)}.title{fill:\(ink)}.label{fill:\(quiet)}"
            + ".grid{stroke:\(grid)}.goal{stroke:\(goal)}.line{stroke:\(series[0])}.dot{fill:\(dot)}"
            + series.enumerated().map { ".s\($0.offset){fill:\($0.element)}" }.joined()
    }

    /// The horizontal range of the days: 72 to 776, in tenths.
    private func x(_ index: Int) -> Int64 {
        720 + (Int64(index) * 2 + 1) * 7_040 / (Int64(plot.count) * 2)
    }

    /// The left edge of a day, in tenths.
    private func x(edge index: Int) -> Int64 { 720 + Int64(index) * 7_040 / Int64(plot.count) }

    /// The vertical position of a value: from 320 up to 60, in tenths.
    private func y(_ value: Int64) -> Int64 {
        let range = plot.scale.high - plot.scale.low
        return 3_200 - Rounding.scaled(value - plot.scale.low, by: 2_600, over: max(range, 1))
    }

    private var dayLabels: [String] {
        let every = max(1, (plot.count + 6) / 7)
        return zip(days, 0...).filter { $0.1 % every == 0 }.map { day, index in
            text(x(index) / 10, 342, "label middle", String(day.short.dropFirst(4)))
        }
    }

    /// A line for each run of days with the same goal, between the midpoints of neighbouring days.
    private var goalPath: String? {
        var path = ""
        var from = 0
        while from < plot.goals.count {
            let goal = plot.goals[from]
            let through = plot.goals[from...].firstIndex { $0 != goal } ?? plot.goals.count
            if let goal {
                let (left, right) = (x(edge: from), x(edge: through))
                path += "M\(Self.tenths(left)) \(Self.tenths(y(goal)))H\(Self.tenths(right))"
            }
            from = through
        }
        return path.isEmpty ? nil : path
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
        let room = 7_040 / Int64(plot.count)
        let width = max(10, min(room * 7 / 10, 400))
        let (top, bottom) = (y(below + value), y(below))
        let place = [
            ("x", x(index) - width / 2), ("y", top), ("width", width), ("height", bottom - top),
        ]
        let attributes = place.map { "\($0)=\"\(Self.tenths($1))\"" }.joined(separator: " ")
        let day = days.lowerBound.advanced(by: index)
        let amount = NumberFormat.grouped.text(value, scale: 3, decimals: 0)
        let title = "\(day) \(Self.escaped(one.name)) \(amount) \(unit)"
        return "<rect class=\"s\(layer)\" \(attributes)><title>\(title)</title></rect>"
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
        if let goal = goalText {
            lines.append("<path class=\"goal\" d=\"M\(left) 372h16\"/>")
            lines.append(text(left + 24, 376, "label", goal))
        }
        return lines
    }

    private func label(_ value: Int64) -> String { NumberFormat.grouped.text(value, scale: 3) }

    private func text(_ x: Int64, _ y: Int64, _ kind: String, _ arguments: String) -> String {
        "<text class=\"\(kind)\" x=\"\(x)\" y=\"\(y)\">\(Self.escaped(arguments))</text>"
    }

    private static func tenths(_ value: Int64) -> String {
        NumberFormat.plain.text(value, scale: 1)
    }

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
