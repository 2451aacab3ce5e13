/// Compares the clock with that of the database: limits, sessions and leases of several servers count on all clocks
/// being one.
import Synchronization

/// How far the clock is before that of the database.
struct ClockDifference {
    /// From here on the log warns, in milliseconds.
    static let noted: Int64 = 5_000
    /// Beyond that a server is not ready, in milliseconds.
    static let most: Int64 = 60_000
    /// How often the log says the same, in milliseconds.
    static let notePause: Int64 = 3_600_000

    /// As it was found last, in milliseconds; `nil` before that.
    var found: Int64?
    /// When it was noted last, in milliseconds of a monotonic clock.
    var notedAt: Int64?
}

extension SyncServer {
    /// Compares the clock with that of the database. A database that does not answer changes nothing.
    package func compareClock() {
        let before = monotonic()
        guard let theirs = try? store.clock() else { return }
        let now = monotonic()
        // Who waits for a connection learns nothing about clocks.
        guard now - before <= 2_000 else { return }
        // The database told its time somewhere in between.
        let difference = clock() - (now - before) / 2 - theirs
        let isNoted = readinessState.withLock { state in
            state.clock.found = difference
            guard abs(difference) > ClockDifference.noted else {
                state.clock.notedAt = nil
                return false
            }
            if let at = state.clock.notedAt, now - at < ClockDifference.notePause { return false }
            state.clock.notedAt = now
            return true
        }
        guard isNoted else { return }
        let side = difference > 0 ? "ahead of" : "behind"
        let seconds = abs(difference) / 1_000
        note(
            ServerNote(
                level: .warning, event: "clock.differs",
                facts: [
                    (
                        "detail",
                        "the clock of this machine is \(seconds) s \(side) that of the database"
                    ),
                    ("advice", "have NTP set the clocks of all nodes and of PostgreSQL"),
                ]))
    }
}
