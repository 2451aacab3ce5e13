/// Estimates how hard a password is to guess, with zxcvbn: common passwords, words, names, dates,
/// keyboard patterns and repetitions score low, whatever separates them.
public import MacrologSystem

/// The estimated strength of a password.
public struct Strength: Hashable, Sendable {
    /// From 0, one of the first thousand guesses, to 4, beyond ten thousand million guesses.
    package let score: Int
    /// Why it is easy to guess; `nil` if it is merely short, or not weak.
    package let weakness: Weakness?

    /// What an attacker would try.
    package enum Weakness: Hashable, Sendable {
        /// A common password, a word or a name.
        case word
        /// The person's address, the name of the service, or a common password.
        case known
        /// One piece repeated.
        case repetition
        /// `abcdef`, `7654`.
        case sequence
        /// Adjacent keys.
        case keyboard
        /// A date or a year.
        case date
    }

    /// The number of bytes that are judged; further bytes have no effect.
    package static let bytesJudged = 100
    /// The minimum ``score`` that a server accepts.
    package static let scoreMin = 3

    /// Whether a server accepts a password of this strength.
    public var isEnough: Bool { score >= Self.scoreMin }

    /// The strength of a password.
    ///
    /// - Parameter address: The person's email address, in ASCII letters: an attacker would try it
    ///   first.
    /// - Returns: `nil` on Apple's systems, which have no zxcvbn.
    /// - Throws: ``LibraryError`` if zxcvbn is not installed.
    public static func of(
        _ password: [UInt8], address: [UInt8]
    ) throws(LibraryError) -> Strength? {
        try estimate(password, ownWords(address))
    }

    /// Opens zxcvbn, which the first password would do otherwise.
    package static func prepare() throws(LibraryError) { _ = try of([], address: []) }

    /// The address, the part before its `@`, each of its parts, and the name of the service.
    private static func ownWords(_ address: [UInt8]) -> [String] {
        let lowered = address.map { (65...90).contains($0) ? $0 + 32 : $0 }
        let parts = lowered.split { !(97...122).contains($0) && !(48...57).contains($0) }
        let words = [lowered[...], lowered.prefix { $0 != UInt8(ascii: "@") }]
        return ["macrolog", "nutrition"]
            + (words + parts.filter { $0.count >= 3 }).filter { !$0.isEmpty && !$0.contains(0) }
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

extension Strength {
    /// The strength in a word or two.
    public var word: String {
        switch score {
        case ...0: "very weak"
        case 1: "weak"
        case 2: "not strong enough"
        case 3: "strong"
        default: "very strong"
        }
    }

    /// Why it is easy to guess, as a part of a sentence.
    public var reason: String {
        switch weakness {
        case .word: "it is made of words, names or passwords that are tried first"
        case .known: "it is made of what is tried first, such as the address"
        case .repetition: "it repeats itself"
        case .sequence: "it is a row of letters or digits"
        case .keyboard: "it is a row of keys"
        case .date: "it is a date or a year"
        case nil: "it is short"
        }
    }

    /// What would help.
    public static let advice = "four words that have nothing to do with each other are strong"
}
