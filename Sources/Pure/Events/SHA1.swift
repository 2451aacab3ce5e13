/// SHA-1 (FIPS 180-4), only for version 5 UUIDs. No security depends on it.
enum SHA1 {
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var padded = message
        padded.append(0x80)
        while padded.count % 64 != 56 { padded.append(0) }
        let bits = UInt64(message.count) * 8
        for shift in stride(from: 56, through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        for block in stride(from: 0, to: padded.count, by: 64) {
            compress(&state, padded[block..<block + 64])
        }
        return state.flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
        }
    }

    private static func compress(_ state: inout [UInt32], _ block: ArraySlice<UInt8>) {
        var words = [UInt32](repeating: 0, count: 80)
        for index in 0..<64 {
            words[index / 4] = words[index / 4] << 8 | UInt32(block[block.startIndex + index])
        }
        for index in 16..<80 {
            let mixed =
                words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
            words[index] = mixed << 1 | mixed >> 31
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for index in 0..<80 {
            let (choice, constant): (UInt32, UInt32) =
                switch index {
                case 0..<20: (b & c | ~b & d, 0x5A82_7999)
                case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case 40..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = (a << 5 | a >> 27) &+ choice &+ e &+ constant &+ words[index]
            (e, d, c, b, a) = (d, c, b << 30 | b >> 2, a, next)
        }
        for (index, word) in [a, b, c, d, e].enumerated() { state[index] = state[index] &+ word }
    }
}
