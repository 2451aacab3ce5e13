/// A picture that says nothing but itself: every pixel as it was, and none of what cameras and
/// programs add: place, time, names, serial numbers, comments, small copies of an uncut picture.
///
/// What is kept is listed, and all else goes, so that metadata nobody has heard of goes too. Kept
/// are the colours (ICC profiles and their like), how to turn the picture, and animation. The
/// compressed pixels are copied byte for byte; nothing is compressed anew.
public struct CleanImage: Hashable, Sendable {
    /// What the header says.
    public let header: ImageHeader
    /// The whole file.
    public let bytes: [UInt8]

    /// Takes everything out of a file that is not the picture.
    ///
    /// Memory stays within the size of the file and a few hundred bytes, whatever the file claims.
    ///
    /// - Throws: ``ImageError``. A HEIC file is always refused: its metadata lies between its
    ///   pixels.
    public init(cleaning bytes: [UInt8]) throws(ImageError) {
        switch ImageFormat(magic: bytes) {
        case .jpeg: (header, self.bytes) = try JPEG.cleaned(bytes)
        case .png: (header, self.bytes) = try PNG.cleaned(bytes)
        case .webP: (header, self.bytes) = try WebP.cleaned(bytes)
        case .heic:
            let header = try HEIC.header(bytes)
            throw .heic(width: header.width, height: header.height)
        case nil: throw .unknown
        }
    }
}
