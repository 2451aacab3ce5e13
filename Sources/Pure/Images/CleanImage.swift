/// A picture without metadata: every pixel is unchanged, and what cameras and programs add is
/// removed: place, time, names, serial numbers, comments, thumbnails of the uncropped picture.
///
/// An allow list says what is kept, so unknown metadata is removed too. Kept are the colours (ICC
/// profiles and similar), the orientation, and animation. The compressed pixels are copied byte for
/// byte; nothing is recompressed.
package struct CleanImage: Hashable, Sendable {
    /// The facts from the header.
    package let header: ImageHeader
    /// The whole file.
    package let bytes: [UInt8]

    /// Takes everything out of a file that is not the picture.
    ///
    /// Memory is bounded by the size of the file and a few hundred bytes, with any contents of the
    /// file.
    ///
    /// - Throws: ``ImageError``. A HEIC file is always refused: its metadata lies between its
    ///   pixels.
    package init(cleaning bytes: [UInt8]) throws(ImageError) {
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
