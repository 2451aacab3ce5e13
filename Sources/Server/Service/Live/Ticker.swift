/// A timer thread: it ticks, by default four times a second, until it is stopped.
import MacrologSystem

/// Calls a closure repeatedly.
final class Ticker: Sendable {
    /// Milliseconds between two calls.
    private let interval: Int64
    private let isStopped = Monitor(false)

    init(interval: Int64 = 250) { self.interval = interval }

    /// Starts the thread, to be joined after ``stop()``.
    func start(_ tick: @escaping @Sendable () -> Void) -> Worker {
        Worker.start { [self] in while !waitOrStop() { tick() } }
    }

    func stop() {
        isStopped.withLock { $0 = true }
        isStopped.wakeAll()
    }

    /// Waits for one interval; returns true when the thread must end.
    private func waitOrStop() -> Bool {
        isStopped.wait(atMost: interval) { $0 ? true : nil } ?? false
    }
}
