/// Bodies that have broken decoders before: none, one, equal, wild, and large.
let samples: [[UInt8]] = [
    [], [0], Array("oats 60 g".utf8), [UInt8](repeating: 7, count: 300_000), noise(1_000),
    noise(200_000),
]

/// Bytes that do not compress, the same in every run (splitmix64, seed 1).
func noise(_ count: Int) -> [UInt8] {
    var state: UInt64 = 1
    return (0..<count).map { _ in
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return UInt8(truncatingIfNeeded: mixed ^ (mixed >> 31))
    }
}
