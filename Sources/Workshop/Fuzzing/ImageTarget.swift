/// Input: a file that may be a photo.
import MacrologImages

extension FuzzTarget {
    static let image = FuzzTarget("image", inputBytesMax: 4_096) { input in
        let header = try? ImageHeader.read(input)
        if let header {
            try promise(
                header.format == ImageFormat(magic: input),
                "a format is detected by its magic bytes")
            try promise(
                header.width > 0 && header.height > 0
                    && header.width * header.height <= ImageHeader.pixelsMax,
                "a picture has pixels, and not too many")
        }
        guard let clean = try? CleanImage(cleaning: input) else { return }
        try promise(header == clean.header, "what can be cleaned has a header, and keeps it")
        try promise(
            (try? ImageHeader.read(clean.bytes)) == header,
            "a clean picture says the same of itself")
        try promise(
            (try? CleanImage(cleaning: clean.bytes)) == clean, "a clean picture is clean already")
        try promise(clean.bytes.count <= input.count + 64, "cleaning adds next to nothing")
    }
}
