/// Text broken into lines of a given width.

/// The lines of `text`, none wider than `width` columns unless one word is.
///
/// Paragraphs are separated by empty lines; within one, line breaks count as spaces. A line that
/// begins with a space is kept as it is.
public func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var current = ""
    var currentWidth = 0
    func flush() {
        if !current.isEmpty { lines.append(current) }
        (current, currentWidth) = ("", 0)
    }
    for line in text.parts(separatedBy: UInt8(ascii: "\n")) {
        if line.isEmpty || line.begins(with: " ") {
            flush()
            lines.append(line)
            continue
        }
        for word in line.parts(separatedBy: UInt8(ascii: " ")) where !word.isEmpty {
            let wordWidth = displayWidth(word)
            if !current.isEmpty, currentWidth + 1 + wordWidth > width { flush() }
            if !current.isEmpty {
                current += " "
                currentWidth += 1
            }
            current += word
            currentWidth += wordWidth
        }
    }
    flush()
    return lines
}

/// Two columns: names on the left, each explained on the right.
///
/// The right column begins after the widest name, but never beyond a third of the width; the text of
/// a longer name begins on the next line.
public func definitions(
    _ entries: [(name: String, text: String)], width: Int, style: Style
) -> [String] {
    let limit = max(16, width / 3)
    let widest = entries.map { displayWidth($0.name) }.filter { $0 <= limit }.max() ?? 0
    let column = widest + 4
    var lines: [String] = []
    for entry in entries {
        let texts = wrapped(entry.text, to: max(20, width - column))
        let name = "  " + style.paint(entry.name, .bold)
        var rest = texts[...]
        if displayWidth(entry.name) <= widest, let first = rest.popFirst() {
            lines.append(padded(name, to: column) + first)
        } else {
            lines.append(name)
        }
        lines += rest.map { String(repeating: " ", count: column) + $0 }
    }
    return lines
}
