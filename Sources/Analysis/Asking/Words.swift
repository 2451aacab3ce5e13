/// Text, bytes and numbers on their way to a model and back.
import MacrologFormats
import MacrologJSON

/// Text of a model or a provider, made fit for a name or a line.
enum Words {
    /// One line without control characters, and without marks that turn the direction of writing or
    /// cannot be seen; cut between letters.
    static func clean(_ text: String, bytesMax: Int) -> String {
        var words: [[Unicode.Scalar]] = [[]]
        for scalar in text.unicodeScalars {
            let properties = scalar.properties
            if properties.isWhitespace || scalar == "\u{0}" {
                words.append([])
            } else if !isHidden(properties.generalCategory) {
                words[words.count - 1].append(scalar)
            }
        }
        var line = ""
        for word in words where !word.isEmpty {
            if !line.isEmpty { line.unicodeScalars.append(" ") }
            line.unicodeScalars.append(contentsOf: word)
        }
        while line.utf8.count > bytesMax { line.removeLast() }
        while line.last == " " { line.removeLast() }
        return line
    }

    private static func isHidden(_ category: Unicode.GeneralCategory) -> Bool {
        switch category {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            true
        default: false
        }
    }
}

/// Base64 with padding (RFC 4648 §4).
package enum Base64 {
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let second = index + 1 < bytes.count ? bytes[index + 1] : nil
            let third = index + 2 < bytes.count ? bytes[index + 2] : nil
            let bits = UInt32(bytes[index]) << 16 | UInt32(second ?? 0) << 8 | UInt32(third ?? 0)
            text.append(letters[Int(bits >> 18)])
            text.append(letters[Int(bits >> 12 & 63)])
            text.append(second == nil ? UInt8(ascii: "=") : letters[Int(bits >> 6 & 63)])
            text.append(third == nil ? UInt8(ascii: "=") : letters[Int(bits & 63)])
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// What a provider counts.
enum Tokens {
    /// The sum of what a provider counted, at most a thousand million; what it does not say counts 0.
    static func sum(_ counts: JSON?...) -> Int64 {
        counts.reduce(0) { $0 + min(max($1?.integer ?? 0, 0), 1_000_000_000) }
    }
}

extension JSON {
    /// A number that is not negative, × 10^places, rounded half to even; `nil` for anything else.
    func scaled(_ places: Int) -> Int64? {
        switch self {
        case .integer(let number): ExactDecimal("\(number)")?.whole(places: places)
        case .number(let digits): ExactDecimal(digits)?.whole(places: places)
        default: nil
        }
    }
}
