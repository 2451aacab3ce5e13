import CMacrologScanning
public import MacrologImages
public import MacrologSystem

/// A picture that is read: its pixels in shades of grey, decoded by Leptonica.
public struct GrayPicture: ~Copyable {
    let leptonica: macrolog_leptonica
    let pixels: OpaquePointer

    /// Decodes a JPEG, PNG or WebP file. Its header is read first: a small file that unpacks to more
    /// than 50,000,000 pixels is refused before any pixel is decoded.
    public init(decoding bytes: [UInt8]) throws(ScanError) {
        let header: ImageHeader
        do throws(ImageError) { header = try ImageHeader.read(bytes) } catch {
            throw .picture(error)
        }
        guard header.format != .heic else { throw .heic }
        let leptonica = try ScanError.library(of: macrolog_leptonica.opened)
        guard let colored = leptonica.read(bytes, bytes.count) else {
            throw .picture(.damaged("its pixels cannot be decoded"))
        }
        // What is transparent is white, as on paper.
        let opaque = leptonica.remove_alpha(colored)
        leptonica.drop(colored)
        let gray = opaque.flatMap { leptonica.convert_to_8($0, 0) }
        leptonica.drop(opaque)
        guard let gray else { throw .memory }
        (self.leptonica, pixels) = (leptonica, gray)
    }

    init(_ leptonica: macrolog_leptonica, _ pixels: OpaquePointer?) throws(ScanError) {
        guard let pixels else { throw .memory }
        (self.leptonica, self.pixels) = (leptonica, pixels)
    }

    deinit { leptonica.drop(pixels) }

    /// Pixels in a row.
    package var width: Int { Int(leptonica.get_width(pixels)) }
    /// Rows.
    package var height: Int { Int(leptonica.get_height(pixels)) }

    /// A byte for each pixel, row by row: 0 is black.
    package var bytes: [UInt8] {
        let (width, height) = (width, height)
        let stride = Int(leptonica.get_words_per_line(pixels))
        guard let words = leptonica.get_data(pixels) else { return [] }
        return [UInt8](unsafeUninitializedCapacity: width * height) { bytes, count in
            for y in 0..<height {
                for x in 0..<width {
                    // The first pixel of a word is its highest byte.
                    let word = words[y * stride + x / 4]
                    bytes[y * width + x] = UInt8(truncatingIfNeeded: word >> UInt32(24 - x % 4 * 8))
                }
            }
            count = width * height
        }
    }

    /// The picture with other numbers of pixels.
    func scaled(_ factor: Float) throws(ScanError) -> GrayPicture {
        try GrayPicture(leptonica, leptonica.scale(pixels, factor, factor))
    }

    /// The picture with less noise: each pixel is the mean of nine.
    func smoothed() throws(ScanError) -> GrayPicture {
        try GrayPicture(leptonica, leptonica.mean(pixels, 1, 1))
    }

    /// The picture turned clockwise by a number of right angles, 0 to 3.
    func turned(_ quarters: Int32) throws(ScanError) -> GrayPicture {
        try GrayPicture(leptonica, leptonica.rotate_quarters(pixels, quarters))
    }

    /// The picture turned clockwise about its middle, with white corners.
    func turned(degrees: Float) throws(ScanError) -> GrayPicture {
        try GrayPicture(leptonica, leptonica.rotate(pixels, degrees * .pi / 180, 255))
    }

    /// The picture with lines of text that are level, if they were up to 7 degrees off.
    func levelled() throws(ScanError) -> GrayPicture {
        try GrayPicture(leptonica, leptonica.deskew(pixels, 0))
    }
}

extension macrolog_leptonica {
    fileprivate func drop(_ pixels: OpaquePointer?) {
        var pixels = pixels
        destroy(&pixels)
    }
}

/// Why a picture cannot be read.
public enum ScanError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is no picture, or a damaged one, or one with too many pixels.
    case picture(ImageError)
    /// Its format is decoded by no library that is used here.
    case heic
    case library(LibraryError)
    /// The text reader has no letters of English.
    case letters
    case memory

    static func library<Opened>(
        of opened: Result<Opened, LibraryError>
    ) throws(ScanError) -> Opened {
        do throws(LibraryError) { return try opened.get() } catch { throw .library(error) }
    }

    /// What happened.
    public var explanation: String {
        switch self {
        case .picture(let error): error.explanation
        case .heic: "a HEIC file cannot be read here"
        case .library(let error): error.explanation
        case .letters: "the reader of text, tesseract, has no letters of English"
        case .memory: "the memory is not enough for this picture"
        }
    }

    /// What a person can do about it.
    public var hint: String {
        switch self {
        case .picture(let error): error.hint
        case .heic:
            "save it as JPEG first, with heif-convert, or on an iPhone with Settings, Camera, "
                + "Formats, Most Compatible"
        case .library(let error): error.hint
        case .letters: "install them: sudo apt-get install tesseract-ocr-eng"
        case .memory: "make it smaller first"
        }
    }

    /// One line: what happened, and what to do.
    public var description: String { "\(explanation): \(hint)" }
}
