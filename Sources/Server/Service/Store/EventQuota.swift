/// How many events an account may have, and how many bytes of them: so that one person cannot fill the
/// disk of all.
import MacrologEvents
import MacrologSQLite

/// How much a space may have.
package struct EventQuota: Hashable, Sendable {
    /// Events.
    package var events: Int64
    /// Bytes of events as they are stored: not compressed, and without what the hub adds.
    package var bytes: Int64

    /// As good as no quota.
    package static let none = EventQuota(events: .max, bytes: .max)

    /// Collects the parts.
    package init(events: Int64, bytes: Int64) {
        self.events = events
        self.bytes = bytes
    }

    /// How many of some events fit beside what is there.
    ///
    /// - Parameter sizes: Bytes of each.
    func fitting(_ sizes: some Sequence<Int>, besides count: LogNumber, _ bytes: Int64) -> Int {
        var (fitting, bytes) = (0, bytes)
        let room = max(0, LogNumber(events).distance(from: count) ?? 0)
        for size in sizes {
            bytes += Int64(size)
            guard fitting < room, bytes <= self.bytes else { break }
            fitting += 1
        }
        return fitting
    }
}

extension Connection {
    /// Bytes of the events of a space.
    mutating func eventBytes(of space: Int64) throws(SQLiteError) -> Int64 {
        try first("SELECT event_bytes FROM account WHERE space = ?", space) {
            $0.int(0, in: 0...(1 << 53))
        } ?? 0
    }

    /// Counts bytes that were added to a space.
    mutating func addEventBytes(_ bytes: Int, to space: Int64) throws(SQLiteError) {
        guard bytes > 0 else { return }
        try run(
            "UPDATE account SET event_bytes = event_bytes + ? WHERE space = ?", Int64(bytes), space)
    }
}
