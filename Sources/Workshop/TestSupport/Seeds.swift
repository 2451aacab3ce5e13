import Foundation

/// Which seeds a run plays: from `MACROLOG_TEST_SEED_BASE` on, `MACROLOG_TEST_SEEDS` of them.
extension Dice {
    /// The first seed; 1 unless another is set.
    package static var firstSeed: UInt64 { number("MACROLOG_TEST_SEED_BASE") ?? 1 }

    /// The seeds of a test.
    ///
    /// - Parameter usual: How many, unless another number is set.
    package static func seeds(_ usual: UInt64) -> Range<UInt64> {
        firstSeed..<firstSeed + (number("MACROLOG_TEST_SEEDS") ?? usual)
    }

    /// Dice whose seed is new in every run, unless one is set. It is printed at once, because a trap
    /// prints nothing.
    package static func fresh(_ what: String) -> Dice {
        let seed = number("MACROLOG_TEST_SEED_BASE") ?? .random(in: 0..<1 << 32)
        FileHandle.standardError.write(Data("\(what): MACROLOG_TEST_SEED_BASE=\(seed)\n".utf8))
        return Dice(seed: seed)
    }

    /// The number that a variable of the environment is set to; `nil` if it is not set.
    package static func number(_ variable: String) -> UInt64? {
        guard let text = ProcessInfo.processInfo.environment[variable] else { return nil }
        guard let number = UInt64(text) else {
            // A run with other dice than those that were asked for proves nothing.
            fatalError("\(variable) is `\(text)`; set it to a whole number")
        }
        return number
    }
}
