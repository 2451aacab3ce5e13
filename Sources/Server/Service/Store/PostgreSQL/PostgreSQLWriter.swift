/// Makes changes, with the rows of their accounts locked: small pushes of several accounts together, each other
/// one in a transaction of its own. None is answered before its commit.
import MacrologCryptography
import MacrologEvents
import MacrologPostgreSQL
import MacrologSystem
import Synchronization

/// Makes the changes of one node, those of one account one after the other.
///
/// A commit whose outcome is unknown is never answered as made. The change is begun again on another
/// connection: events are found by their dots; any other change left a row with its own random number,
/// which, if it is there, says that it was made. The lock of the account, and that number, wait for a
/// first transaction that still runs on the server.
final class PostgreSQLWriter: Sendable {
    /// One change to make.
    final class Job: Sendable {
        let kind: ChangeKind
        /// Makes the change, perhaps more than once.
        let run: @Sendable (inout PostgreSQLConnection, inout LogOverlay) throws -> Void
        /// Called once, after the commit.
        let finish: @Sendable (StoreError?) -> Void
        /// When it is given up, in milliseconds of a monotonic clock.
        fileprivate let deadline: Int64
        /// Of a push that shares its transaction: how many events it has.
        fileprivate let sharedEvents: Int?

        /// - Parameter patience: How long it is tried, in milliseconds from now.
        init(
            kind: ChangeKind, patience: Int64 = PostgreSQLWriter.patience,
            run:
                @escaping @Sendable (inout PostgreSQLConnection, inout LogOverlay) throws -> Void,
            finish: @escaping @Sendable (StoreError?) -> Void
        ) {
            self.kind = kind
            self.run = run
            self.finish = finish
            deadline = SystemClock.monotonicMilliseconds + patience
            let isShared = kind.push != nil && kind.events ?? .max <= Turns<Job>.smallMax
            sharedEvents = isShared ? kind.events : nil
        }
    }

    private struct State {
        var waiting: [Job] = []
        /// The accounts whose changes are being made.
        var busy: Set<Space> = []
        /// Transactions of small pushes that are being made.
        var shared = 0
        var isClosed = false

        /// Takes the first change that can be made now; with a small push, those of other accounts that wait.
        /// Each account's changes keep their order. Empty if none can be made.
        mutating func next() -> [Job] {
            guard let first else { return [] }
            guard waiting[first].sharedEvents != nil else {
                let job = waiting.remove(at: first)
                if let space = job.kind.space { busy.insert(space) }
                return [job]
            }
            shared += 1
            var (taken, rest) = ([Job](), [Job]())
            var events = 0
            var passed: Set<Space> = []
            for job in waiting {
                if let space = job.kind.space, let count = job.sharedEvents, !isBusy(job),
                    !passed.contains(space), taken.count < PostgreSQLWriter.pushesMax,
                    taken.isEmpty || events + count <= Turns<Job>.eventsMax
                {
                    busy.insert(space)
                    events += count
                    taken.append(job)
                } else {
                    if let space = job.kind.space { passed.insert(space) }
                    rest.append(job)
                }
            }
            waiting = rest
            return taken
        }

        /// The index of the first change that can be made now.
        var first: Int? {
            let isFull = shared >= PostgreSQLWriter.sharedMax
            return waiting.firstIndex { !(isFull && $0.sharedEvents != nil) && !isBusy($0) }
        }

        private func isBusy(_ job: Job) -> Bool {
            job.kind.space.map { busy.contains($0) } ?? false
        }

        /// What was taken is made.
        mutating func end(_ jobs: [Job]) {
            if jobs.first?.sharedEvents != nil { shared -= 1 }
            for job in jobs { if let space = job.kind.space { busy.remove(space) } }
        }

        /// Takes out the changes whose time is over.
        mutating func expired(at now: Int64) -> [Job] {
            let expired = waiting.filter { $0.deadline <= now }
            if !expired.isEmpty { waiting.removeAll { $0.deadline <= now } }
            return expired
        }
    }

    /// The maximum number of waiting changes.
    static let waitingMax = 1_024
    /// Pushes that share a transaction.
    static let pushesMax = 64
    /// Transactions of small pushes at a time: while these are made, others gather. With one a third fewer events are
    /// written where a push has many; four write no more.
    static let sharedMax = 2
    /// How long a change is tried again, in milliseconds: longer than a failover takes.
    static let patience: Int64 = 40_000
    /// How often receipts are looked at, in milliseconds.
    private static let receiptsPause: Int64 = 1_000
    /// The pause after a portion of receipts, in milliseconds: pushes do not wait for all that are due at once.
    private static let portionPause: Int64 = 50
    /// How long the last receipts are tried, in milliseconds.
    private static let lastReceiptsPatience: Int64 = 5_000
    /// How often is forgotten what is over, in milliseconds.
    private static let forgettingInterval: Int64 = 3_600_000

