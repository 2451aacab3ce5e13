/// The line that shows how far a long piece of work has come.
///
/// It is a value: the one who does the work knows the clock and the terminal, and writes
/// `"\r" + line` when there is a line.
public struct Progress: Equatable, Sendable {
    /// What is being done: `Importing`.
    public let label: String
    /// How much is done.
    public var done: Int64
    /// `nil` when it is unknown.
    public let total: Int64?

    /// Begins a line of progress.
    public init(_ label: String, done: Int64 = 0, total: Int64?) {
        self.label = label
        self.done = done
        self.total = total
    }

    /// Work that takes less than this is not worth a line, in milliseconds.
    public static let silenceMilliseconds: Int64 = 1_000

    /// The line, exactly `width` columns wide so that it covers the one before it; `nil` during the
    /// first second.
    public func line(elapsedMilliseconds: Int64, width: Int, style: Style) -> String? {
        guard elapsedMilliseconds >= Self.silenceMilliseconds, width > 0 else { return nil }
        let numberFormat = NumberFormat.grouped
        var parts = ["\(label)  "]
        if let total, total > 0 {
            let done = min(max(0, done), total)
            let text =
                "  \(percentage(done, of: total))%  "
                + "\(numberFormat.text(done)) of \(numberFormat.text(total))"
                + remaining(done, of: total, after: elapsedMilliseconds)
            let room = min(30, width - displayWidth(label) - 2 - text.utf8.count)
            if room >= 5 { parts.append(bar(done, of: total, width: room, style: style)) }
            parts.append(text)
        } else {
            parts.append(numberFormat.text(done))
        }
        return padded(truncated(parts.joined(), to: width, style: style), to: width)
    }

    private func remaining(_ done: Int64, of total: Int64, after elapsed: Int64) -> String {
        guard done > 0, done < total else { return "" }
        let (product, overflowed) = (total - done).multipliedReportingOverflow(by: elapsed)
        if overflowed { return "" }
        return ", \(duration(milliseconds: product / done)) left"
    }
}

/// `8 s`, `3 min`, `2 h 5 min`: a length of time as roughly as it matters. Begun units count fully.
public func duration(milliseconds: Int64) -> String {
    let seconds = max(0, milliseconds) / 1_000 + (max(0, milliseconds) % 1_000 > 0 ? 1 : 0)
    if seconds < 60 { return "\(seconds) s" }
    let minutes = (seconds + 59) / 60
    if minutes < 60 { return "\(minutes) min" }
    return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
}

/// How long ago something was, in words: `just now`, `3 minutes ago`, `in 2 days`.
///
/// - Parameter milliseconds: From then until now; negative for what is still to come.
public func ago(milliseconds: Int64) -> String {
    if milliseconds.magnitude < 10_000 { return "just now" }
    let span = span(milliseconds: milliseconds)
    return milliseconds > 0 ? "\(span) ago" : "in \(span)"
}

/// How long something is, by its largest unit alone: `14 minutes`, `1 day`, `4 years`.
///
/// - Parameter milliseconds: The sign does not matter.
public func span(milliseconds: Int64) -> String {
    let seconds = milliseconds.magnitude / 1_000
    let units: [(name: String, seconds: UInt64)] = [
        ("year", 31_557_600), ("month", 2_629_800), ("week", 604_800), ("day", 86_400),
        ("hour", 3_600), ("minute", 60), ("second", 1),
    ]
    let unit = units.first { seconds >= $0.seconds } ?? ("second", 1)
    let count = seconds / unit.seconds
    return count == 1 ? "1 \(unit.name)" : "\(count) \(unit.name)s"
}
