/// What the hub last heard its devices hold, on its way to the disk (`protocol.md` §6.9).
///
/// A receipt costs an exchange a look into memory, and now and then a word there. It gets to the disk
/// with a commit that happens anyway, not more often than once in a while, and few of them at a
/// time; so nobody waits for one. Dying with some of them loses no truth: what is on the disk is
/// older, and nobody held less then.
package import MacrologEvents
import MacrologSQLite
import Synchronization

/// What a session was last heard to hold.
package struct Receipt: Hashable, Sendable {
    package let session: Identifier
    package let space: Space
    /// The device that asked, and the cursor that its digest proved; `nil` where the session was
    /// only heard of.
    package var held: Held?
    /// When, in milliseconds since 1970 UTC.
    package var seen: Int64

    /// A device, and up to which number it holds the log.
    package struct Held: Hashable, Sendable {
        package let device: Identifier
        package let cursor: LogNumber
    }
}

final class Receipts: Sendable {
    /// Milliseconds between two commits that write some, at least.
    static let interval: Int64 = 60_000
    /// How many one commit writes, at most.
    static let countPerCommit = 200

    private struct State {
        var waiting: [Identifier: Receipt] = [:]
        /// When the last was heard, and what that was when some were last written.
        var heard: Int64 = 0
        var written: Int64 = 0
        var isUrgent = false
        var isClosing = false

        var due: [Receipt] {
            let since = (heard &- written).magnitude
            guard isClosing || isUrgent || since >= UInt64(Receipts.interval) else { return [] }
            return Array(waiting.values.prefix(isClosing ? .max : Receipts.countPerCommit))
        }
    }

    private let state = Mutex(State())

    /// Keeps the newest of each session.
    ///
    /// - Parameter isUrgent: The next commit writes some, however short ago the last one did.
    func keep(_ receipt: Receipt, isUrgent: Bool = false) {
        state.withLock { state in
            var receipt = receipt
            receipt.held = receipt.held ?? state.waiting[receipt.session]?.held
            state.waiting[receipt.session] = receipt
            state.heard = receipt.seen
            if isUrgent { state.isUrgent = true }
        }
    }

    /// What has not got to the disk of some sessions.
    func waiting(_ sessions: [StoredSession]) -> [Identifier: Receipt] {
        state.withLock { state in
            sessions.reduce(into: [:]) { $0[$1.id] = state.waiting[$1.id] }
        }
    }

    /// From now on every commit writes all there are.
    func close() { state.withLock { $0.isClosing = true } }

    /// Writes what is due into a transaction.
    ///
    /// - Returns: What was written, for ``settle(_:)`` after the commit.
    func write(to db: inout Connection) throws(SQLiteError) -> [Receipt] {
        let due = state.withLock { $0.due }
        for receipt in due {
            try db.run(
                """
                UPDATE session SET last_seen = max(last_seen, ?), device = coalesce(?, device),
                cursor = coalesce(?, cursor) WHERE id = ? AND space = ?
                """, receipt.seen, receipt.held?.device.bytes, receipt.held?.cursor.rawValue,
                receipt.session.bytes, receipt.space)
        }
        return due
    }

    /// Notes that receipts are on the disk.
    func settle(_ written: [Receipt]) {
        guard !written.isEmpty else { return }
        state.withLock { state in
            for receipt in written where state.waiting[receipt.session] == receipt {
                state.waiting[receipt.session] = nil
            }
            // What did not fit goes with the commits that follow.
            guard written.count < Self.countPerCommit else { return }
            state.written = state.heard
            state.isUrgent = false
        }
    }
}
