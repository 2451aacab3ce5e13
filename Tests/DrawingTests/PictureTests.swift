import Foundation
import MacrologDrawing
import MacrologFaces
import MacrologTestSupport
import Testing

/// Goal: each mark of a picture is drawn where the picture says, whatever a text holds.
/// Method: pictures become PNG files, whose pixels are read again. Fonts differ between systems, so
/// text is compared by where there is ink, never by its bytes.
@Suite(.enabled("libpangocairo-1.0-0 is not installed") { isInstalled })
struct PictureTests {
    @Test(arguments: Picture.Theme.allCases)
    func `a box covers its place in the colour of the theme`(theme: Picture.Theme) throws {
        var picture = Picture.small()
        picture.add(Picture.Box(x: 500, y: 200, width: 300, height: 100), .first)
        let drawn = try DrawnPNG(picture.png(theme, scale: 2).bytes)
        #expect((drawn.width, drawn.height) == (400, 200))
        let ink = try #require(drawn.ink(on: Picture.Color.ground.rgb(theme)))
        #expect((ink.x, ink.y) == (100...159, 40...59))
        #expect(drawn.color(130, 50) == Picture.Color.first.rgb(theme))
    }

    @Test func `round corners are open, and a corner is never rounder than its box`() throws {
        let round = Picture(width: 2_000, height: 1_000, corner: 120, title: "")
        let drawn = try DrawnPNG(round.png(.light).bytes)
        #expect(drawn.color(0, 0) == nil)
        #expect(drawn.color(100, 0) == 0xFF_FFFF)
        var picture = Picture.small()
        let dot = Picture.Box(x: 1_000, y: 500, width: 100, height: 100)
        picture.add(dot, corner: 5_000, .dot)
        let ink = try #require(try DrawnPNG(picture.png(.light).bytes).ink(on: 0xFF_FFFF))
        #expect((ink.x, ink.y) == (100...109, 50...59))
    }

    @Test func `a dashed line has gaps, and the next line has none`() throws {
        var picture = Picture.small()
        func row(_ y: Int64) -> [Picture.Point] {
            [Picture.Point(200, y), Picture.Point(1_800, y)]
        }
        picture.add(row(300), width: 20, isDashed: true, .target)
        picture.add(row(700), width: 20, .target)
        let drawn = try DrawnPNG(picture.png(.light).bytes)
        let goal = Picture.Color.target.rgb(.light)
        #expect((21..<179).count { drawn.color($0, 70) == goal } == 158)
        let dashed = (21..<179).count { drawn.color($0, 30) == goal }
        #expect((70...110).contains(dashed), "\(dashed)")
    }

    @Test func `a text begins, is centred or ends at its origin`() throws {
        func ink(_ anchor: Picture.Anchor, _ text: String) throws -> ClosedRange<Int> {
            var picture = Picture.small()
            picture.add(text, .ink, size: 200, anchor, at: Picture.Point(1_000, 600))
            return try #require(try DrawnPNG(picture.png(.light).bytes).ink(on: 0xFF_FFFF)).x
        }
        for text in ["Hello", "مرحبا", "שלום"] {
            let (left, middle, right) = (
                try ink(.left, text), try ink(.middle, text), try ink(.right, text)
            )
            #expect((98...103).contains(left.lowerBound), "\(text) \(left)")
            #expect((97...101).contains(right.upperBound), "\(text) \(right)")
            let centre = (middle.lowerBound + middle.upperBound) / 2
            #expect((97...103).contains(centre), "\(text) \(middle)")
        }
    }

    @Test func `a text that is too long ends with an ellipsis, within its width`() throws {
        let name = String(repeating: "Porridge ", count: 20)
        for (text, ground) in [(name, 0), (String(name.reversed()), 1), ("عدس" + name, 2)] {
            var picture = Picture.small()
            picture.add(
                text, .ink, size: 150, at: Picture.Point(200, 500), widthMax: 1_200)
            let ink = try #require(try DrawnPNG(picture.png(.light).bytes).ink(on: 0xFF_FFFF))
            #expect(ink.x.lowerBound >= 18 && ink.x.upperBound <= 141, "\(ground): \(ink)")
            #expect(ink.x.count > 90, "\(ground): \(ink)")
        }
    }

