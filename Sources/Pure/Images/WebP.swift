/// WebP: chunks in a RIFF file (RFC 9649).
enum WebP {
    static func header(_ bytes: [UInt8]) throws(ImageError) -> ImageHeader {
        var chunks = Chunks(bytes, try file(bytes))
        guard let first = try chunks.next(), let header = try header(first, bytes) else {
            throw .damaged("it does not begin with its size")
        }
        return header
    }

    /// The picture without anything that is not one.
    static func cleaned(_ bytes: [UInt8]) throws(ImageError) -> (ImageHeader, [UInt8]) {
        let header = try header(bytes)
        var clean = [UInt8]("RIFF\0\0\0\0WEBP".utf8)
        clean.reserveCapacity(bytes.count)
        var (flags, hasPixels): (Int?, Bool) = (nil, false)
        var orientation: Orientation?
        var chunks = Chunks(bytes, try file(bytes))
        while let chunk = try chunks.next() {
            switch chunk.name {
            case Name.extended:
                guard flags == nil, clean.count == 12 else { throw .damaged("it begins twice") }
                flags = clean.count + 8
                clean += bytes[chunk.whole]
            case Name.lossy, Name.lossless:
                hasPixels = true
                clean += bytes[chunk.whole]
            case Name.frame:
                hasPixels = true
                clean += try frame(chunk, bytes)
            case Name.alpha, Name.profile, Name.animation: clean += bytes[chunk.whole]
            case Name.exif where orientation == nil:
                let named = bytes.has(JPEG.exif, at: chunk.payload.lowerBound)
                let tiff = chunk.payload.dropFirst(named ? JPEG.exif.count : 0)
                orientation = Orientation(tiff: bytes[tiff])
            default: continue
            }
        }
        guard hasPixels else { throw .damaged("it has no pixels") }
        if let flags {
            // Bits 2 and 3 say that XMP and Exif data follow.
            clean[flags] &= ~0x0C
            if let orientation {
                clean[flags] |= 0x08
                clean += made(Name.exif, orientation.tiff)
            }
        }
        let size = UInt32(clean.count - 8)
        for index in 0..<4 { clean[4 + index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
        return (header, clean)
    }

    /// The range of the chunks; bytes after the end of the RIFF file are not part of it.
    private static func file(_ bytes: [UInt8]) throws(ImageError) -> Range<Int> {
        guard let size = bytes.little32(4), size >= 4, Int64(size) <= Int64(bytes.count - 8)
        else { throw .damaged("it ends early") }
        return 12..<8 + Int(size)
    }

    private static func header(
        _ chunk: Chunk, _ bytes: [UInt8]
    ) throws(ImageError) -> ImageHeader? {
        let start = chunk.payload.lowerBound
        func little(_ offset: Int, _ count: Int) -> Int64 {
            (0..<count).reduce(0) { $0 | Int64(bytes[start + offset + $1]) << (8 * $1) }
        }
        switch chunk.name {
        case Name.extended where chunk.payload.count >= 10:
            return try ImageHeader(.webP, width: little(4, 3) + 1, height: little(7, 3) + 1)
        // RFC 6386 §9.1: three bytes of a frame's tag, three of a start code, two sizes of 14 bits.
        case Name.lossy
        where chunk.payload.count >= 10 && bytes.has([0x9D, 0x01, 0x2A], at: start + 3):
            return try ImageHeader(
                .webP, width: little(6, 2) & 0x3FFF, height: little(8, 2) & 0x3FFF)
        // RFC 9649 §3.4: a signature, then two sizes of 14 bits, less one each.
        case Name.lossless where chunk.payload.count >= 5 && bytes[start] == 0x2F:
            let bits = little(1, 4)
            return try ImageHeader(
                .webP, width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
        default: return nil
        }
    }

    /// A frame of an animation, without chunks other than its pixels.
    private static func frame(_ chunk: Chunk, _ bytes: [UInt8]) throws(ImageError) -> [UInt8] {
        guard chunk.payload.count >= 16 else { throw .damaged("a frame is cut off") }
        var payload = Array(bytes[chunk.payload.prefix(16)])
        var parts = Chunks(bytes, chunk.payload.lowerBound + 16..<chunk.payload.upperBound)
        while let part = try parts.next() {
            if [Name.alpha, Name.lossy, Name.lossless].contains(part.name) {
                payload += bytes[part.whole]
            }
        }
        return made(Name.frame, payload)
    }

    private static func made(_ name: UInt32, _ payload: [UInt8]) -> [UInt8] {
        var chunk: [UInt8] = []
        chunk.append(big32: name)
        chunk.append(little32: UInt32(payload.count))
        chunk += payload
        if payload.count % 2 == 1 { chunk.append(0) }
        return chunk
    }
}

private enum Name {
    static let extended: UInt32 = 0x5650_3858  // VP8X
    static let lossy: UInt32 = 0x5650_3820  // VP8 and a space
    static let lossless: UInt32 = 0x5650_384C  // VP8L
    static let frame: UInt32 = 0x414E_4D46  // ANMF
    static let animation: UInt32 = 0x414E_494D  // ANIM
    static let alpha: UInt32 = 0x414C_5048  // ALPH
    static let profile: UInt32 = 0x4943_4350  // ICCP
    static let exif: UInt32 = 0x4558_4946  // EXIF
}

private struct Chunk {
    let name: UInt32
    /// Up to where the next one begins.
    let whole: Range<Int>
    let payload: Range<Int>
}

/// Goes from chunk to chunk within a part of the file.
private struct Chunks {
    private let bytes: [UInt8]
    private var offset: Int
    private let end: Int

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    mutating func next() throws(ImageError) -> Chunk? {
        guard offset < end else { return nil }
        guard end - offset >= 8, let name = bytes.big32(offset),
            let size = bytes.little32(offset + 4), Int64(size) <= Int64(end - offset - 8)
        else { throw .damaged("a part at byte \(offset) does not fit") }
        let start = offset
        let payload = start + 8..<start + 8 + Int(size)
        // A chunk of odd length is followed by a padding byte; the last may lack it.
        offset = min(end, payload.upperBound + Int(size & 1))
        return Chunk(name: name, whole: start..<offset, payload: payload)
    }
}
