/// Compares the clock with that of the database: limits, sessions and leases of several servers count on all clocks
/// being one.
import Synchronization

/// How far the clock is before that of the database.
///
/// One comparison does not tell which of the two is wrong, and all nodes compare with the same database. A clock that was
/// set, such as that of the machine to which a database has failed over, is known all the same: the difference changed
/// between two comparisons, and this machine's clock went as its monotonic one. That part counts as the database's. A virtual
/// machine whose clocks were both paused looks the same.
package struct ClockDifference {
    /// From here on the log warns, in milliseconds.
    static let noted: Int64 = 5_000
    /// Beyond that a server is not ready, in milliseconds.
    static let most: Int64 = 60_000
    /// How often the log says the same, in milliseconds.
    static let notePause: Int64 = 3_600_000

    /// As it was found last, in milliseconds; `nil` before that.
    package private(set) var found: Int64?
    /// How much of it came because the database's clock was set, in milliseconds.
    private(set) var ofDatabase: Int64 = 0
    /// The clock less the monotonic one at the last comparison, in milliseconds.
    private var base: Int64?
    /// When it was noted last, in milliseconds of a monotonic clock.
    var notedAt: Int64?

    package init() {}

    /// What is not known to be the database's, in milliseconds; `nil` before the first comparison.
    package var own: Int64? { found.map { $0 - ofDatabase } }

    /// Takes a comparison.
    ///
    /// - Parameter base: The clock less the monotonic one, in milliseconds.
    package mutating func take(_ difference: Int64, base: Int64) {
        if let found, let before = self.base, abs(base - before) <= Self.noted,
            abs(difference - found) > Self.noted
        {
            ofDatabase += difference - found
        }
        // Set right, at once or little by little.
        if abs(difference) <= Self.noted { ofDatabase = 0 }
        (found, self.base) = (difference, base)
    }
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
        let wall = clock()
        let difference = wall - (now - before) / 2 - theirs
        let (isNoted, isDatabases) = readinessState.withLock { state in
            state.clock.take(difference, base: wall - now)
            let isDatabases = abs(state.clock.own ?? 0) <= ClockDifference.noted
            guard abs(difference) > ClockDifference.noted else {
                state.clock.notedAt = nil
                return (false, isDatabases)
            }
            if let at = state.clock.notedAt, now - at < ClockDifference.notePause {
                return (false, isDatabases)
            }
            state.clock.notedAt = now
            return (true, isDatabases)
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
                            + (isDatabases ? ", because the database's was set" : "")
                    ),
                    ("advice", "have NTP set the clocks of all nodes and of PostgreSQL"),
                ]))
    }
}
