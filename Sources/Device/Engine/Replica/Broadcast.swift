import Synchronization

/// One who observes a replica.
package struct Observer: Hashable, Sendable {
    fileprivate let number: Int
}

/// Wakes the observers of a replica that have read what was written. A wake-up carries no data; an
/// observer reads the replica again, so wake-ups that come faster than it reads are merged.
final class Broadcast: Sendable {
    private struct Listener {
        let continuation: AsyncStream<Void>.Continuation
        /// The tables that it read last; `nil` before.
        var read: Set<String>?
    }

    private struct Listeners {
        var next = 0
        var all: [Observer: Listener] = [:]
    }

    private let listeners = Mutex(Listeners())

    /// Whether anyone observes.
    var isObserved: Bool { listeners.withLock { !$0.all.isEmpty } }

    /// Wakes those that have read one of some tables; `nil` where anything may have changed.
    func send(_ written: [String]?) {
        let woken = listeners.withLock { listeners in
            listeners.all.values.filter { listener in
                guard let written, let read = listener.read else { return true }
                return !read.isDisjoint(with: written)
            }
        }
        for listener in woken { listener.continuation.yield() }
    }

    /// Says what an observer has read. To be called before anything else can be written.
    func note(_ observer: Observer, hasRead tables: [String]) {
        listeners.withLock { $0.all[observer]?.read = Set(tables) }
    }

    /// An observer, and a stream of its wake-ups, the first at once.
    func stream() -> (observer: Observer, wakeUps: AsyncStream<Void>) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let observer = listeners.withLock { listeners in
            listeners.next += 1
            let observer = Observer(number: listeners.next)
            listeners.all[observer] = Listener(continuation: continuation)
            return observer
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.listeners.withLock { $0.all.removeValue(forKey: observer) }
        }
        continuation.yield()
        return (observer, stream)
    }
}
