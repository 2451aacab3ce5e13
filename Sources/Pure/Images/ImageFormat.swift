/// Which kinds of picture are known, by the bytes that they begin with and not by their names.
public enum ImageFormat: Hashable, Sendable {
    /// ISO/IEC 10918.
    case jpeg
    /// ISO/IEC 15948.
    case png
    /// RFC 9649.
    case webP
    /// ISO/IEC 23008-12, as phones write it.
    case heic

    /// The format of a file that begins so; `nil` for every other.
    package init?(magic bytes: [UInt8]) {
        if bytes.has([0xFF, 0xD8, 0xFF], at: 0) {
            self = .jpeg
        } else if bytes.has(PNG.signature, at: 0) {
            self = .png
        } else if bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) {
            self = .webP
        } else if bytes.has("ftyp", at: 4), HEIC.isHEIC(bytes) {
            self = .heic
        } else {
            return nil
        }
    }

    /// The media type, such as `image/jpeg`.
    public var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .webP: "image/webp"
        case .heic: "image/heic"
        }
    }
}

/// The facts from a picture's header, read without decoding pixels.
public struct ImageHeader: Hashable, Sendable {
    /// The format.
    public let format: ImageFormat
    /// Pixels in a row, as they are stored: before any turning that the orientation asks for.
    public let width: Int64
    /// Rows.
    public let height: Int64

    /// The maximum number of pixels of a picture. Decoding needs four bytes for each.
    package static let pixelsMax: Int64 = 50_000_000

    init(_ format: ImageFormat, width: Int64, height: Int64) throws(ImageError) {
        guard width > 0, height > 0 else { throw .damaged("it has no pixels") }
        // Neither is above 2^32, so their product is a number.
        guard width <= Self.pixelsMax, height <= Self.pixelsMax, width * height <= Self.pixelsMax
        else { throw .tooManyPixels(width: width, height: height) }
        self.format = format
        self.width = width
        self.height = height
    }

    /// Reads the header.
    ///
    /// - Throws: ``ImageError`` where the bytes are no picture of a known format, where its header
    ///   is damaged, or where it has more pixels than a photo may have.
    package static func read(_ bytes: [UInt8]) throws(ImageError) -> ImageHeader {
        switch ImageFormat(magic: bytes) {
        case .jpeg: try JPEG.header(bytes)
        case .png: try PNG.header(bytes)
        case .webP: try WebP.header(bytes)
        case .heic: try HEIC.header(bytes)
        case nil: throw .unknown
        }
    }
}

/// Why a file is refused as a photo.
public enum ImageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No format that is known.
    case unknown
    /// The file ends early, or contradicts itself; the words say where.
    case damaged(String)
    /// More pixels than a photo may have.
    case tooManyPixels(width: Int64, height: Int64)
    /// A HEIC file: its location can't be removed here.
    case heic(width: Int64, height: Int64)

    /// The problem.
    public var explanation: String {
        switch self {
        case .unknown: "it is not a photo"
        case .damaged(let why): "the photo is damaged: \(why)"
        case .tooManyPixels(let width, let height):
            "the photo has \(width) × \(height) pixels, which is too many"
        case .heic(let width, let height):
            "the photo (HEIC, \(width) × \(height)) may contain the place where it was taken, and "
                + "that cannot be removed from HEIC here"
        }
    }

    /// What to do about it.
    public var hint: String {
        switch self {
        case .unknown: "take a JPEG, a PNG or a WebP file"
        case .damaged: "copy it from the camera once more"
        case .tooManyPixels: "make it smaller first"
        case .heic:
            "save it as JPEG first, with heif-convert, or on an iPhone with Settings, Camera, "
                + "Formats, Most Compatible"
        }
    }

    /// The problem, and what to do.
    public var description: String { "\(explanation): \(hint)" }
}
