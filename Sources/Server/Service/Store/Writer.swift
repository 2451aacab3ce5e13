/// The single writer, with group commit: all waiting changes share one transaction, and none is
/// answered before its commit.
import MacrologEvents
import MacrologSQLite
import MacrologSystem
import Synchronization

/// One change to make.
struct Job: Sendable {
    /// The account whose turn it takes.
    var share: Turns<Job>.Share
    /// Makes the change. Runs again in its own transaction if the shared one was rolled back.
    let run: @Sendable (inout Connection, inout LogOverlay) throws -> Void
    /// Called once, after the commit, on the answering thread. Called on the submitting thread if
    /// the queue is full or there are no threads.
    let finish: @Sendable (StoreError?) -> Void
}

extension Turns<Job> {
    /// Adds what waits in the inbox, up to the limit of the queue; false when the inbox is closed and
    /// nothing waits.
    fileprivate mutating func fill(from inbox: Inbox<Job>) -> Bool {
        guard count < Writer.waitingMax else { return true }
        guard let jobs = count == 0 ? inbox.take() : inbox.takeNow() else { return false }
        for job in jobs { add(job, of: job.share) }
        return true
    }
}

final class Writer: Sendable {
    /// The maximum number of waiting changes.
    static let waitingMax = 1024

    private struct Finished: Sendable {
        let job: Job
        let error: StoreError?
    }

    /// The outcome of the changes taken from the inbox together.
    private struct Batch: Sendable {
        var finished: [Finished] = []
        var grown: [Space: LogNumber] = [:]

        func answer(_ heads: Heads) {
            if !grown.isEmpty { heads.tell(grown) }
            for finished in finished { finished.job.finish(finished.error) }
        }
    }

    private let inbox: Inbox<Job>
    /// One thread that commits and one that answers; empty if the submitting thread does both.
    private let threads: [Worker]
    private let owner: Owner
    private let heads: Heads
    private let isClosed = Atomic<Bool>(false)

    /// - Parameters:
    ///   - connection: The only write connection.
    ///   - heads: Published after each commit.
    ///   - receipts: Written with some of the commits.
    ///   - hasThreads: Whether the writer has its own threads; otherwise the submitting thread
    ///     makes the change.
    ///   - fatal: Called when it is unknown whether a commit is on disk; should end the process. If
    ///     it returns, nothing more is committed or answered.
    init(
        _ connection: consuming Connection, _ heads: Heads, _ receipts: Receipts,
        hasThreads: Bool, fatal: @escaping @Sendable (String) -> Void
    ) {
        let inbox = Inbox<Job>(capacity: Self.waitingMax)
        let outbox = Inbox<Batch>(capacity: .max)
        // Batches already handed over are still answered; nothing else is.
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
                var turns = Turns<Job>()
                while turns.fill(from: inbox), let batch = owner.commit(turns.next()) {
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

    /// Queues a change, or makes it if there are no threads.
    func submit(_ job: Job) {
        if threads.isEmpty, !isClosed.load(ordering: .relaxed) {
            owner.commit([job])?.answer(heads)
        } else if !inbox.put(job) {
            job.finish(.busy)
        }
    }

    /// Finishes waiting changes and ends the threads; later changes are refused.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        inbox.close()
        for thread in threads { thread.join() }
    }

    /// State of the writer, used by one thread at a time.
    private final class Owner: Sendable {
        let commits = Atomic<Int>(0)
        private let disk: Mutex<Disk>
        private let heads: Heads
        private let receipts: Receipts
        private let fatal: @Sendable (String) -> Void

        private struct Disk: ~Copyable {
            var connection: Connection
            var hasEnded = false
            /// Whether the write-ahead log still holds what was deleted.
            var mustEmptyLog = false
        }

        init(
            _ connection: consuming Connection, _ heads: Heads, _ receipts: Receipts,
            fatal: @escaping @Sendable (String) -> Void
        ) {
            disk = Mutex(Disk(connection: connection))
            self.heads = heads
            self.receipts = receipts
            self.fatal = fatal
        }

        /// - Returns: `nil` if it is unknown what is on disk.
        func commit(_ jobs: [Job]) -> Batch? { disk.withLock { commit(jobs, &$0) } }

        private func commit(_ jobs: [Job], _ disk: inout Disk) -> Batch? {
            guard !disk.hasEnded else { return nil }
            var batch = Batch()
            if transact(jobs, &batch.grown, &disk) == nil {
                batch.finished = jobs.map { Finished(job: $0, error: nil) }
            } else if !disk.hasEnded {
                // One change failed, which is rare: each is retried in its own transaction, so that
                // only the failing one fails.
                batch.finished = jobs.map {
                    Finished(job: $0, error: transact([$0], &batch.grown, &disk))
                }
            }
            return disk.hasEnded ? nil : batch
        }

        private func transact(
            _ jobs: [Job], _ grown: inout [Space: LogNumber], _ disk: inout Disk
        ) -> StoreError? {
            guard !disk.hasEnded else { return .failed("nothing is written any more") }
            var overlay = LogOverlay(heads)
            let due = receipts.due
            do {
                try disk.connection.transaction { connection in
                    for job in jobs { try job.run(&connection, &overlay) }
                    try connection.write(due)
                }
            } catch let error as SQLiteError {
                switch error.code {
                // A damaged row affects one account; the file itself is sound.
                case .corrupt where error.extendedCode == 0: return .failed("\(error)")
                case .io, .notFlushed, .corrupt, .notADatabase:
                    disk.hasEnded = true
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
            disk.mustEmptyLog = disk.mustEmptyLog || overlay.emptiesLog
            // While a reader still needs it, the next commit tries again.
            if disk.mustEmptyLog {
                disk.mustEmptyLog = (try? disk.connection.checkpoint()) != true
            }
            overlay.publish()
            receipts.settle(due, written: due)
            grown.merge(overlay.grown) { max($0, $1) }
            return nil
        }
    }
}
