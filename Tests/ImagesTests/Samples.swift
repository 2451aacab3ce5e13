import MacrologImages

/// Small pictures made byte by byte, with everything in them that cameras and programs add.
enum Samples {
    /// Words that stand in every sample's metadata, and must be in no cleaned picture.
    static let traces = ["GPSTRACE", "SECRETNAME", "SERIALNO"]

    /// Stands for compressed pixels: a stuffed FF and a restart marker among them.
    static let pixels: [UInt8] = (0..<600).map { UInt8(($0 * 7) % 255) } + [0xFF, 0, 0xFF, 0xD3, 9]

    /// Exif data with an orientation and a place: TIFF, two entries, a directory of the place.
    static func exif(orientation: UInt8, isLittle: Bool = true) -> [UInt8] {
        func number(_ value: UInt32, _ bytes: Int) -> [UInt8] {
            let big = (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * (bytes - 1 - $0))) }
            return isLittle ? big.reversed() : big
        }
        func entry(_ tag: UInt32, _ type: UInt32, _ count: UInt32, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(count, 4) + value
        }
        let head: [UInt8] = isLittle ? [0x49, 0x49] : [0x4D, 0x4D]
        return head + number(42, 2) + number(8, 4) + number(2, 2)
            + entry(274, 3, 1, number(UInt32(orientation), 2) + [0, 0])
            + entry(0x8825, 4, 1, number(38, 4)) + number(0, 4)
            + number(1, 2) + entry(1, 2, 9, number(56, 4)) + number(0, 4)
            + Array("GPSTRACE\0SERIALNO".utf8)
    }

    // JPEG

    static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count + 2
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload
    }

    static let icc = segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1] + [7, 7, 7, 7])
    static let tables = segment(0xDB, [0] + [UInt8](repeating: 3, count: 64))
    static let frame = segment(0xC0, [8, 0, 120, 0, 160, 1, 1, 0x11, 0])
    static let adobe = segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1])
    static let scan = segment(0xDA, [1, 1, 0, 0, 63, 0]) + pixels

    /// 160 × 120, two scans, and a second picture after the end.
    static func jpeg(orientation: UInt8 = 6, isLittle: Bool = true) -> [UInt8] {
        [0xFF, 0xD8]
            + segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 0, 0, 72, 0, 72, 1, 1] + [1, 2, 3])
            + segment(
                0xE1, Array("Exif\0\0".utf8) + exif(orientation: orientation, isLittle: isLittle))
            + segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0<GPSTRACE/>".utf8))
            + segment(0xED, Array("Photoshop 3.0\0SECRETNAME".utf8)) + icc
            + segment(0xE2, Array("MPF\0SERIALNO".utf8)) + adobe
            + segment(0xFE, Array("SECRETNAME".utf8)) + tables + [0xFF, 0xFF] + frame + scan
            + segment(0xFE, Array("SECRETNAME".utf8)) + scan + [0xFF, 0xD9]
            + Array("GPSTRACE, a film after the picture".utf8)
    }

    /// What must be left of it.
    static func cleanJPEG(turned: [UInt8]) -> [UInt8] {
        [0xFF, 0xD8] + segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 0, 0, 72, 0, 72, 0, 0])
            + turned + icc + adobe + tables + frame + scan + scan + [0xFF, 0xD9]
    }

    // PNG

    static func chunk(_ name: String, _ payload: [UInt8]) -> [UInt8] {
        big(UInt32(payload.count)) + Array(name.utf8) + payload
            + big(checkSum(Array(name.utf8) + payload))
    }

    static func png(orientation: UInt8 = 8) -> [UInt8] {
        let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        return head + pngParts[0] + pngParts[1]
            + chunk("eXIf", exif(orientation: orientation))
            + chunk("tEXt", Array("Author\0SECRETNAME".utf8))
            + chunk("zTXt", Array("Comment\0\0SERIALNO".utf8))
            + chunk("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0GPSTRACE".utf8))
            + chunk("tIME", [7, 0xEA, 11, 20, 7, 40, 0]) + chunk("caMe", Array("SERIALNO".utf8))
            + pngParts[2] + pngParts[3] + pngParts[4] + Array("GPSTRACE".utf8)
    }

    /// Header, colours, two parts of the pixels, end.
    static let pngParts: [[UInt8]] = [
        chunk("IHDR", big(160) + big(120) + [8, 2, 0, 0, 0]),
        chunk("iCCP", Array("x\0\0".utf8) + [1, 2, 3]),
        chunk("IDAT", pixels), chunk("IDAT", pixels.reversed()), chunk("IEND", []),
    ]

    // WebP

    static func part(_ name: String, _ payload: [UInt8]) -> [UInt8] {
        Array(name.utf8) + big(UInt32(payload.count)).reversed() + payload
            + (payload.count % 2 == 1 ? [0] : [])
    }

    static func riff(_ parts: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + big(UInt32(parts.count + 4)).reversed() + Array("WEBP".utf8) + parts
    }

    static func extended(_ flags: UInt8) -> [UInt8] {
        part("VP8X", [flags, 0, 0, 0, 159, 0, 0, 119, 0, 0])
    }

    static let lossy = part(
        "VP8 ", [0x10, 0, 0, 0x9D, 0x01, 0x2A, 160, 0, 120, 0] + pixels)
    static let profile = part("ICCP", [9, 9, 9])

    static func webP(orientation: UInt8 = 3) -> [UInt8] {
        riff(
            extended(0x2C) + profile + part("SNAP", Array("SERIALNO".utf8)) + lossy
                + part("EXIF", exif(orientation: orientation))
                + part("XMP ", Array("<GPSTRACE/>".utf8))) + Array("SECRETNAME".utf8)
    }

    // HEIC

    static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        big(UInt32(content.count + 8)) + Array(name.utf8) + content
    }

    /// 4032 × 3024, with a small picture of 320 × 240 as another item.
    static let heic: [UInt8] =
        box("ftyp", Array("heic".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8))
        + box(
            "meta",
            [0, 0, 0, 0] + box("pitm", [0, 0, 0, 0, 0, 2])
                + box(
                    "iprp",
                    box(
                        "ipco",
                        box("ispe", [0, 0, 0, 0] + big(320) + big(240)) + box("hvcC", [1, 2])
                            + box("ispe", [0, 0, 0, 0] + big(4_032) + big(3_024)))
                        + box("ipma", [0, 0, 0, 0] + big(2) + [0, 1, 2, 1, 2, 0, 2, 2, 0x82, 3])))
        + box("mdat", Array("GPSTRACE".utf8))

    static let all: [[UInt8]] = [jpeg(), png(), webP(), heic]

    static func big(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    /// CRC-32 bit by bit, as its definition says.
    static func checkSum(_ bytes: [UInt8]) -> UInt32 {
        var value = ~UInt32(0)
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
        }
        return ~value
    }
}

extension [UInt8] {
    func contains(word: String) -> Bool {
        let word = Array(word.utf8)
        return indices.contains { self[$0...].starts(with: word) }
    }
}
