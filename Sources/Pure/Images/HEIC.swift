/// HEIC: boxes in boxes (ISO/IEC 14496-12), of which only the size of the picture is read
/// (ISO/IEC 23008-12).
enum HEIC {
    /// Whether a file's type says HEVC pictures.
    static func isHEIC(_ bytes: [UInt8]) -> Bool {
        guard let size = bytes.big32(0), size >= 16, Int64(size) <= Int64(bytes.count) else {
            return false
        }
        // The major brand, then a version, then the others.
        for offset in stride(from: 8, to: Int(size) - 3, by: 4) where offset != 12 {
            for brand in ["heic", "heix", "heim", "heis", "hevc", "hevx"] as [StaticString]
            where bytes.has(brand, at: offset) {
                return true
            }
        }
        return false
    }

    /// The size of the primary picture.
    static func header(_ bytes: [UInt8]) throws(ImageError) -> ImageHeader {
        guard let meta = Box.find("meta", bytes, 0..<bytes.count)?.dropFirst(4),
            let properties = Box.find("iprp", bytes, meta),
            let container = Box.find("ipco", bytes, properties),
            let associations = Box.find("ipma", bytes, properties),
            let primary = Box.find("pitm", bytes, meta).flatMap({ item($0, bytes) })
        else { throw .damaged("it does not say which picture is shown") }
        let places = Self.places(of: primary, associations, bytes)
        var (offset, place) = (container.lowerBound, 1)
        while let box = Box(bytes, at: offset, end: container.upperBound) {
            if places.contains(place), box.isNamed("ispe", bytes), box.content.count >= 12,
                let width = bytes.big32(box.content.lowerBound + 4),
                let height = bytes.big32(box.content.lowerBound + 8)
            {
                return try ImageHeader(.heic, width: Int64(width), height: Int64(height))
            }
            (offset, place) = (box.content.upperBound, place + 1)
        }
        throw .damaged("it does not say its size")
    }

    /// The number of the item that a `pitm` box names.
    private static func item(_ content: Range<Int>, _ bytes: [UInt8]) -> UInt32? {
        guard content.count >= 6 else { return nil }
        let isShort = bytes[content.lowerBound] == 0
        if isShort { return bytes.big16(content.lowerBound + 4).map { UInt32($0) } }
        return content.count >= 8 ? bytes.big32(content.lowerBound + 4) : nil
    }

    /// Which properties an `ipma` box gives to an item: their places in `ipco`, from 1.
    private static func places(
        of item: UInt32, _ content: Range<Int>, _ bytes: [UInt8]
    ) -> [Int] {
        guard content.count >= 8, let count = bytes.big32(content.lowerBound + 4) else { return [] }
        let (idBytes, placeBytes) = (
            bytes[content.lowerBound] == 0 ? 2 : 4, bytes[content.lowerBound + 3] & 1 == 0 ? 1 : 2
        )
        var offset = content.lowerBound + 8
        for _ in 0..<count {
            guard content.upperBound - offset > idBytes else { return [] }
            let id = idBytes == 2 ? bytes.big16(offset).map { UInt32($0) } : bytes.big32(offset)
            let places = Int(bytes[offset + idBytes])
            offset += idBytes + 1
            guard places * placeBytes <= content.upperBound - offset else { return [] }
            if id == item {
                return (0..<places).map { index in
                    placeBytes == 1
                        ? Int(bytes[offset + index] & 0x7F)
                        : (bytes.big16(offset + index * 2) ?? 0) & 0x7FFF
                }
            }
            offset += places * placeBytes
        }
        return []
    }
}

private struct Box {
    private let name: Int
    let content: Range<Int>

    /// The box at a place; `nil` where none fits.
    init?(_ bytes: [UInt8], at offset: Int, end: Int) {
        guard end - offset >= 8, let small = bytes.big32(offset) else { return nil }
        name = offset + 4
        var (size, head) = (Int64(small), 8)
        if small == 0 {
            size = Int64(end - offset)
        } else if small == 1 {
            guard end - offset >= 16, let high = bytes.big32(offset + 8), high == 0,
                let low = bytes.big32(offset + 12)
            else { return nil }
            (size, head) = (Int64(low), 16)
        }
        guard size >= Int64(head), size <= Int64(end - offset) else { return nil }
        content = offset + head..<offset + Int(size)
    }

    func isNamed(_ letters: StaticString, _ bytes: [UInt8]) -> Bool { bytes.has(letters, at: name) }

    /// The content of the first box of a name.
    static func find(
        _ letters: StaticString, _ bytes: [UInt8], _ range: Range<Int>
    ) -> Range<Int>? {
        var offset = range.lowerBound
        while let box = Box(bytes, at: offset, end: range.upperBound) {
            if box.isNamed(letters, bytes) { return box.content }
            offset = box.content.upperBound
        }
        return nil
    }
}
