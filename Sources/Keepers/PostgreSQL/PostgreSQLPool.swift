import MacrologSystem
import Synchronization

/// The connections of one process to one database: a few, opened when they are needed, and lent to one
/// caller at a time.
///
/// While the database cannot be reached, callers fail at once between two attempts to connect, whose
/// distance grows to some seconds with full jitter: many servers do not come back at the same moment.
package final class PostgreSQLPool: Sendable {
    private final class Slot: Sendable {
        let connection = Mutex<PostgreSQLConnection?>(nil)
    }

    private struct State {
        var idle: [Slot] = []
        /// Connections that are lent or idle.
        var count = 0
        /// Callers that wait for one.
        var waiting = 0
        /// Attempts to connect that failed in a row, and when the next one may be made.
        var failures = 0
        var nextAttempt: Int64 = 0
    }

    /// The longest pause between two attempts to connect, in milliseconds.
    private static let pauseMax: Int64 = 2_000
    /// Longer than an attempt to connect takes, in milliseconds.
    private static let attemptMilliseconds: Int64 = 10_000
    /// How long a caller waits for a connection, in milliseconds.
    private static let waitMilliseconds: Int64 = 5_000

    private let address: PostgreSQLAddress
    private let countMax: Int
    private let waitingMax: Int
    private let state = Monitor(State())
    /// The error of the last attempt to connect.
    private let lastError = Mutex<PostgreSQLError?>(nil)
    private let trips = Atomic<Int>(0)
    private let note: @Sendable (String) -> Void
    private let noteEnd: @Sendable () -> Void
    /// Whether an outage was noted, and not its end.
    private let isOut = Atomic<Bool>(false)
    /// When the next failure may be noted, in milliseconds of a monotonic clock.
    private let nextNote = Atomic<Int64>(.min)
    /// The minimum interval between two notes, in milliseconds.
    private static let noteInterval: Int64 = 60_000

    /// - Parameters:
    ///   - countMax: The maximum number of connections, 5 to 20.
    ///   - waitingMax: The maximum number of callers that wait for one; others are refused.
    ///   - note: Receives why the database cannot be used, as a sentence for the log, at most once a minute.
    ///   - noteEnd: Called when it can be used again after that.
    package init(
        _ address: PostgreSQLAddress, countMax: Int = 20, waitingMax: Int = 1_024,
        note: @escaping @Sendable (String) -> Void = { _ in },
        noteEnd: @escaping @Sendable () -> Void = {}
    ) {
        precondition((1...20).contains(countMax), "at most 20 connections")
        self.address = address
        self.countMax = countMax
        self.waitingMax = waitingMax
        self.note = note
        self.noteEnd = noteEnd
    }

    /// Lends a connection. A broken one is closed afterwards.
    package func lend<T: Sendable>(
        _ body: @Sendable (inout PostgreSQLConnection) throws -> T
    ) throws -> T {
        do {
            let result = try lendOnce(body)
            if isOut.load(ordering: .relaxed), isOut.exchange(false, ordering: .relaxed) {
                noteEnd()
            }
            return result
        } catch {
            if let error = error as? PostgreSQLError { noteOutage(error) }
            throw error
        }
    }

    private func noteOutage(_ error: PostgreSQLError) {
        let (now, due) = (
            SystemClock.monotonicMilliseconds, nextNote.load(ordering: .relaxed)
        )
        guard error.isOutage, now >= due,
            nextNote.compareExchange(
                expected: due, desired: now + Self.noteInterval, ordering: .relaxed
            ).exchanged
        else { return }
        isOut.store(true, ordering: .relaxed)
        note("\(error)")
    }

    private func lendOnce<T: Sendable>(
        _ body: @Sendable (inout PostgreSQLConnection) throws -> T
    ) throws -> T {
        let slot = try take()
        defer { giveBack(slot) }
        return try slot.connection.withLock { connection -> Result<T, any Error> in
            do {
                var lent = try connection.take() ?? open()
                let before = lent.roundTrips
                let result = Result { try body(&lent) }
                trips.add(lent.roundTrips - before, ordering: .relaxed)
                if !lent.isBroken { connection = consume lent }
                return result
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// How often those who borrowed a connection have waited for the server's answers.
    package var roundTrips: Int { trips.load(ordering: .relaxed) }

    /// Closes the connections that are idle.
    package func close() { state.withLock { $0.idle = [] } }

    private func open() throws(PostgreSQLError) -> PostgreSQLConnection {
        let now = SystemClock.monotonicMilliseconds
        let isTooEarly = state.withLock { state in
            guard state.failures > 0 else { return false }
            guard state.nextAttempt <= now else { return true }
            // While one caller tries, which may take seconds, the others do not wait.
            state.nextAttempt = now + Self.attemptMilliseconds
            return false
        }
        if isTooEarly, let error = lastError.withLock({ $0 }) { throw error }
        do throws(PostgreSQLError) {
            let connection = try PostgreSQLConnection.open(address)
            state.withLock { $0.failures = 0 }
            return connection
        } catch {
            lastError.withLock { $0 = error }
            let later = SystemClock.monotonicMilliseconds
            state.withLock { state in
                state.failures = min(state.failures + 1, 8)
                let longest = min(Self.pauseMax, 25 << Int64(state.failures))
                state.nextAttempt = later + Int64.random(in: 0...longest)
            }
            throw error
        }
    }

    private func take() throws(PostgreSQLError) -> Slot {
        let isRoomy = state.withLock { state in
            state.waiting += 1
            return state.waiting <= waitingMax
        }
        let slot =
            isRoomy
            ? state.wait(atMost: Self.waitMilliseconds) { [countMax] state -> Slot? in
                if let slot = state.idle.popLast() { return slot }
                guard state.count < countMax else { return nil }
                state.count += 1
                return Slot()
            } : nil
        state.withLock { $0.waiting -= 1 }
        guard let slot else {
            throw PostgreSQLError(
                .noConnection, operation: "borrowing a connection",
                detail: "all \(countMax) connections are in use")
        }
        return slot
    }

    private func giveBack(_ slot: Slot) {
        state.withLock { $0.idle.append(slot) }
        state.wakeOne()
    }
}
