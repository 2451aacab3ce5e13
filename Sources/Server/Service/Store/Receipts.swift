/// The latest receipts of the devices, before they are written to disk (`protocol.md` §6.9).
///
/// A receipt costs an exchange one look-up in memory, and now and then one write there. Receipts
/// are written at a minimum interval and a few at a time, on SQLite with commits that happen anyway, on
/// PostgreSQL by a thread of their own, so no request waits for one. If the process ends before some are
/// written, what is on disk is older but still correct: no device held less at that time.
package import MacrologEvents
import MacrologSQLite
import Synchronization

/// What a session was last known to hold.
package struct Receipt: Hashable, Sendable {
    package let session: Identifier
    package let space: Space
    /// The device that asked, and the cursor that its digest proved; `nil` if the session was only
    /// seen.
    package var held: Held?
    /// When, in milliseconds since 1970 UTC.
    package var seen: Int64

    /// A device, and the number up to which it holds the log.
    package struct Held: Hashable, Sendable {
        package let device: Identifier
        package let cursor: LogNumber

        package init(device: Identifier, cursor: LogNumber) {
            self.device = device
            self.cursor = cursor
        }
    }

    package init(session: Identifier, space: Space, held: Held? = nil, seen: Int64) {
        self.session = session
        self.space = space
        self.held = held
        self.seen = seen
    }
}

final class Receipts: Sendable {
    /// Minimum interval between two commits that write receipts, in milliseconds.
    static let interval: Int64 = 60_000
    /// Receipts that one commit writes at most.
    static let countPerCommit = 200

    private struct State {
        var waiting: [Identifier: Receipt] = [:]
        /// The time of the latest receipt, and its value when receipts were last written.
        var heard: Int64 = 0
        var written: Int64 = 0
        var isUrgent = false
        var isClosing = false
        /// How often some were removed, because they are on disk or were taken out.
        var removals = 0
        /// The accounts whose receipts were not written, because their rows were locked, or not served here.
        var passedOver: Set<Space> = []

        var due: [Receipt] {
            let since = (heard &- written).magnitude
            guard isClosing || isUrgent || since >= UInt64(Receipts.interval) else { return [] }
            return Array(waiting.values.prefix(isClosing ? .max : Receipts.countPerCommit))
        }
    }

    private let state = Mutex(State())

    /// Keeps the newest receipt of each session.
    ///
    /// - Parameter isUrgent: They are due even if the interval has not passed.
    func keep(_ receipt: Receipt, isUrgent: Bool = false) {
        state.withLock { state in
            var receipt = receipt
            receipt.held = receipt.held ?? state.waiting[receipt.session]?.held
            state.waiting[receipt.session] = receipt
            state.heard = receipt.seen
            if isUrgent { state.isUrgent = true }
        }
    }

    /// Takes out the receipts of an account that are not on disk yet.
    func take(of space: Space) -> [Receipt] {
        state.withLock { state in
            let taken = state.waiting.values.filter { $0.space == space }
            for receipt in taken { state.waiting[receipt.session] = nil }
            state.removals += 1
            return taken
        }
    }

    /// Takes over a receipt that another store has kept, unless there is a later one.
    func take(over receipt: Receipt) {
        state.withLock { state in
            if var later = state.waiting[receipt.session], later.seen >= receipt.seen {
                later.held = later.held ?? receipt.held
                state.waiting[receipt.session] = later
            } else {
                state.waiting[receipt.session] = receipt
                state.heard = max(state.heard, receipt.seen)
            }
        }
    }

    /// The accounts whose receipts were passed over since this was called last.
    func takePassedOver() -> Set<Space> {
        state.withLock { state in
            defer { state.passedOver = [] }
            return state.passedOver
        }
    }

    /// How often some were removed, because they are on disk or were taken out.
    var removals: Int { state.withLock { $0.removals } }

    /// The receipts that are not on disk yet, of sessions that were read from disk.
    ///
    /// - Parameter removals: How often some had been removed before the sessions were read.
    /// - Returns: `nil` if some were removed since: a receipt may be neither in what was read, nor here.
    func waiting(_ sessions: [StoredSession], since removals: Int) -> [Identifier: Receipt]? {
        state.withLock { state in
            guard state.removals == removals else { return nil }
            return sessions.reduce(into: [:]) { $0[$1.id] = state.waiting[$1.id] }
        }
    }

    /// Those that are to be written now, at most ``countPerCommit`` unless the store closes.
    var due: [Receipt] { state.withLock { $0.due } }

    /// From now on all that wait are due.
    func close() { state.withLock { $0.isClosing = true } }

    /// Removes what is on disk after a commit.
    ///
    /// - Parameters:
    ///   - due: What was to be written.
    ///   - written: What of it was written; the rest was locked or passed over, and waits.
    ///   - passed: The accounts whose receipts were passed over.
    func settle(_ due: [Receipt], written: [Receipt], passed: Set<Space> = []) {
        guard !due.isEmpty else { return }
        state.withLock { state in
            state.passedOver.formUnion(passed)
            if !written.isEmpty { state.removals += 1 }
            for receipt in written where state.waiting[receipt.session] == receipt {
                state.waiting[receipt.session] = nil
            }
            // A full portion is followed by the next one, unless all of it waits as long as if it had been written.
            guard due.count < Self.countPerCommit || written.isEmpty else { return }
            state.written = state.heard
            state.isUrgent = false
        }
    }
}

extension Connection {
    /// Writes what devices were last known to hold.
    mutating func write(_ receipts: [Receipt]) throws(SQLiteError) {
        for receipt in receipts {
            try run(
                """
                UPDATE session SET last_seen = CASE WHEN last_seen < ?1 THEN ?1 ELSE last_seen END,
                device = coalesce(?2, device), cursor = coalesce(?3, cursor)
                WHERE id = ?4 AND space = ?5
                """, receipt.seen, receipt.held?.device.bytes, receipt.held?.cursor.rawValue,
                receipt.session.bytes, receipt.space)
        }
    }
}
