/// How a picture is to be turned: the one thing in Exif data that belongs to the picture.
struct Orientation: Hashable {
    /// 1 to 8, as TIFF 6.0 counts them; 1 is upright.
    let number: UInt8

    /// Reads the orientation from TIFF data (Exif data after its name); `nil` if none is given or
    /// it is upright.
    ///
    /// Only the first directory is read. Invalid data gives `nil`.
    init?(tiff bytes: ArraySlice<UInt8>) {
        let start = bytes.startIndex
        func byte(_ offset: Int) -> Int? {
            offset >= 0 && offset < bytes.count ? Int(bytes[start + offset]) : nil
        }
        let isLittle = byte(0) == 0x49 && byte(1) == 0x49
        guard isLittle || byte(0) == 0x4D && byte(1) == 0x4D else { return nil }
        func number16(_ offset: Int) -> Int? {
            guard let first = byte(offset), let second = byte(offset + 1) else { return nil }
            return isLittle ? second << 8 | first : first << 8 | second
        }
        guard number16(2) == 42, let high = number16(isLittle ? 6 : 4),
            let low = number16(isLittle ? 4 : 6), high < 0x100
        else { return nil }
        let directory = high << 16 | low
        guard let count = number16(directory) else { return nil }
        for index in 0..<count {
            let entry = directory + 2 + index * 12
            guard let tag = number16(entry) else { return nil }
            // Tag 274 is a SHORT (type 3), alone.
            guard tag == 274, number16(entry + 2) == 3 else { continue }
            guard let value = number16(entry + 8), (2...8).contains(value) else { return nil }
            number = UInt8(value)
            return
        }
        return nil
    }

    /// TIFF data with only this orientation: 26 bytes.
    var tiff: [UInt8] {
        [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]  // big-endian, the directory follows
            + [0, 1]  // one entry
            + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, number, 0, 0]
            + [0, 0, 0, 0]  // no other directory
    }
}
