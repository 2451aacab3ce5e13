import CMacrologCairo
import MacrologFaces

/// A line of text, shaped by Pango: letters that join, both directions, marks, and the fonts that the
/// system has for them. The text is never read as markup.
extension Canvas {
    /// - Returns: How many letters have no font.
    func write(_ line: Picture.Line) -> Int {
        let (cairo, pango) = (libraries.cairo, libraries.pango)
        guard let layout = pango.create_layout(context) else { return 0 }
        defer { pango.unref(UnsafeMutableRawPointer(layout)) }
        setFont(of: layout, line)
        pango.set_single_paragraph(layout, 1)
        pango.set_text(layout, line.text, Int32(line.text.utf8.count))
        let width = fitted(layout, line.widthMax.map { Self.points($0) })
        let shift =
            switch line.anchor {
            case .left: 0.0
            case .middle: width / 2
            case .right: width
            }
        let baseline = Double(pango.get_baseline(layout)) / Self.unit
        cairo.move_to(
            context, Self.points(line.origin.x) - shift, Self.points(line.origin.y) - baseline)
        pango.show_layout(context, layout)
        return Int(pango.get_unknown_glyphs_count(layout))
    }

    private func setFont(of layout: OpaquePointer, _ line: Picture.Line) {
        let pango = libraries.pango
        guard let font = pango.font_new() else { return }
        pango.font_set_family(font, "sans-serif")
        pango.font_set_weight(font, line.isBold ? 600 : 400)
        pango.font_set_size(font, Self.points(line.size) * Self.unit)
        pango.set_font(layout, font)
        pango.font_free(font)
    }

    /// The width of the text in points, cut with an ellipsis where it has more.
    private func fitted(_ layout: OpaquePointer, _ widthMax: Double?) -> Double {
        let pango = libraries.pango
        var width: Int32 = 0
        pango.get_size(layout, &width, nil)
        if let widthMax, Double(width) > widthMax * Self.unit {
            pango.set_width(layout, Int32(widthMax * Self.unit))
            pango.set_ellipsize(layout, Self.ellipsisAtEnd)
            pango.get_size(layout, &width, nil)
        }
        return Double(width) / Self.unit
    }

    // Of pango-types.h and pango-layout.h: PANGO_SCALE, PANGO_ELLIPSIZE_END.
    private static let unit = 1024.0
    private static let ellipsisAtEnd: UInt32 = 3
}
