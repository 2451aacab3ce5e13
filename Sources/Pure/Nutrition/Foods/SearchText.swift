/// A name as it is searched: folded to words of small letters and digits.
///
/// Letter case, accents and punctuation do not matter: `Crème brûlée` is `creme brulee`, `Müesli` is
/// `muesli`. Greek and Cyrillic words lose letter case and accents, too: `ΨΩΜΊ` is `ψωμι`. Those of other scripts are
/// kept as they are.
public struct SearchText: Hashable, Sendable {
    /// The words in order, each of UTF-8 bytes.
    public let words: [[UInt8]]

    /// Folds a text.
    public init(_ text: String) {
        var words: [[UInt8]] = []
        var word: [UInt8] = []
        for scalar in text.unicodeScalars where !SearchText.isSilent(scalar) {
            let folded = SearchText.fold(scalar)
            if folded.isEmpty {
                if !word.isEmpty { words.append(word) }
                word = []
            } else {
                word += folded
            }
        }
        if !word.isEmpty { words.append(word) }
        self.words = words
    }

    /// The words separated by single spaces, as a full-text index stores them.
    package var text: String {
        words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    /// What SQLite's FTS5 is asked for: each word quoted and, since people search while they type,
    /// as a prefix. `nil` when nothing is left to search.
    package var prefixQuery: String? {
        words.isEmpty
            ? nil
            : words.map { "\"\(String(decoding: $0, as: UTF8.self))\"*" }.joined(separator: " ")
    }

    /// A combining accent, or an apostrophe: neither separates words.
    private static func isSilent(_ scalar: Unicode.Scalar) -> Bool {
        (0x300...0x36F).contains(scalar.value) || scalar.value == 0x27 || scalar.value == 0x2019
    }

    /// The folded bytes of a letter or digit, lower case without accents; empty for a separator.
    private static func fold(_ scalar: Unicode.Scalar) -> [UInt8] {
        let value = scalar.value
        switch value {
        case 0x30...0x39, 0x61...0x7A: return [UInt8(value)]
        case 0x41...0x5A: return [UInt8(value | 0x20)]
        case 0..<0xAA, 0xD7, 0xF7, 0x2000...0x206F, 0x3000...0x303F: return []
        case 0xC0...0x17F:
            let letter = latin[Int(value - 0xC0)]
            switch letter {
            case UInt8(ascii: "1"): return Array("ae".utf8)
            case UInt8(ascii: "2"): return Array("oe".utf8)
            case UInt8(ascii: "3"): return Array("ss".utf8)
            case UInt8(ascii: "4"): return Array("th".utf8)
            case UInt8(ascii: "5"): return Array("ij".utf8)
            default: return [letter]
            }
        default:
            let letter = Unicode.Scalar(smallLetter(value)) ?? scalar
            return Array(String(Character(letter)).utf8)
        }
    }

    /// The small letter without an accent of a Greek or Cyrillic one; any other as it is.
    private static func smallLetter(_ value: UInt32) -> UInt32 {
        switch value {
        case 0x386, 0x3AC: 0x3B1
        case 0x388, 0x3AD: 0x3B5
        case 0x389, 0x3AE: 0x3B7
        case 0x38A, 0x390, 0x3AA, 0x3AF, 0x3CA: 0x3B9
        case 0x38C, 0x3CC: 0x3BF
        case 0x38E, 0x3AB, 0x3B0, 0x3CB, 0x3CD: 0x3C5
        case 0x38F, 0x3CE: 0x3C9
        // The sigma that ends a word.
        case 0x3C2: 0x3C3
        case 0x391...0x3A9: value + 0x20
        // Ё is typed as Е.
        case 0x401, 0x451: 0x435
        case 0x400...0x40F: value + 0x50
        case 0x410...0x42F: value + 0x20
        case 0x490: 0x491
        default: value
        }
    }

    /// The base letters of U+00C0 to U+017F; digits stand for two letters. U+00D7 and U+00F7 are
    /// signs, handled before.
    private static let latin: [UInt8] = Array(
        ("aaaaaa1ceeeeiiiidnooooo_ouuuuy43aaaaaa1ceeeeiiiidnooooo_ouuuuy4y"
            + "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii55jjkkklllllllll"
            + "lnnnnnnnnnoooooo22rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs").utf8)
}
