import MacrologTerminal

/// A picture as an SVG file: the same bytes for the same picture.
extension Picture {
    /// The whole document.
    ///
    /// - Parameter theme: `nil` for colours that follow the viewer's colour scheme.
    public func svg(_ theme: Theme?) -> String {
        let size = "\(Self.points(width)) \(Self.points(height))"
        let head =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(size)\" role=\"img\" "
            + "aria-label=\"\(Self.escaped(title))\">"
        let lines = [head, style(theme)] + marks.map { Self.element($0) } + ["</svg>", ""]
        return lines.joined(separator: "\n")
    }

    private func style(_ theme: Theme?) -> String {
        var rules = """
            svg{font-family:system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}
            rect,text{fill:currentColor}
            path{fill:none;stroke:currentColor;stroke-linejoin:round}
            """
        rules += "\n" + colors(theme ?? .light)
        if theme == nil { rules += "\n@media (prefers-color-scheme:dark){\(colors(.dark))}" }
        return "<style>\n\(rules)\n</style>"
    }

    /// A class for each colour that is used: not every viewer supports custom properties.
    private func colors(_ theme: Theme) -> String {
        let used = marks.map { $0.color }
        return Color.allCases.filter { used.contains($0) }
            .map { ".\($0.rawValue){color:\(Self.hexadecimal($0.rgb(theme)))}" }.joined()
    }

    private static func element(_ mark: Mark) -> String {
        switch mark {
        case .box(let box, let corner, let color, let says):
            let round = corner > 0 ? " rx=\"\(points(corner))\"" : ""
            let rect =
                "<rect class=\"\(color.rawValue)\" x=\"\(points(box.x))\" y=\"\(points(box.y))\" "
                + "width=\"\(points(box.width))\" height=\"\(points(box.height))\"\(round)"
            return says.map { "\(rect)><title>\(escaped($0))</title></rect>" } ?? "\(rect)/>"
        case .line(let way, let width, let isDashed, let color):
            let path = way.map { "\(points($0.x)) \(points($0.y))" }.joined(separator: "L")
            let ends = isDashed ? "stroke-dasharray=\"6 5\"" : "stroke-linecap=\"round\""
            return "<path class=\"\(color.rawValue)\" stroke-width=\"\(points(width))\" \(ends) "
                + "d=\"M\(path)\"/>"
        case .text(let line): return element(line)
        }
    }

    private static func element(_ line: Line) -> String {
        // A text that runs from right to left starts at its right end.
        let anchor =
            switch line.anchor {
            case .middle: " text-anchor=\"middle\""
            case .left: line.isRightToLeft ? " text-anchor=\"end\"" : ""
            case .right: line.isRightToLeft ? "" : " text-anchor=\"end\""
            }
        let direction = line.isRightToLeft ? " direction=\"rtl\"" : ""
        let weight = line.isBold ? " font-weight=\"600\"" : ""
        let (x, y) = (points(line.origin.x), points(line.origin.y))
        return "<text class=\"\(line.color.rawValue)\" font-size=\"\(points(line.size))\"\(weight)"
            + "\(anchor)\(direction) x=\"\(x)\" y=\"\(y)\">\(escaped(line.text))</text>"
    }

    private static func points(_ tenths: Int64) -> String {
        NumberFormat.plain.text(tenths, scale: 1)
    }

    private static func hexadecimal(_ rgb: UInt32) -> String {
        let digits = String(rgb, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }

    private static func escaped(_ text: String) -> String {
        text.replacing(UInt8(ascii: "&"), with: "&amp;")
            .replacing(UInt8(ascii: "<"), with: "&lt;").replacing(UInt8(ascii: ">"), with: "&gt;")
            .replacing(UInt8(ascii: "\""), with: "&quot;")
    }
}

extension Picture.Mark {
    fileprivate var color: Picture.Color {
        switch self {
        case .box(_, _, let color, _), .line(_, _, _, let color): color
        case .text(let line): line.color
        }
    }
}
