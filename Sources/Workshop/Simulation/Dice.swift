/// Chance from one number (SplitMix64; S. Vigna, 2015), so that a failing run can be played again.
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

    /// A number of a range, all equally likely.
    package mutating func roll(_ range: ClosedRange<Int64>) -> Int64 {
        Int64.random(in: range, using: &self)
    }

    /// True in so many of a hundred throws.
    package mutating func percent(_ chance: Int64) -> Bool { roll(1...100) <= chance }

    /// One of some things; `nil` of none.
    package mutating func pick<Element>(_ choices: [Element]) -> Element? {
        choices.isEmpty ? nil : choices[Int(roll(0...Int64(choices.count - 1)))]
    }
}