    @Test func `a box after a text is that box alone`() throws {
        var picture = Picture.small()
        picture.add("I", .ground, size: 100, at: Picture.Point(100, 900))
        picture.add(Picture.Box(x: 1_000, y: 200, width: 300, height: 100), corner: 20, .first)
        let ink = try #require(try DrawnPNG(picture.png(.light).bytes).ink(on: 0xFF_FFFF))
        #expect((ink.x, ink.y) == (100...129, 20...29))
    }

    @Test func `a text is never read as markup`() throws {
        func width(_ text: String) throws -> Int {
            var picture = Picture.small()
            picture.add(text, .ink, size: 100, at: Picture.Point(100, 500))
            return try #require(try DrawnPNG(picture.png(.light).bytes).ink(on: 0xFF_FFFF)).x.count
        }
        #expect(try width("<b>Oats</b>") > 2 * width("Oats"))
        #expect(try width("Salt &amp; oats") > width("Salt & oats") + 10)
    }

    @Test func `letters without a font are counted`() throws {
        func count(_ text: String) throws -> Int {
            var picture = Picture.small()
            picture.add(text, .ink, size: 100, at: Picture.Point(100, 500))
            return try picture.png(.light).lettersWithoutFont
        }
        #expect(try count("Oat porridge, crème brûlée") == 0)
        #expect(try count("a\u{10FFFD}b\u{10FFFC}") == 2)
    }

    @Test func `the same picture is the same file`() throws {
        var picture = Picture.small()
        picture.add("Oats", .ink, size: 100, at: Picture.Point(100, 500))
        #expect(try picture.png(.light).bytes == picture.png(.light).bytes)
        let page = try picture.pdf(.light).bytes
        #expect(page.starts(with: Array("%PDF-1.".utf8)))
        #expect(String(decoding: page.suffix(8), as: UTF8.self).contains("%%EOF"))
        #expect(try page == picture.pdf(.light).bytes)
        #expect(!String(decoding: page, as: UTF8.self).contains("/CreationDate"))
    }
}

extension PictureTests {
    /// Texts of any scalars, and of those that fonts and drawing code have failed at.
    static let hostile = [
        "", " ", "\u{0}", "a\u{0}b", "\u{1B}[31mred", "a\nb\r\nc\u{2029}d", "\u{202E}abc\u{2066}",
        "\u{FEFF}", "\u{FFFE}\u{FFFF}", "\u{FFFC}", "e" + String(repeating: "\u{301}", count: 390),
        String(repeating: "\u{1F468}\u{200D}", count: 200), String(repeating: "🇨🇭", count: 100),
        String(repeating: "﷽", count: 400), String(repeating: "W", count: 100_000),
        "<span size='100000'>x</span>", "%s%n%x", "\u{E0001}\u{E0041}", "क्षि" + "ཀྵྨླྀ" + "กํา",
    ]

    @Test func `no text stops a picture, and what follows is drawn`() throws {
        var random = Dice.fresh("PictureTests")
        let wild = (0..<60).map { _ in
            String(
                String.UnicodeScalarView(
                    (0..<random.below(80)).compactMap { _ in
                        Unicode.Scalar(UInt32(random.below(0x11_0000)))
                    }))
        }
        for text in Self.hostile + wild {
            var picture = Picture.small()
            picture.add(
                text, .ink, size: 100, at: Picture.Point(300, 300), widthMax: 1_000)
            picture.add(Picture.Box(x: 0, y: 900, width: 2_000, height: 100), .first)
            let drawn = try DrawnPNG(picture.png(.light).bytes)
            let color = drawn.color(100, 95)
            #expect(color == Picture.Color.first.rgb(.light), "\(text.debugDescription)")
            #expect(try picture.pdf(.dark).bytes.count > 500)
        }
    }
}

extension Picture {
    /// 200 by 100 points with nothing on them.
    fileprivate static func small() -> Picture {
        Picture(width: 2_000, height: 1_000, title: "A picture")
    }
}

private let isInstalled = (try? Picture.small().png(.light)) != nil
