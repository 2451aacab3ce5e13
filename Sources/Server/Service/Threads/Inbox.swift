/// A bounded queue between threads, whose consumer takes all waiting elements at once.
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A queue of at most `capacity` elements with one consumer.
///
/// Unchecked: `elements` and `isClosed` are accessed only under `mutex`.
final class Inbox<Element: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let capacity: Int
    private var elements: [Element] = []
    private var isClosed = false

    init(capacity: Int) {
        self.capacity = capacity
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

    /// Adds an element; false when the queue is full or closed.
    func put(_ element: Element) -> Bool {
        pthread_mutex_lock(mutex)
        let isRoomy = !isClosed && elements.count < capacity
        if isRoomy { elements.append(element) }
        let isFirst = isRoomy && elements.count == 1
        pthread_mutex_unlock(mutex)
        // Signals after unlocking, so that the woken thread finds the mutex free.
        if isFirst { pthread_cond_signal(condition) }
        return isRoomy
    }

    /// Waits for elements and takes at most `count` of the oldest; `nil` if the queue is closed and
    /// empty.
    func take(atMost count: Int = .max) -> [Element]? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while elements.isEmpty {
            if isClosed { return nil }
            pthread_cond_wait(condition, mutex)
        }
        if count >= elements.count {
            let all = elements
            elements = []
            elements.reserveCapacity(all.count)
            return all
        }
        let some = Array(elements[..<count])
        elements.removeSubrange(..<count)
        return some
    }

    /// Refuses new elements; those in the queue can still be taken.
    func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }
}
