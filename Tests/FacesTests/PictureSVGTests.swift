import MacrologFaces
import Testing

/// Goal: an SVG file shows the same marks as the picture, and a person's text is only ever text.
/// Method: pictures with one mark each.
@Suite struct PictureSVGTests {
    private func svg(_ add: (inout Picture) -> Void) -> String {
        var picture = Picture(width: 2_000, height: 1_000, title: "A \"b\" <c> & d")
        add(&picture)
        return picture.svg(.light)
    }

    @Test func `each mark is one element, in tenths of a point`() {
        let box = svg { $0.add(.init(x: 5, y: 10, width: 25, height: 30), corner: 4, .good) }
        #expect(
            box.contains(
                "<rect class=\"good\" x=\"0.5\" y=\"1\" width=\"2.5\" height=\"3\" rx=\"0.4\"/>"))
        #expect(box.contains(".good{color:#1a7f37}") && !box.contains(".poor"))
        let line = svg {
            $0.add([.init(0, 10), .init(20, -5)], width: 15, isDashed: true, .target)
        }
        #expect(line.contains("stroke-width=\"1.5\" stroke-dasharray=\"6 5\" d=\"M0 1L2 -0.5\"/>"))
        #expect(!svg { $0.add([.init(0, 10)], width: 15, .target) }.contains("<path"))
    }

    @Test(arguments: [
        ("Soup", Picture.Anchor.left, ""), ("Soup", .middle, " text-anchor=\"middle\""),
        ("Soup", .right, " text-anchor=\"end\""),
        ("شوربة", .left, " text-anchor=\"end\" direction=\"rtl\""),
        ("12 שלום", .middle, " text-anchor=\"middle\" direction=\"rtl\""),
        ("شوربة Soup", .right, " direction=\"rtl\""), ("Soup شوربة", .left, ""), ("12", .left, ""),
        ("汤 شوربة", .left, ""),
    ])
    func `a text from right to left stands where its anchor says`(
        text: String, anchor: Picture.Anchor, attributes: String
    ) {
        let svg = svg { $0.add(text, .ink, size: 120, anchor, at: .init(100, 500)) }
        #expect(
            svg.contains(
                "<text class=\"ink\" font-size=\"12\"\(attributes) x=\"10\" y=\"50\">\(text)<"))
    }

    @Test func `a text is no markup, and no character that XML forbids`() {
        let hostile = "</text><script>\u{0}\u{B}\u{FFFE}\u{FFFF}\u{202E}&amp;\"'"
        let svg = svg {
            $0.add(hostile, .ink, size: 120, at: .init(0, 0))
            $0.add(.init(x: 0, y: 0, width: 1, height: 1), .dot, says: hostile)
        }
        #expect(!svg.contains("<script"))
        #expect(svg.contains("aria-label=\"A &quot;b&quot; &lt;c&gt; &amp; d\""))
        let safe =
            "&lt;/text&gt;&lt;script&gt;"
            + String(repeating: "\u{FFFD}", count: 5) + "&amp;amp;&quot;'"
        #expect(svg.count(of: safe) == 2, "\(svg)")
    }

    @Test func `a text is bounded`() {
        let svg = svg {
            $0.add(String(repeating: "W", count: 100_000), .ink, size: 120, at: .init(0, 0))
        }
        #expect(svg.utf8.count < 2_000)
    }
}

extension String {
    /// How often `part` occurs.
    fileprivate func count(of part: String) -> Int { ranges(of: part).count }
}
