/// Two blocks of lines next to each other, such as what a phone and a laptop show.

/// The lines of both blocks, side by side under their titles.
///
/// Each block takes half of the width; longer lines are cut. Lines may be painted already.
public func sideBySide(
    _ left: (title: String, lines: [String]), _ right: (title: String, lines: [String]),
    width: Int, style: Style
) -> [String] {
    let divider = style.blocks ? " │ " : " | "
    let half = max(1, (width - 3) / 2)
    func line(_ left: String, _ right: String) -> String {
        let left = padded(truncated(left, to: half, style: style), to: half)
        let right = truncated(right, to: half, style: style)
        return (left + style.paint(divider, .dim) + right).droppingTrailingSpaces
    }
    let dash = String(repeating: style.blocks ? "─" : "-", count: half)
    let cross = style.blocks ? "─┼─" : "-+-"
    var lines = [
        line(style.paint(left.title, .bold), style.paint(right.title, .bold)),
        style.paint(dash + cross + dash, .dim),
    ]
    for row in 0..<max(left.lines.count, right.lines.count) {
        lines.append(
            line(
                row < left.lines.count ? left.lines[row] : "",
                row < right.lines.count ? right.lines[row] : ""))
    }
    return lines
}
