/// Whether text for the terminal is coloured, and whether it may use more than ASCII.
///
/// The program decides once, at its door, and hands the style to everything that draws.
public struct Style: Equatable, Sendable {
    /// Whether ANSI colours are used.
    public let colors: Bool
    /// Whether blocks, lines and `…` are used. Otherwise ASCII.
    public let blocks: Bool

    /// Chooses what may be used.
    public init(colors: Bool, blocks: Bool) {
        self.colors = colors
        self.blocks = blocks
    }

    /// No colours, but blocks.
    public static let plain = Style(colors: false, blocks: true)
    /// No colours and nothing but ASCII.
    public static let ascii = Style(colors: false, blocks: false)
    /// Colours and blocks.
    public static let colorful = Style(colors: true, blocks: true)

    /// The style that fits the output.
    ///
    /// Colours need a terminal that supports them, and a user who did not turn them off: `NO_COLOR`
    /// with any non-empty value turns them off. Blocks need a locale with UTF-8; an unset locale is
    /// `C`.
    ///
    /// - Parameters:
    ///   - isTerminal: Whether standard output is a terminal.
    ///   - refused: Whether `--no-color` was typed.
    ///   - noColor: The value of `NO_COLOR`.
    ///   - term: The value of `TERM`.
    ///   - locale: The first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set and not empty.
    public static func fitting(
        isTerminal: Bool, refused: Bool, noColor: String?, term: String?, locale: String?
    ) -> Style {
        let canColor = isTerminal && !(term ?? "dumb").isSame(as: "dumb")
        let small = (locale ?? "").asciiSmall
        return Style(
            colors: canColor && !refused && (noColor ?? "").isEmpty,
            blocks: ["utf-8", "utf8"].contains { ending in
                small.parts(separatedBy: UInt8(ascii: ".")).dropFirst().contains {
                    $0.begins(with: ending)
                }
            })
    }

    /// `text` in these paints. The text is taken as it is: see ``printable(_:)`` for text of others.
    public func paint(_ text: String, _ paints: Paint...) -> String {
        guard colors, !text.isEmpty, !paints.isEmpty else { return text }
        let codes = paints.map { String($0.rawValue) }.joined(separator: ";")
        return "\u{1B}[\(codes)m\(text)\u{1B}[0m"
    }
}

/// A colour or weight of text, by its ANSI number.
public enum Paint: UInt8, Sendable {
    case bold = 1
    case dim = 2
    case underlined = 4
    case red = 31
    case green = 32
    case yellow = 33
    case blue = 34
    case magenta = 35
    case cyan = 36
}
