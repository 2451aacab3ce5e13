/// How a thread of the gateway waits for what is asynchronous: it runs it itself, so that no other thread is
/// needed.
import MacrologSystem

final class WaitingThread<Value: Sendable>: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var result: Result<Value, any Error>?
    }

    private let state = Monitor(State())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        state.wakeOne()
    }

    /// What the body returns or throws. To be called once.
    func value(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        Task(executorPreference: self) {
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            self.state.withLock { $0.result = result }
        }
        while true {
            let (job, result) = state.wait { state -> (UnownedJob?, Result<Value, any Error>?)? in
                guard state.jobs.isEmpty else { return (state.jobs.removeFirst(), nil) }
                return state.result.map { (nil, $0) }
            }
            if let result { return try result.get() }
            job?.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
