/// The one thread that writes, with group commit: whatever waits goes into one transaction, and
/// nobody is answered before its commit.
import SQLite
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
    /// Called once, after the commit, on the answering thread.
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
        var grown: [Space: Int64] = [:]
    }

    /// How many changes were queued and not answered.
    private final class Unfinished: Sendable {
        let count = Atomic<Int>(0)
    }

    private let unfinished: Unfinished
    private let inbox: Inbox<Job>
    private let outbox: Inbox<Batch>
    private let threads: [Worker]
    private let owner: Owner

    /// - Parameters:
    ///   - connection: The only one that writes.
    ///   - heads: What is published after each commit.
    ///   - receipts: What goes along with a commit now and then.
    ///   - fatal: Called when nobody can know whether a commit is on the disk; must end the process.
    init(
        _ connection: consuming Connection, _ heads: Heads, _ receipts: Receipts,
        fatal: @escaping @Sendable (String) -> Never
    ) {
        let inbox = Inbox<Job>(capacity: Self.waitingMax)
        let outbox = Inbox<Batch>(capacity: .max)
        let unfinished = Unfinished()
        self.inbox = inbox
        self.outbox = outbox
        self.unfinished = unfinished
        // What is committed is still answered; nothing else is.
        let stop: @Sendable (String) -> Never = { reason in
            outbox.close()
            fatal(reason)
        }
        let owner = Owner(connection, heads, receipts, stop)
        self.owner = owner
        threads = [
            Worker.start {
                while let jobs = inbox.take() { _ = outbox.put(owner.commit(jobs)) }
                outbox.close()
            },
            Worker.start {
                while let batches = outbox.take() {
                    for batch in batches {
                        if !batch.grown.isEmpty { heads.tell(batch.grown) }
                        for finished in batch.finished {
                            finished.job.finish(finished.error)
                            unfinished.count.subtract(1, ordering: .releasing)
                        }
                    }
                }
            },
        ]
    }

    /// Transactions committed so far.
    var commits: Int { owner.commits.load(ordering: .relaxed) }

    /// Whether every change that was queued is answered.
    var isIdle: Bool { unfinished.count.load(ordering: .acquiring) == 0 }

    /// Queues a change.
    func submit(_ job: Job) {
        unfinished.count.add(1, ordering: .relaxed)
        guard !inbox.put(job) else { return }
        unfinished.count.subtract(1, ordering: .relaxed)
        job.finish(.busy)
    }

    /// Finishes what waits and ends both threads.
    func close() {
        inbox.close()
        for thread in threads { thread.join() }
    }

    /// What only the writing thread touches.
    ///
    /// Unchecked: it is made before that thread starts and used by nobody else.
    private final class Owner: @unchecked Sendable {
        let commits = Atomic<Int>(0)
        private var connection: Connection
        private let heads: Heads
        private let receipts: Receipts
        private let fatal: @Sendable (String) -> Never

        init(
            _ connection: consuming Connection, _ heads: Heads, _ receipts: Receipts,
            _ fatal: @escaping @Sendable (String) -> Never
        ) {
            self.connection = connection
            self.heads = heads
            self.receipts = receipts
            self.fatal = fatal
        }

        func commit(_ jobs: [Job]) -> Batch {
            var batch = Batch()
            if transact(jobs, &batch.grown) == nil {
                batch.finished = jobs.map { Finished(job: $0, error: nil) }
            } else {
                // One of them failed, which is rare: each gets a transaction of its own, so that
                // it fails alone.
                batch.finished = jobs.map {
                    Finished(job: $0, error: transact([$0], &batch.grown))
                }
            }
            return batch
        }

        private func transact(_ jobs: [Job], _ grown: inout [Space: Int64]) -> StoreError? {
            var overlay = LogOverlay(heads)
            var written: [Receipt] = []
            do {
                try connection.transaction { connection in
                    for job in jobs { try job.run(&connection, &overlay) }
                    written = try receipts.write(to: &connection)
                }
            } catch let error as SQLiteError {
                switch error.reason {
                case .io, .notFlushed, .corrupt, .notADatabase:
                    fatal("cannot tell what is on the disk: \(error)")
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
