/// How many columns of a terminal a text takes, and the text cut or padded to a number of columns.
import MacrologJSON

/// The columns that `text` takes. ANSI colour sequences take none.
///
/// A letter with its marks takes what the letter takes; East Asian wide letters and emoji take two.
public func displayWidth(_ text: String) -> Int {
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text.utf8.count }
    return pieces(of: text).reduce(0) { $0 + $1.width }
}

/// The text with spaces after it up to `width` columns.
public func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - displayWidth(text)))
}

/// The text, or as much of it as fits into `width` columns with `…` at the end.
///
/// Colour sequences are all kept, so that a colour that was switched on is switched off.
public func truncated(_ text: String, to width: Int, style: Style) -> String {
    if displayWidth(text) <= width { return text }
    let mark = style.blocks ? "…" : String(repeating: ".", count: max(0, min(3, width)))
    let room = width - displayWidth(mark)
    guard room >= 0 else { return "" }
    var result = ""
    var used = 0
    var isCut = false
    for piece in pieces(of: text) {
        if piece.isSequence {
            result += piece.text
        } else if !isCut {
            if used + piece.width > room {
                result += mark
                isCut = true
            } else {
                result += piece.text
                used += piece.width
            }
        }
    }
    return result
}

/// Makes untrusted text safe for a line of a terminal: a line feed becomes a space, control and
/// direction-changing characters become `�`, so that the text can neither move the cursor nor imitate
/// other text.
public func printable(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        if scalar == "\n" {
            result.unicodeScalars.append(" ")
        } else {
            result.unicodeScalars.append(isHarmful(scalar) ? "\u{FFFD}" : scalar)
        }
    }
    return result
}

/// Finished lines as they may go to a terminal: with line feeds and what ``Style/paint(_:_:)`` writes, and otherwise
/// without control and direction-changing characters, which become `�`. It is the last guard, for text that no one
/// thought of as a stranger's: colours are all that such text could still bring.
public func guarded(_ lines: String) -> String {
    if lines.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x0A }) { return lines }
    var result = ""
    var rest = lines.unicodeScalars[...]
    while let scalar = rest.first {
        if scalar == "\u{1B}", let length = paintLength(rest) {
            result.unicodeScalars.append(contentsOf: rest.prefix(length))
            rest = rest.dropFirst(length)
        } else {
            let isKept = scalar == "\n" || !isHarmful(scalar)
            result.unicodeScalars.append(isKept ? scalar : "\u{FFFD}")
            rest = rest.dropFirst()
        }
    }
    return result
}

/// How long the colour sequence is that a text begins with; `nil` if it begins with none of ours.
private func paintLength(_ text: Substring.UnicodeScalarView) -> Int? {
    var number: UInt8?
    for (index, scalar) in text.enumerated().prefix(16).dropFirst() {
        switch scalar {
        case "[" where index == 1: continue
        case "0"..."9" where index > 1 && (number ?? 0) < 10:
            number = (number ?? 0) * 10 + UInt8(scalar.value - 0x30)
        case "m", ";":
            guard let code = number, code == 0 || Paint(rawValue: code) != nil else { return nil }
            if scalar == "m" { return index + 1 }
            number = nil
        default: return nil
        }
    }
    return nil
}

/// A letter with its marks, or a colour sequence.
private struct Piece {
    var text: String
    let width: Int
    let isSequence: Bool
}

private func pieces(of text: String) -> [Piece] {
    var result: [Piece] = []
    var sequence: String?
    for character in text {
        if let open = sequence {
            // `ESC [`, then parameters, ended by a letter.
            let longer = open + String(character)
            let isEnd = character.asciiValue.map { (0x40...0x7E).contains($0) } ?? true
            if isEnd, open.utf8.count > 1 || character != "[" {
                result.append(Piece(text: longer, width: 0, isSequence: true))
                sequence = nil
            } else {
                sequence = longer
            }
        } else if character == "\u{1B}" {
            sequence = String(character)
        } else {
            result.append(
                Piece(text: String(character), width: width(of: character), isSequence: false))
        }
    }
    if let sequence { result.append(Piece(text: sequence, width: 0, isSequence: true)) }
    return result
}

private func width(of character: Character) -> Int {
    var (width, previous) = (0, UInt32(0))
    for scalar in character.unicodeScalars {
        // A pair of flag letters, or an emoji selector, makes a wide picture of narrow letters.
        if (0x1F1E6...0x1F1FF).contains(scalar.value) { return 2 }
        if scalar.value == 0xFE0F, contains(emojiScalars, previous) { return 2 }
        previous = scalar.value
        if contains(weightlessScalars, scalar.value) { continue }
        if contains(wideScalars, scalar.value) { return 2 }
        // Such as a vowel that is drawn beside its consonant.
        width += 1
    }
    return width
}

private func contains(_ ranges: [ClosedRange<UInt32>], _ value: UInt32) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
        let middle = (low + high) / 2
        if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(value)
}