    private let pool: PostgreSQLPool
    private let news: PostgreSQLNews
    private let receipts: Receipts
    /// Where logs and devices stood at the last push on this node. Others write, too, so it is only where the ends
    /// are looked for at first.
    let hints = Heads()
    /// Only threads that look for a change to make wait for it, so one is woken for one change.
    private let state = Monitor(State())
    /// Whether the store closes, for those that pause.
    private let closing = Monitor(false)
    private let committed = Atomic<Int>(0)
    /// Held while receipts are written.
    private let writing = Mutex(())
    private let threads = Mutex<[Worker]>([])
    /// Whether other stores serve accounts, too.
    private let isPart: Bool
    private let hasThreads: Bool

    init(
        _ pool: PostgreSQLPool, _ news: PostgreSQLNews, _ receipts: Receipts, isPart: Bool,
        hasThreads: Bool
    ) {
        self.isPart = isPart
        self.pool = pool
        self.news = news
        self.receipts = receipts
        self.hasThreads = hasThreads
        guard hasThreads else { return }
        let workers = (0..<8).map { _ in Worker.start { self.work() } }
        let clerk = Worker.start { self.writeReceipts() }
        threads.withLock { $0 = workers + [clerk] }
    }

    /// Transactions committed so far.
    var commits: Int { committed.load(ordering: .relaxed) }

    /// Queues a change, or makes it if there are no threads.
    func submit(_ job: Job) {
        guard hasThreads else {
            make([job])
            return
        }
        let (isRoomy, mayBegin) = state.withLock { state in
            guard !state.isClosed, state.waiting.count < Self.waitingMax else {
                return (false, false)
            }
            state.waiting.append(job)
            return (true, job.sharedEvents == nil || state.shared < Self.sharedMax)
        }
        guard isRoomy else { return job.finish(.busy) }
        // Otherwise it is taken with what gathers when a transaction ends.
        if mayBegin { state.wakeOne() }
    }

    /// Finishes waiting changes and ends the threads; later changes are refused. Nothing is tried again.
    func close() {
        state.withLock { $0.isClosed = true }
        state.wakeAll()
        closing.withLock { $0 = true }
        closing.wakeAll()
        for thread in threads.withLock({ $0 }) { thread.join() }
        if !hasThreads { writeLastReceipts() }
    }

    // MARK: The threads

    private func work() {
        while true {
            let (jobs, isMore) = state.wait { state -> (jobs: [Job], isMore: Bool)? in
                let jobs = state.next()
                return jobs.isEmpty && !state.isClosed ? nil : (jobs, state.first != nil)
            }
            guard !jobs.isEmpty else { return }
            // What a transaction leaves or frees is looked for by the thread that made it. It wakes one other for what
            // can be made beside what it takes, and that one the next.
            if isMore { state.wakeOne() }
            make(jobs)
            state.withLock { $0.end(jobs) }
        }
    }

    private func writeReceipts() {
        var forgotten = SystemClock.monotonicMilliseconds
        var pause = Self.receiptsPause
        while true {
            let isClosed = closing.wait(atMost: pause) { $0 ? true : nil }
            finishExpired(at: SystemClock.monotonicMilliseconds)
            pause = writeDueReceipts() ? Self.portionPause : Self.receiptsPause
            if SystemClock.monotonicMilliseconds - forgotten > Self.forgettingInterval {
                forgotten = SystemClock.monotonicMilliseconds
                forgetOver()
            }
            if isClosed == true { return writeLastReceipts() }
        }
    }

    /// Deletes what says which changes were made, once they can no longer be asked about, and leases and buckets
    /// that are as if they were not there.
    private func forgetOver() {
        _ = try? pool.lend { db in
            try db.run("DELETE FROM change_made WHERE at < now() - interval '1 day'")
            try db.run("DELETE FROM lease WHERE ends < now() - interval '1 day'")
            try db.run("DELETE FROM attempt WHERE full_at < ?", SystemClock.wallMilliseconds)
            try db.flush()
        }
    }

    /// Writes what is left when the store closes, again on another connection if one had broken: what is not
    /// written now is forgotten.
    private func writeLastReceipts() {
        let deadline = SystemClock.monotonicMilliseconds + Self.lastReceiptsPatience
        while !receipts.due.isEmpty {
            writeDueReceipts()
            if receipts.due.isEmpty || SystemClock.monotonicMilliseconds >= deadline { return }
            Self.pause(atMost: 50)
        }
    }

    /// Writes a portion of them, if one is due.
    ///
    /// - Returns: Whether some were written. What fails, or is locked, is written with the next ones.
    @discardableResult
    func writeDueReceipts() -> Bool {
        // One thread writes them at a time.
        writing.withLock { _ in
            let due = receipts.due
            guard !due.isEmpty else { return false }
            let made = try? pool.lend { [isPart] db in
                try db.transaction { db in
                    let spaces = Set(due.map(\.space))
                    let passed = isPart ? spaces.subtracting(try db.holdServed(spaces)) : []
                    let served = due.filter { !passed.contains($0.space) }
                    return (written: try db.writeUnlocked(served), passed: passed)
                }
            }
            guard let made else { return false }
            receipts.settle(due, written: made.written, passed: made.passed)
            return !made.written.isEmpty
        }
    }

