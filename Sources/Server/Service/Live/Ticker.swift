/// The one timer thread: it ticks four times a second until it is stopped.
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Calls a closure repeatedly.
///
/// Unchecked: `isStopped` is accessed only under `mutex`.
final class Ticker: @unchecked Sendable {
    /// Milliseconds between two calls.
    static let interval: Int64 = 250

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isStopped = false

    init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Starts the thread, to be joined after ``stop()``.
    func start(_ tick: @escaping @Sendable () -> Void) -> Worker {
        Worker.start { [self] in while !waitOrStop() { tick() } }
    }

    func stop() {
        pthread_mutex_lock(mutex)
        isStopped = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Waits for one interval; returns true when the thread must end.
    private func waitOrStop() -> Bool {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let nanoseconds = time.tv_nsec + Int(Self.interval) * 1_000_000
        time.tv_sec += nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if !isStopped { pthread_cond_timedwait(condition, mutex, &time) }
        return isStopped
    }
}

/// Milliseconds of a monotonic clock.
func monotonicMilliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}

/// Milliseconds since 1970 UTC, by the system's clock.
func wallMilliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}
