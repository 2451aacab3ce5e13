/// How many events, how many bytes of events, and of how many devices an account may have, so that one
/// account cannot fill the shared disk, nor make clocks so long that the others wait for its work.
import MacrologEvents

/// The event quota of a space.
package struct EventQuota: Hashable, Sendable {
    /// Events.
    package var events: Int64
    /// Bytes of events as stored: uncompressed, without what the server adds.
    package var bytes: Int64
    /// Devices whose events the log holds, those that are no longer in use included: what a clock has, and the
    /// most values of one cell that were written without seeing each other.
    package var devices: Int64

    /// Effectively no quota.
    package static let none = EventQuota(events: .max, bytes: .max, devices: .max)

    /// Memberwise initializer.
    package init(events: Int64, bytes: Int64, devices: Int64) {
        self.events = events
        self.bytes = bytes
        self.devices = devices
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
    /// Whether a log has room for events of some devices that it does not know.
    mutating func hasRoom(
        for new: Int, in quota: EventQuota, of space: Space
    ) throws(Failure) -> Bool {
        guard new > 0, quota.devices < .max else { return true }
        return try deviceCount(of: space) + Int64(new) <= quota.devices
    }

    /// Of how many devices a log has events: one search for each of them.
    mutating func deviceCount(of space: Space) throws(Failure) -> Int64 {
        try first(
            """
            WITH RECURSIVE held (device) AS (
                SELECT (SELECT device FROM event WHERE space = ? ORDER BY device LIMIT 1)
                UNION ALL
                SELECT (
                    SELECT event.device FROM event
                    WHERE event.space = ? AND event.device > held.device
                    ORDER BY event.device LIMIT 1)
                FROM held WHERE held.device IS NOT NULL)
            SELECT count(device) FROM held
            """, space, space
        ) { $0.int(0, in: 0...Place.numberMax) } ?? 0
    }

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
