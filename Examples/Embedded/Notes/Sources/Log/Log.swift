/// What another package writes down while an app runs.
public final class EventLog {
    /// The lines, oldest first.
    public private(set) var lines: [String] = []

    /// An empty one.
    public init() {}

    /// Adds a line.
    public func record(_ line: String) { lines.append(line) }
}
