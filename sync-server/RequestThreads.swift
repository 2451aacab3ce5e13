/// Threads for requests that may wait for another machine: the threads of the HTTP server, each of which serves
/// many connections, must not.
import MacrologSystem

final class RequestThreads: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isClosed = false
    }

    /// More requests than this do not wait.
    private static let waitingMax = 1_024
    private static let countMax = 24

    private let state: Monitor<State>
    private let threads: [Worker]

    init() {
        let state = Monitor(State())
        self.state = state
        threads = (0..<Self.countMax).map { _ in
            Worker.start {
                while true {
                    let work = state.wait { state -> (@Sendable () -> Void)?? in
                        guard !state.waiting.isEmpty else {
                            return state.isClosed ? .some(nil) : nil
                        }
                        return state.waiting.removeFirst()
                    }
                    guard let work else { return }
                    work()
                }
            }
        }
    }

    /// Runs something on one of the threads; false if too much waits.
    func run(_ work: @escaping @Sendable () -> Void) -> Bool {
        let isRoomy = state.withLock { state in
            guard !state.isClosed, state.waiting.count < Self.waitingMax else { return false }
            state.waiting.append(work)
            return true
        }
        if isRoomy { state.wakeOne() }
        return isRoomy
    }

    /// Finishes what waits, and ends the threads.
    func close() {
        state.withLock { $0.isClosed = true }
        state.wakeAll()
        for thread in threads { thread.join() }
    }
}
