/// How many events, and how many bytes of events, an account may have, so that one account cannot
/// fill the shared disk.
import MacrologEvents

/// The event quota of a space.
package struct EventQuota: Hashable, Sendable {
    /// Events.
    package var events: Int64
    /// Bytes of events as stored: uncompressed, without what the server adds.
    package var bytes: Int64

    /// Effectively no quota.
    package static let none = EventQuota(events: .max, bytes: .max)

    /// Memberwise initializer.
    package init(events: Int64, bytes: Int64) {
        self.events = events
        self.bytes = bytes
    }

    /// How many of the given events fit into the quota in addition to the stored ones.
    ///
    /// - Parameter sizes: The size of each event, in bytes.
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

extension SQLDatabase where Self: ~Copyable {
    /// Bytes of the events of a space.
    mutating func eventBytes(of space: Int64) throws(Failure) -> Int64 {
        try first("SELECT event_bytes FROM account WHERE space = ?", space) {
            $0.int(0, in: 0...(1 << 53))
        } ?? 0
    }

    /// Adds to the byte count of a space.
    mutating func addEventBytes(_ bytes: Int, to space: Int64) throws(Failure) {
        guard bytes > 0 else { return }
        try run(
            "UPDATE account SET event_bytes = event_bytes + ? WHERE space = ?", Int64(bytes), space)
    }
}
