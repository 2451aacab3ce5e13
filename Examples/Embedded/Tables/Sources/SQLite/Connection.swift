/// A table of another package, in memory.
public struct Connection {
    private var rows: [[String]] = []

    /// An empty one.
    public init() {}

    /// Adds a row.
    public mutating func insert(_ row: [String]) { rows.append(row) }

    /// How many rows there are.
    public var count: Int { rows.count }
}