    /// All threads may be trying again: what waits for one is answered nevertheless.
    private func finishExpired(at now: Int64) {
        for job in state.withLock({ $0.expired(at: now) }) { job.finish(.busy) }
    }

    // MARK: One transaction

    /// - Parameters:
    ///   - all: One change, or small pushes of different accounts.
    ///   - isUnknown: The outcome of an earlier attempt is unknown.
    private func make(_ all: [Job], isUnknown: Bool = false) {
        let id = randomBytes(16)
        var jobs = all
        var isUnknown = isUnknown
        var pause: Int64 = 10
        while true {
            let now = SystemClock.monotonicMilliseconds
            for job in jobs where job.deadline <= now { job.finish(.busy) }
            jobs.removeAll { $0.deadline <= now }
            guard !jobs.isEmpty else { return }
            do {
                let made = try pool.lend { [jobs, isUnknown] db in
                    try self.attempt(jobs, id, again: isUnknown, &db)
                }
                committed.add(1, ordering: .relaxed)
                if let made {
                    made.publish(to: hints)
                    let grown = made.grown
                    if !grown.isEmpty { news.publish(grown) }
                }
                for job in jobs { job.finish(nil) }
                // Urgent ones follow a change that is made for them. No push waits for them.
                if !hasThreads || jobs.first?.sharedEvents == nil { writeDueReceipts() }
                return
            } catch {
                let failure = error as? PostgreSQLError
                isUnknown = isUnknown || failure?.isOutcomeUnknown == true
                // What one push may not have does not keep the others from theirs.
                if jobs.count > 1, failure?.endsConnection == false {
                    for job in jobs { make([job], isUnknown: isUnknown) }
                    return
                }
                let isWorthIt = failure.map { $0.isRetryable || $0.isOutcomeUnknown } ?? false
                let isClosed = state.withLock { $0.isClosed }
                // Without a database to close with, nothing that waits can be made either.
                finishExpired(
                    at: isClosed && isWorthIt ? .max : SystemClock.monotonicMilliseconds)
                guard isWorthIt, !isClosed else {
                    // It may have been made: an error says that it is not known, never that it was.
                    for job in jobs { job.finish(isUnknown ? .busy : StoreError(error)) }
                    return
                }
            }
            let random = Int64.random(in: 0...pause)
            _ = closing.wait(atMost: random) { $0 ? true : nil }
            pause = min(pause * 2, 1_000)
        }
    }

    /// - Parameter again: The outcome of an earlier attempt is unknown.
    /// - Returns: The heads of the logs that have grown; `nil` if an earlier attempt has made it.
    private func attempt(
        _ jobs: [Job], _ id: [UInt8], again: Bool, _ db: inout PostgreSQLConnection
    ) throws -> LogOverlay? {
        try db.transaction { db in
            if jobs.contains(where: { !$0.kind.isRepeatable }) {
                guard try Self.note(id, again: again, &db) else { return nil }
            }
            if jobs.contains(where: \.kind.isOfServer) {
                try db.run("SELECT 1 FROM server FOR UPDATE")
            }
            let spaces = jobs.compactMap(\.kind.space)
            if !spaces.isEmpty { try isPart ? db.lockServed(spaces) : db.lock(spaces) }
            // A statement of its own, which begins when the accounts are locked: it sees what was committed
            // while they were waited for.
            let questions = jobs.compactMap(\.kind.push).map { StandingQuestion.of($0, $1) }
            let standings = questions.isEmpty ? [:] : try db.standings(questions, hints: hints)
            var overlay = LogOverlay(nil, standings: standings)
            let before = db.writes
            for job in jobs { try job.run(&db, &overlay) }
            try db.writeWaiting(&overlay)
            if let job = jobs.first, let space = job.kind.space, job.kind.isRepeatable,
                db.writes == before
            {
                // What was pushed is here already. A commit that writes is answered only when the
                // standbys have it, and so all that is before it.
                try db.run(
                    "UPDATE account SET event_bytes = event_bytes WHERE space = ?", space)
            }
            return overlay
        }
    }

    /// Notes that a change is made; false if an earlier attempt has made it.
    private static func note(
        _ id: [UInt8], again: Bool, _ db: inout PostgreSQLConnection
    ) throws(PostgreSQLError) -> Bool {
        guard again else {
            try db.run("INSERT INTO change_made (id) VALUES (?)", id)
            return true
        }
        // Waits for an earlier attempt that has not ended yet.
        try db.run("INSERT INTO change_made (id) VALUES (?) ON CONFLICT DO NOTHING", id)
        guard try db.changed() == 0 else { return true }
        // This commit waits for the same standbys as that one.
        try db.run("UPDATE change_made SET at = now() WHERE id = ?", id)
        return false
    }

    /// Waits for a random time, so that those who failed together do not try again together.
    static func pause(atMost milliseconds: Int64) {
        _ = Monitor(()).wait(atMost: Int64.random(in: 0...milliseconds)) { _ in Void?.none }
    }
}
