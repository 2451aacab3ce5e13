/// Estimates how hard a password is to guess, with zxcvbn: common passwords, words, names, dates,
/// keyboard patterns and repetitions score low, whatever separates them.
#if canImport(CMacrologZxcvbn)
    import CMacrologZxcvbn
#endif

/// The estimated strength of a password.
package struct Strength: Hashable, Sendable {
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
    package var isEnough: Bool { score >= Self.scoreMin }

    /// The strength of a password.
    ///
    /// - Parameter address: The person's email address, in ASCII letters: an attacker would try it
    ///   first.
    /// - Returns: `nil` if this system has no zxcvbn.
    package static func of(_ password: [UInt8], address: [UInt8]) -> Strength? {
        #if canImport(CMacrologZxcvbn)
            return Estimate(password, ownWords(address)).strength
        #else
            return nil
        #endif
    }

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

#if canImport(CMacrologZxcvbn)
    /// zxcvbn's result for one password.
    private struct Estimate {
        private var bits = 0.0
        /// The kind of each part, and its number of bytes.
        private var parts: [(kind: UInt32, bytes: Int)] = []

        init(_ password: [UInt8], _ ownWords: [String]) {
            // A C string ends at a zero byte; replacing zero bytes by another character changes no
            // score.
            let judged = password.prefix(Strength.bytesJudged).map { $0 == 0 ? 1 : $0 } + [0]
            let words = (ownWords + MoreWords.all).map { Array($0.utf8CString) }
            var information: UnsafeMutablePointer<ZxcMatch_t>?
            bits = Self.withPointers(words) { words in
                judged.withUnsafeBytes { password in
                    ZxcvbnMatch(
                        password.bindMemory(to: CChar.self).baseAddress, words.baseAddress,
                        &information)
                }
            }
            var next = information
            while let part = next {
                parts.append((part.pointee.Type.rawValue, Int(part.pointee.Length)))
                next = part.pointee.Next
            }
            ZxcvbnFreeInfo(information)
        }

        var strength: Strength {
            // 10^3, 10^6, 10^8 and 10^10 guesses.
            let score = [9.966, 19.932, 26.575, 33.219].count { bits >= $0 }
            return Strength(score: score, weakness: score < 4 ? weakness : nil)
        }

        /// The kind of the longest part that is not random.
        private var weakness: Strength.Weakness? {
            let known = parts.compactMap { part in
                Self.weakness(of: part.kind).map { (weakness: $0, bytes: part.bytes) }
            }
            return known.max { $0.bytes < $1.bytes }?.weakness
        }

        private static func weakness(of kind: UInt32) -> Strength.Weakness? {
            if kind & MULTIPLE_MATCH.rawValue != 0 { return .repetition }
            return switch ZxcTypeMatch_t(rawValue: kind) {
            case DICTIONARY_MATCH, DICT_LEET_MATCH: .word
            case USER_MATCH, USER_LEET_MATCH: .known
            case REPEATS_MATCH: .repetition
            case SEQUENCE_MATCH: .sequence
            case SPATIAL_MATCH: .keyboard
            case DATE_MATCH, YEAR_MATCH: .date
            default: nil
            }
        }

        /// Calls a closure with a null-terminated array of C strings.
        private static func withPointers<Result>(
            _ words: [[CChar]],
            _ body: (UnsafeMutableBufferPointer<UnsafePointer<CChar>?>) -> Result
        ) -> Result {
            let copies = words.map { word in
                let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: word.count)
                _ = copy.initialize(from: word)
                return copy
            }
            defer { for copy in copies { copy.deallocate() } }
            var pointers = copies.map { UnsafePointer($0.baseAddress) } + [nil]
            return pointers.withUnsafeMutableBufferPointer { body($0) }
        }
    }
#endif

extension Strength {
    /// The strength in a word or two.
    package var word: String {
        switch score {
        case ...0: "very weak"
        case 1: "weak"
        case 2: "not strong enough"
        case 3: "strong"
        default: "very strong"
        }
    }

    /// Why it is easy to guess, as a part of a sentence.
    package var reason: String {
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
    package static let advice = "four words that have nothing to do with each other are strong"
}
