/// A seeded random number generator (SplitMix64; S. Vigna, 2015), so that a failing run can be
/// repeated. The same seed gives the same numbers on every machine.
package struct Dice: RandomNumberGenerator, Sendable {
    @usableFromInline
    var state: UInt64

    @inlinable
    package init(seed: UInt64) { state = seed }

    @inlinable
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A uniformly distributed number in a range.
    @inlinable
    package mutating func roll(_ range: ClosedRange<Int64>) -> Int64 {
        Int64.random(in: range, using: &self)
    }

    /// A uniformly distributed number from 0 to `limit - 1`.
    @inlinable
    package mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    /// True with a probability of `chance` percent.
    @inlinable
    package mutating func percent(_ chance: Int64) -> Bool { roll(1...100) <= chance }

    /// A random element; `nil` if there is none.
    @inlinable
    package mutating func pick<Element>(_ choices: [Element]) -> Element? {
        choices.isEmpty ? nil : choices[below(choices.count)]
    }

    /// Random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
