import MacrologTestSupport

/// Bodies that have broken decoders before: none, one, equal, wild, and large.
let samples: [[UInt8]] = [
    [], [0], Array("oats 60 g".utf8), [UInt8](repeating: 7, count: 300_000), noise(1_000),
    noise(200_000),
]

/// Bytes that do not compress, the same in every run (splitmix64, seed 1).
func noise(_ count: Int) -> [UInt8] {
    var dice = Dice(seed: 1)
    return dice.bytes(count)
}
