public import MacrologFaces
public import MacrologSystem

/// A picture as the bytes of a file.
public struct Drawn: Sendable {
    /// The file.
    public let bytes: [UInt8]
    /// How many letters are drawn as boxes, because no font of this system has them.
    public let lettersWithoutFont: Int

    /// The Debian packages of fonts for most letters that ``lettersWithoutFont`` counts.
    public static let fontPackages = ["fonts-noto-cjk", "fonts-noto-color-emoji"]
}

/// Why a picture cannot be drawn.
public enum DrawingError: Error, Hashable, Sendable {
    case library(LibraryError)
    /// cairo's words.
    case failed(String)
}

extension Picture {
    /// The picture as a PNG file.
    ///
    /// - Parameter scale: Pixels for each point, 1 to 4.
    public func png(_ theme: Theme, scale: Int32 = 1) throws(DrawingError) -> Drawn {
        precondition((1...4).contains(scale))
        return try Canvas(pixelsFor: self, scale: scale).drawn(self, theme)
    }

    /// The picture as a PDF file of one page, with its text as text.
    public func pdf(_ theme: Theme) throws(DrawingError) -> Drawn {
        try Canvas(pageFor: self).drawn(self, theme)
    }
}
