/// Amounts drawn as lengths: bars, meters with a mark at the target, and sparklines.

/// A bar whose length is to `width` columns what `value` is to `whole`, in eighths of a column.
///
/// Less than nothing draws nothing and more than the whole draws the whole. The result is always
/// `width` columns wide, with spaces after the bar.
public func bar(_ value: Int64, of whole: Int64, width: Int, style: Style) -> String {
    guard width > 0 else { return "" }
    if style.blocks {
        let eighths = share(of: width * 8, value, of: whole)
        let full = String(repeating: "█", count: eighths / 8)
        let part = eighths % 8 == 0 ? "" : ["▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8 - 1]
        return padded(full + part, to: width)
    }
    return padded(String(repeating: "#", count: share(of: width, value, of: whole)), to: width)
}

/// A bar with a mark where the target is, and the value as a part of the target in percent.
///
/// The scale reaches to a fifth beyond the target, so that being above it can be seen:
/// `████████▌   ┃   71%`. A target of nothing has neither mark nor percent.
public func meter(
    _ value: Int64, target: Int64, width: Int, style: Style, paint: Paint? = nil
) -> String {
    guard target > 0, width >= 4 else {
        return bar(value, of: max(value, 1), width: width, style: style)
    }
    let whole = target.addingReportingOverflow(target / 5)
    let scale = whole.overflow ? Int64.max : max(whole.partialValue, 1)
    var columns = Array(bar(value, of: scale, width: width, style: style))
    let mark = min(width - 1, share(of: width, target, of: scale))
    let isReached = columns[mark] != " "
    columns[mark] = style.blocks ? (isReached ? "┃" : "│") : "|"
    let before = String(columns[..<mark])
    let after = String(columns[(mark + 1)...])
    func painted(_ text: String) -> String { paint.map { style.paint(text, $0) } ?? text }
    let percent = "\(percentage(value, of: target))%"
    return painted(before) + String(columns[mark]) + painted(after)
        + String(repeating: " ", count: max(0, 5 - percent.utf8.count)) + percent
}

/// `value` as a part of `whole` in percent, a half rounded away from zero, at most ±9,999.
public func percentage(_ value: Int64, of whole: Int64) -> Int64 {
    guard whole > 0 else { return 0 }
    let magnitude = value.magnitude
    let (high, low) = magnitude.multipliedFullWidth(by: 200)
    // Doubling and adding the whole before dividing by twice the whole rounds to the nearest.
    let (sum, carry) = low.addingReportingOverflow(whole.magnitude)
    let top = high + (carry ? 1 : 0)
    let divisor = whole.magnitude * 2
    let percent =
        top >= divisor ? 9_999 : min(9_999, divisor.dividingFullWidth((top, sum)).quotient)
    return value < 0 ? -Int64(percent) : Int64(percent)
}

/// One column per value, as high as the value lies between the least and the greatest.
///
/// A missing value is a space. When all are equal they are drawn in the middle.
public func sparkline(_ values: [Int64?], style: Style) -> String {
    let steps: [String] =
        style.blocks ? ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] : ["_", ".", "-", "=", "^"]
    let known = values.compactMap { $0 }
    guard let least = known.min(), let greatest = known.max() else {
        return String(repeating: " ", count: values.count)
    }
    return values.map { value in
        guard let value else { return " " }
        guard least < greatest else { return steps[steps.count / 2] }
        // Differences of two Int64 fit into UInt64.
        let height = UInt64(bitPattern: value &- least)
        let range = UInt64(bitPattern: greatest &- least)
        let product = height.multipliedFullWidth(by: UInt64(steps.count - 1))
        let (sum, carry) = product.low.addingReportingOverflow(range / 2)
        return steps[Int(range.dividingFullWidth((product.high + (carry ? 1 : 0), sum)).quotient)]
    }.joined()
}

/// How many of `parts` equal parts `value` is of `whole`, rounded down, within `0…parts`.
func share(of parts: Int, _ value: Int64, of whole: Int64) -> Int {
    guard value > 0, whole > 0, parts > 0 else { return 0 }
    guard value < whole else { return parts }
    let product = value.magnitude.multipliedFullWidth(by: UInt64(parts))
    return Int(whole.magnitude.dividingFullWidth(product).quotient)
}
