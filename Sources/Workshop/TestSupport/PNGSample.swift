/// A PNG file of any size whose pixels mean nothing: whole chunks with right check sums.
package enum PNGSample {
    package static func file(
        width: UInt32 = 1_200, height: UInt32 = 630, pixels: [UInt8] = [1, 2, 3],
        more: [UInt8] = []
    ) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", big(width) + big(height) + [8, 2, 0, 0, 0]) + more
            + chunk("IDAT", pixels) + chunk("IEND", [])
    }

    /// Its length, its name, what it holds, and the check sum of both.
    package static func chunk(_ name: String, _ payload: [UInt8]) -> [UInt8] {
        let content = Array(name.utf8) + payload
        return big(UInt32(payload.count)) + content + big(sum(content))
    }

    static func big(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// CRC-32 as in ISO/IEC 15948, bit by bit.
    private static func sum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
