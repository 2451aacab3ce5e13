import MacrologTerminal

/// A drawing as a list of marks, each painted over those before it: the same picture for a browser,
/// as SVG, and for fonts and pixels, by room `Drawing`.
///
/// Lengths are in tenths of a point. `(0, 0)` is the upper left corner.
public struct Picture: Hashable, Sendable {
    /// In tenths of a point.
    public let width: Int64
    /// In tenths of a point.
    public let height: Int64
    /// What the picture shows, for people who cannot see it.
    public let title: String
    /// The first one covers the whole picture.
    public private(set) var marks: [Mark]

    /// - Parameter corner: The radius of the picture's corners.
    public init(width: Int64, height: Int64, corner: Int64 = 0, title: String) {
        (self.width, self.height) = (width, height)
        self.title = Self.safe(title)
        let all = Box(x: 0, y: 0, width: width, height: height)
        marks = [.box(all, corner: corner, .ground, says: nil)]
    }

    /// One thing that is painted.
    public enum Mark: Hashable, Sendable {
        /// A filled rectangle, whose corners are quarters of a circle, and what is said of it.
        case box(Box, corner: Int64, Color, says: String?)
        /// Straight lines from point to point.
        case line([Point], width: Int64, isDashed: Bool, Color)
        /// One line of text.
        case text(Line)
    }

    /// A place, in tenths of a point from the upper left corner.
    public struct Point: Hashable, Sendable {
        /// To the right.
        public let x: Int64
        /// Downwards.
        public let y: Int64

        /// Pairs both distances.
        public init(_ x: Int64, _ y: Int64) { (self.x, self.y) = (x, y) }
    }

    /// A rectangle, in tenths of a point.
    public struct Box: Hashable, Sendable {
        /// Its left edge.
        public let x: Int64
        /// Its upper edge.
        public let y: Int64
        /// Its width.
        public let width: Int64
        /// Its height.
        public let height: Int64

        /// Collects the edges and the size.
        public init(x: Int64, y: Int64, width: Int64, height: Int64) {
            (self.x, self.y) = (x, y)
            (self.width, self.height) = (width, height)
        }
    }

    /// One line of text.
    public struct Line: Hashable, Sendable {
        /// Free of control and direction-changing characters.
        public let text: String
        /// The color of the letters.
        public let color: Color
        /// The height of the letters, in tenths of a point.
        public let size: Int64
        /// Whether the letters are bold.
        public let isBold: Bool
        /// Which end of the line is at its place.
        public let anchor: Anchor
        /// Where the anchor stands on the baseline.
        public let origin: Point
        /// A longer text is cut with an ellipsis where it can be measured.
        public let widthMax: Int64?
    }

    /// The part of a text that stands at its origin, from the left.
    public enum Anchor: Hashable, Sendable { case left, middle, right }
}

extension Picture {
    /// Draws a filled rectangle.
    public mutating func add(_ box: Box, corner: Int64 = 0, _ color: Color, says: String? = nil) {
        marks.append(.box(box, corner: corner, color, says: says.map { Self.safe($0) }))
    }

    /// Writes a line of text.
    public mutating func add(
        _ points: [Point], width: Int64, isDashed: Bool = false, _ color: Color
    ) {
        if points.count > 1 { marks.append(.line(points, width: width, isDashed: isDashed, color)) }
    }

    /// Adds a line of text, safe to draw: a person's name may hold anything.
    public mutating func add(
        _ text: String, _ color: Color, size: Int64, isBold: Bool = false, _ anchor: Anchor = .left,
        at origin: Point, widthMax: Int64? = nil
    ) {
        let line = Line(
            text: Self.safe(text), color: color, size: size, isBold: isBold, anchor: anchor,
            origin: origin, widthMax: widthMax)
        marks.append(.text(line))
    }

    /// The maximum number of Unicode scalars of one text.
    public static let scalarsMax = 400

    private static func safe(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in printable(text).unicodeScalars.prefix(scalarsMax) {
            // XML has no place for these two.
            result.append((0xFFFE...0xFFFF).contains(scalar.value) ? "\u{FFFD}" : scalar)
        }
        return String(result)
    }
}

extension Picture.Line {
    /// Whether the first letter with a direction is written from right to left.
    public var isRightToLeft: Bool {
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF,
                0x1E800...0x1EFFF:
                return true
            case 0x41...0x5A, 0x61...0x7A, 0xC0...0x58F, 0x900...0x1FFF, 0x2C00...0xFAFF:
                return false
            default: continue
            }
        }
        return false
    }
}
