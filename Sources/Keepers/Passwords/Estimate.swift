#if canImport(CMacrologZxcvbn)
    import CMacrologZxcvbn
    import MacrologSystem

    /// zxcvbn, opened by the first password.
    private let zxcvbn: Result<macrolog_zxcvbn, LibraryError> = Result {
        () throws(LibraryError) in
        let library = try Library.open("libzxcvbn.so.0", package: "libzxcvbn0")
        return macrolog_zxcvbn(
            match: try library.function("ZxcvbnMatch"),
            free_info: try library.function("ZxcvbnFreeInfo"))
    }

    extension Strength {
        static func estimate(
            _ password: [UInt8], _ ownWords: [String]
        ) throws(LibraryError) -> Strength? {
            Estimate(try zxcvbn.get(), password, ownWords).strength
        }
    }

    /// zxcvbn's result for one password.
    private struct Estimate {
        private var bits = 0.0
        /// The kind of each part, and its number of bytes.
        private var parts: [(kind: UInt32, bytes: Int)] = []

        init(_ library: macrolog_zxcvbn, _ password: [UInt8], _ ownWords: [String]) {
            // A C string ends at a zero byte; replacing zero bytes by another character changes no
            // score.
            let judged = password.prefix(Strength.bytesJudged).map { $0 == 0 ? 1 : $0 } + [0]
            let words = (ownWords + MoreWords.all).map { Array($0.utf8CString) }
            var information: UnsafeMutablePointer<ZxcMatch_t>?
            bits = Self.withPointers(words) { words in
                judged.withUnsafeBytes { password in
                    library.match(
                        password.bindMemory(to: CChar.self).baseAddress, words.baseAddress,
                        &information)
                }
            }
            var next = information
            while let part = next {
                parts.append((part.pointee.Type.rawValue, Int(part.pointee.Length)))
                next = part.pointee.Next
            }
            library.free_info(information)
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
#else
    import MacrologSystem

    extension Strength {
        static func estimate(
            _ password: [UInt8], _ ownWords: [String]
        ) throws(LibraryError) -> Strength? { nil }
    }
#endif
