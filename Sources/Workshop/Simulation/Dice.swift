/// A seeded random number generator (SplitMix64; S. Vigna, 2015), so that a failing run can be
/// repeated.
package struct Dice: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A uniformly distributed number in a range.
    package mutating func roll(_ range: ClosedRange<Int64>) -> Int64 {
        Int64.random(in: range, using: &self)
    }

    /// True with a probability of `chance` percent.
    package mutating func percent(_ chance: Int64) -> Bool { roll(1...100) <= chance }

    /// A random element; `nil` if there is none.
    package mutating func pick<Element>(_ choices: [Element]) -> Element? {
        choices.isEmpty ? nil : choices[Int(roll(0...Int64(choices.count - 1)))]
    }
}
