/// In which order jobs run: those of one account one after another, those of different accounts side by
/// side, on a fixed number of threads.
import MacrologEvents
import MacrologSystem

final class Lanes: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        /// The jobs that wait, by account; an account whose job runs is here, too.
        var waiting: [Identifier: [Job]] = [:]
        /// Accounts none of whose jobs runs, the one that has waited longest first.
        var ready: [Identifier] = []
        var count = 0
        var isClosed = false

        /// After a job has run: whether the account has another one, and whether nothing will follow.
        mutating func finish(_ account: Identifier) -> (isReady: Bool, isLast: Bool) {
            guard waiting[account]?.isEmpty == false else {
                waiting[account] = nil
                return (false, isClosed && waiting.isEmpty)
            }
            ready.append(account)
            return (true, false)
        }
    }

    private let state = Monitor(State())
    private let jobsMax: Int
    private let perAccountMax: Int
    private let workers: [Worker]

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - jobsMax: How many jobs may wait.
    ///   - perAccountMax: How many of one account.
    init(threads: Int, jobsMax: Int, perAccountMax: Int) {
        let state = state
        self.jobsMax = jobsMax
        self.perAccountMax = perAccountMax
        workers = (0..<threads).map { _ in Worker.start { Self.work(state) } }
    }

    /// Adds a job; false if too many wait, or after ``close()``.
    ///
    /// - Parameter isLimited: False for the server's own jobs, of which there are few.
    func put(_ account: Identifier, isLimited: Bool = true, _ job: @escaping Job) -> Bool {
        let isTaken = state.withLock { state in
            let own = state.waiting[account]?.count ?? 0
            guard !state.isClosed,
                !isLimited || (state.count < jobsMax && own < perAccountMax)
            else { return false }
            state.count += 1
            if state.waiting[account]?.append(job) == nil {
                state.waiting[account] = [job]
                state.ready.append(account)
            }
            return true
        }
        if isTaken { state.wakeOne() }
        return isTaken
    }

    /// Runs what waits, and ends the threads; once.
    func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        state.wakeAll()
        for worker in workers { worker.join() }
    }

    private static func work(_ state: Monitor<State>) {
        while let (account, job) = next(state) {
            job()
            let (isReady, isLast) = state.withLock { $0.finish(account) }
            if isReady { state.wakeOne() }
            if isLast { state.wakeAll() }
        }
    }

    /// Waits for a job; `nil` when there is none and there will be none.
    private static func next(_ state: Monitor<State>) -> (Identifier, Job)? {
        state.wait { state -> (Identifier, Job)?? in
            guard !state.ready.isEmpty else {
                return state.isClosed && state.waiting.isEmpty ? .some(nil) : nil
            }
            let account = state.ready.removeFirst()
            guard let job = state.waiting[account]?.removeFirst() else { return nil }
            state.count -= 1
            return (account, job)
        }
    }
}
