/// The one that writes, with group commit: whatever waits goes into one transaction, and nobody is
/// answered before its commit.
import MacrologEvents
import MacrologSQLite
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One change to be made.
struct Job: Sendable {
    /// Makes the change. Runs again, alone, when the transaction that it shared was rolled back.
    let run: @Sendable (inout Connection, inout LogOverlay) throws -> Void
    /// Called once, after the commit, on the thread that answers: of a full queue, and where there are
    /// no threads, the one that submitted.
    let finish: @Sendable (StoreError?) -> Void
}

final class Writer: Sendable {
    /// Changes that may wait at once.
    static let waitingMax = 1024

    private struct Finished: Sendable {
        let job: Job
        let error: StoreError?
    }

    /// What came of the changes that were taken from the inbox at one go.
    private struct Batch: Sendable {
        var finished: [Finished] = []
        var grown: [Space: LogNumber] = [:]

        func answer(_ heads: Heads) {
            if !grown.isEmpty { heads.tell(grown) }
            for finished in finished { finished.job.finish(finished.error) }
        }
    }

    private let inbox: Inbox<Job>
    /// A thread that commits and one that answers; none where whoever submits does both.
    private let threads: [Worker]
    private let owner: Owner
    private let heads: Heads
    private let isClosed = Atomic<Bool>(false)

    /// - Parameters:
    ///   - connection: The only one that writes.
    ///   - heads: What is published after each commit.
    ///   - receipts: What goes along with a commit now and then.
    ///   - hasThreads: Whether changes are made by threads of its own; else by those that submit.
    ///   - fatal: Called when nobody can know whether a commit is on the disk; should end the
    ///     process. Where it returns, nothing is committed or answered any more.
    init(
        _ connection: consuming Connection, _ heads: Heads, _ receipts: Receipts,
        hasThreads: Bool, fatal: @escaping @Sendable (String) -> Void
    ) {
        let inbox = Inbox<Job>(capacity: Self.waitingMax)
        let outbox = Inbox<Batch>(capacity: .max)
        // What was handed over is still answered; nothing else is.
        let owner = Owner(connection, heads, receipts) { reason in
            outbox.close()
            fatal(reason)
        }
        self.inbox = inbox
        self.owner = owner
        self.heads = heads
        guard hasThreads else {
            threads = []
            return
        }
        threads = [
            Worker.start {
                while let jobs = inbox.take(), let batch = owner.commit(jobs) {
                    _ = outbox.put(batch)
                }
                outbox.close()
            },
            Worker.start {
                while let batches = outbox.take() {
                    for batch in batches { batch.answer(heads) }
                }
            },
        ]
    }

    /// Transactions committed so far.
    var commits: Int { owner.commits.load(ordering: .relaxed) }

    /// Queues a change, or makes it where there are no threads for that.
    func submit(_ job: Job) {
        if threads.isEmpty, !isClosed.load(ordering: .relaxed) {
            owner.commitInTurn(job)?.answer(heads)
        } else if !inbox.put(job) {
            job.finish(.busy)
        }
    }

    /// Finishes what waits and ends the threads; then nothing is taken any more.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        inbox.close()
        for thread in threads { thread.join() }
    }

    /// What only the writing thread touches, or whoever's turn it is.
    ///
    /// Unchecked: it is made before that thread starts and used by nobody else; without threads, `turn`
    /// guards it.
    private final class Owner: @unchecked Sendable {
        let commits = Atomic<Int>(0)
        private var connection: Connection
        private let heads: Heads
        private let receipts: Receipts
        private let fatal: @Sendable (String) -> Void
        private var hasEnded = false
        private let turn = Mutex(())

        init(
            _ connection: consuming Connection, _ heads: Heads, _ receipts: Receipts,
            fatal: @escaping @Sendable (String) -> Void
        ) {
            self.connection = connection
            self.heads = heads
            self.receipts = receipts
            self.fatal = fatal
        }

        func commitInTurn(_ job: Job) -> Batch? { turn.withLock { _ in commit([job]) } }

        /// - Returns: `nil` once nobody can know what is on the disk.
        func commit(_ jobs: [Job]) -> Batch? {
            guard !hasEnded else { return nil }
            var batch = Batch()
            if transact(jobs, &batch.grown) == nil {
                batch.finished = jobs.map { Finished(job: $0, error: nil) }
            } else if !hasEnded {
                // One of them failed, which is rare: each gets a transaction of its own, so that
                // it fails alone.
                batch.finished = jobs.map {
                    Finished(job: $0, error: transact([$0], &batch.grown))
                }
            }
            return hasEnded ? nil : batch
        }

        private func transact(_ jobs: [Job], _ grown: inout [Space: LogNumber]) -> StoreError? {
            guard !hasEnded else { return .failed("nothing is written any more") }
            var overlay = LogOverlay(heads)
            var written: [Receipt] = []
            do {
                try connection.transaction { connection in
                    for job in jobs { try job.run(&connection, &overlay) }
                    written = try receipts.write(to: &connection)
                }
            } catch let error as SQLiteError {
                switch error.reason {
                // What one row holds harms one account; the file as such is sound.
                case .corrupt where error.extendedCode == 0: return .failed("\(error)")
                case .io, .notFlushed, .corrupt, .notADatabase:
                    hasEnded = true
                    fatal("cannot tell what is on the disk: \(error)")
                    return .failed("\(error)")
                case .full: return .full
                case .busy: return .busy
                default: return .failed("\(error)")
                }
            } catch {
                return .failed("\(error)")
            }
            commits.add(1, ordering: .relaxed)
            overlay.publish()
            receipts.settle(written)
            grown.merge(overlay.grown) { max($0, $1) }
            return nil
        }
    }
}
