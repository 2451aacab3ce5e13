import MacrologPlatform

/// A value under a mutex, and threads that wait until it changes.
///
/// Unchecked: `state` is accessed only under `mutex`.
package final class Monitor<State: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    /// A value that no thread uses otherwise.
    package init(_ state: State) {
        self.state = state
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        initializeMonotonic(condition)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Uses the value alone.
    package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Waits until a body, which is called again after each wake-up, returns something.
    package func wait<Result>(until body: (inout State) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// Waits at most some milliseconds, or until a body returns something. Setting the system's
    /// clock makes no wait longer or shorter.
    ///
    /// - Returns: What the body returned at last.
    package func wait<Result>(
        atMost milliseconds: Int64, until body: (inout State) -> Result?
    ) -> Result? {
        let deadline = SystemClock.monotonicMilliseconds + milliseconds
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            let rest = deadline - SystemClock.monotonicMilliseconds
            guard rest > 0 else { return nil }
            waitOnce(condition, mutex, milliseconds: rest)
        }
    }

    /// Wakes one waiting thread. Called after ``withLock(_:)``, so that it finds the mutex free.
    package func wakeOne() { pthread_cond_signal(condition) }

    /// Wakes all waiting threads.
    package func wakeAll() { pthread_cond_broadcast(condition) }
}
