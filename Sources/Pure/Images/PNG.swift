/// PNG: chunks with a check sum each (ISO/IEC 15948, and the third edition of the W3C).
enum PNG {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func header(_ bytes: [UInt8]) throws(ImageError) -> ImageHeader {
        var walk = Walk(bytes)
        guard let first = try walk.next() else { throw .damaged("it is empty") }
        return try header(first, bytes)
    }

    /// The picture without anything that is not one.
    static func cleaned(_ bytes: [UInt8]) throws(ImageError) -> (ImageHeader, [UInt8]) {
        var header: ImageHeader?
        var (clean, hasPixels) = (signature, false)
        clean.reserveCapacity(bytes.count)
        var hasOrientation = false
        var walk = Walk(bytes)
        while let chunk = try walk.next() {
            if header == nil { header = try Self.header(chunk, bytes) }
            guard chunk.isWhole(bytes) else {
                throw .damaged("the check sum at byte \(chunk.whole.lowerBound) is wrong")
            }
            if chunk.name == Chunk.pixels { hasPixels = true }
            if chunk.name == Chunk.end {
                // It has no content, whatever a file says.
                clean += Chunk.made(Chunk.end, [])
            } else if kept.contains(chunk.name) {
                clean += bytes[chunk.whole]
            } else if chunk.name == Chunk.exif, !hasOrientation {
                guard let orientation = Orientation(tiff: bytes[chunk.payload]) else { continue }
                hasOrientation = true
                clean += Chunk.made(Chunk.exif, orientation.tiff)
            } else if chunk.isNecessary {
                throw .damaged("a part at byte \(chunk.whole.lowerBound) is of no known kind")
            }
            if chunk.name == Chunk.end { break }
        }
        guard let header, hasPixels else { throw .damaged("it has no pixels") }
        return (header, clean)
    }

    private static func header(
        _ first: Chunk, _ bytes: [UInt8]
    ) throws(ImageError) -> ImageHeader {
        guard first.name == Chunk.header, first.payload.count == 13,
            let width = bytes.big32(first.payload.lowerBound),
            let height = bytes.big32(first.payload.lowerBound + 4)
        else { throw .damaged("it does not begin with its size") }
        return try ImageHeader(.png, width: Int64(width), height: Int64(height))
    }

    /// Pixels, palette, transparency, colours, density and animation.
    private static let kept: [UInt32] = [
        "IHDR", "PLTE", "IDAT", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV",
        "cLLI",
        "bKGD", "hIST", "pHYs", "sPLT", "acTL", "fcTL", "fdAT",
    ].map { Chunk.name($0) }
}

private struct Chunk {
    static let header = name("IHDR")
    static let pixels = name("IDAT")
    static let end = name("IEND")
    static let exif = name("eXIf")

    let name: UInt32
    let whole: Range<Int>
    let payload: Range<Int>

    static func name(_ letters: StaticString) -> UInt32 {
        precondition(letters.utf8CodeUnitCount == 4, "a chunk's name has four letters")
        return (0..<4).reduce(0) { $0 << 8 | UInt32(letters.utf8Start[$1]) }
    }

    /// Whether the name begins with a capital letter: a decoder cannot show the picture without
    /// this chunk.
    var isNecessary: Bool { name >> 24 & 0x20 == 0 }

    /// Whether the check sum, over name and payload, is right.
    func isWhole(_ bytes: [UInt8]) -> Bool {
        bytes.big32(payload.upperBound)
            == CRC32.of(bytes[whole.lowerBound + 4..<payload.upperBound])
    }

    static func made(_ name: UInt32, _ payload: [UInt8]) -> [UInt8] {
        var chunk: [UInt8] = []
        chunk.append(big32: UInt32(payload.count))
        chunk.append(big32: name)
        chunk += payload
        chunk.append(big32: CRC32.of(chunk[4...]))
        return chunk
    }
}

/// Goes from chunk to chunk.
private struct Walk {
    private let bytes: [UInt8]
    private var offset = PNG.signature.count

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next chunk. There is one: a picture ends with the chunk that says so.
    mutating func next() throws(ImageError) -> Chunk? {
        guard let length = bytes.big32(offset), let name = bytes.big32(offset + 4) else {
            throw .damaged("it ends early")
        }
        let room = bytes.count - offset - 12
        guard room >= 0, length <= 0x7FFF_FFFF, Int64(length) <= Int64(room) else {
            throw .damaged("a part at byte \(offset) does not fit")
        }
        let start = offset
        offset += 12 + Int(length)
        return Chunk(
            name: name, whole: start..<offset, payload: start + 8..<start + 8 + Int(length))
    }
}
