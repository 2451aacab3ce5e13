public import MacrologFaces

/// A PDF file of several pages, handed over piece by piece: a page that is complete is not kept.
public struct PagedPDF: ~Copyable {
    private var canvas: Canvas
    /// How many letters are drawn as boxes, because no font of this system has them.
    public private(set) var lettersWithoutFont = 0

    /// Begins a file, whose pages have the size of this one, and whose title is its own.
    public init(pagesLike picture: Picture) throws(DrawingError) {
        canvas = try Canvas(pageFor: picture)
    }

    /// Draws the next page, on white.
    ///
    /// - Returns: The bytes of the file that are complete; they may be none.
    public mutating func add(_ page: Picture) throws(DrawingError) -> [UInt8] {
        let bytes = try canvas.addPage(page)
        lettersWithoutFont = canvas.lettersWithoutFont
        return bytes
    }

    /// Ends the file.
    ///
    /// - Returns: The rest of its bytes.
    public consuming func end() throws(DrawingError) -> [UInt8] { try canvas.finished() }
}
