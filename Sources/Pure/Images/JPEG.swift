/// JPEG: segments between markers (ISO/IEC 10918-1, annex B).
enum JPEG {
    static func header(_ bytes: [UInt8]) throws(ImageError) -> ImageHeader {
        var walk = Walk(bytes)
        while let segment = try walk.next() {
            if let header = try segment.frame(bytes) { return header }
            if segment.marker == Marker.scan { break }
        }
        throw .damaged("no size before its pixels")
    }

    /// The picture without anything that is not one.
    static func cleaned(_ bytes: [UInt8]) throws(ImageError) -> (ImageHeader, [UInt8]) {
        var header: ImageHeader?
        var orientation: Orientation?
        // A JFIF segment must be first and an Exif segment next; this file may have both after
        // others.
        var (jfif, body) = ([UInt8](), [UInt8]())
        body.reserveCapacity(bytes.count)
        var hasPixels = false
        var walk = Walk(bytes)
        while let segment = try walk.next() {
            if let found = try segment.frame(bytes) {
                guard header == nil else { throw .damaged("it has two sizes") }
                header = found
            }
            switch segment.marker {
            case Marker.app0:
                if jfif.isEmpty { jfif = segment.jfif(bytes) }
            case Marker.app1:
                if orientation == nil { orientation = segment.orientation(bytes) }
            case Marker.app2 where bytes.has("ICC_PROFILE\0", at: segment.payload.lowerBound):
                body += bytes[segment.whole]
            case Marker.app14 where segment.isAdobe(bytes):
                // How the colours are coded; without it they are wrong.
                body += [0xFF, Marker.app14, 0, 14] + bytes[segment.payload.prefix(12)]
            case Marker.applications, Marker.comment: continue
            case Marker.scan:
                guard header != nil else { throw .damaged("no size before its pixels") }
                hasPixels = true
                body += bytes[segment.whole]
            default: body += bytes[segment.whole]
            }
        }
        guard let header, hasPixels else { throw .damaged("it has no pixels") }
        var clean: [UInt8] = [0xFF, Marker.start] + jfif
        if let orientation {
            let tiff = orientation.tiff
            clean += [0xFF, Marker.app1]
            clean.append(big16: 2 + exif.count + tiff.count)
            clean += exif + tiff
        }
        return (header, clean + body + [0xFF, Marker.end])
    }

    static let exif = [UInt8]("Exif\0\0".utf8)
}

private enum Marker {
    static let start: UInt8 = 0xD8
    static let end: UInt8 = 0xD9
    static let scan: UInt8 = 0xDA
    static let comment: UInt8 = 0xFE
    static let app0: UInt8 = 0xE0
    static let app1: UInt8 = 0xE1
    static let app2: UInt8 = 0xE2
    static let app14: UInt8 = 0xEE
    static let applications: ClosedRange<UInt8> = 0xE0...0xEF

    /// Frame headers: C0 to CF, without those that are tables (C4, CC) or reserved (C8).
    static func isFrame(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
    }

    /// Markers with a length that a decoder knows.
    static func isKnown(_ marker: UInt8) -> Bool {
        marker >= 0xC0 && marker != 0xC8 && !(0xF0...0xFD).contains(marker)
    }
}

/// One segment, from its marker to its end; a scan extends to the next marker.
private struct Segment {
    let marker: UInt8
    let whole: Range<Int>
    /// The bytes after the length.
    let payload: Range<Int>

    /// The contents of a frame header; `nil` for every other segment.
    func frame(_ bytes: [UInt8]) throws(ImageError) -> ImageHeader? {
        guard Marker.isFrame(marker) else { return nil }
        guard payload.count >= 6, let height = bytes.big16(payload.lowerBound + 1),
            let width = bytes.big16(payload.lowerBound + 3)
        else { throw .damaged("its size is cut off") }
        return try ImageHeader(.jpeg, width: Int64(width), height: Int64(height))
    }

    /// The segment that says JFIF, without its small picture; empty for another.
    func jfif(_ bytes: [UInt8]) -> [UInt8] {
        guard payload.count >= 14, bytes.has("JFIF\0", at: payload.lowerBound) else { return [] }
        return [0xFF, Marker.app0, 0, 16] + bytes[payload.prefix(12)] + [0, 0]
    }

    func orientation(_ bytes: [UInt8]) -> Orientation? {
        guard bytes.has(JPEG.exif, at: payload.lowerBound), payload.count >= JPEG.exif.count
        else { return nil }
        return Orientation(tiff: bytes[payload.dropFirst(JPEG.exif.count)])
    }

    func isAdobe(_ bytes: [UInt8]) -> Bool {
        payload.count >= 12 && bytes.has("Adobe", at: payload.lowerBound)
    }
}

/// Iterates over the segments up to the end of the picture. Bytes after that (a second picture, a
/// film) are not part of it.
private struct Walk {
    private let bytes: [UInt8]
    private var offset = 2
    private var isDone = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next segment; `nil` at the end.
    mutating func next() throws(ImageError) -> Segment? {
        if isDone { return nil }
        guard offset < bytes.count, bytes[offset] == 0xFF else {
            throw .damaged("a marker is missing at byte \(offset)")
        }
        // A marker may have more than one FF before it.
        while offset < bytes.count, bytes[offset] == 0xFF { offset += 1 }
        guard offset < bytes.count else { throw .damaged("it ends early") }
        let marker = bytes[offset]
        offset += 1
        if marker == Marker.end {
            isDone = true
            return nil
        }
        guard Marker.isKnown(marker), !(0xD0...0xD8).contains(marker),
            let length = bytes.big16(offset), length >= 2, length <= bytes.count - offset
        else { throw .damaged("a part at byte \(offset) does not fit") }
        // One FF is enough.
        let start = offset - 2
        let payload = offset + 2..<offset + length
        offset += length
        if marker == Marker.scan { try skipPixels() }
        return Segment(marker: marker, whole: start..<offset, payload: payload)
    }

    /// Goes to the next marker that is none of the pixels' own: FF 00 is a byte FF, and D0 to D7
    /// let a decoder find its place again.
    private mutating func skipPixels() throws(ImageError) {
        while offset < bytes.count - 1 {
            guard bytes[offset] == 0xFF else {
                offset += 1
                continue
            }
            let next = bytes[offset + 1]
            if next == 0 || (0xD0...0xD7).contains(next) {
                offset += 2
            } else if next == 0xFF {
                offset += 1
            } else {
                return
            }
        }
        throw .damaged("it ends early")
    }
}
