/// A bounded queue between threads, whose consumer takes all waiting elements at once.
import MacrologSystem

/// A queue of at most `capacity` elements with one consumer.
final class Inbox<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var isClosed = false
    }

    private let state = Monitor(State())
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// Adds an element; false when the queue is full or closed.
    func put(_ element: Element) -> Bool {
        let (isRoomy, isFirst) = state.withLock { state in
            let isRoomy = !state.isClosed && state.elements.count < capacity
            if isRoomy { state.elements.append(element) }
            return (isRoomy, isRoomy && state.elements.count == 1)
        }
        if isFirst { state.wakeOne() }
        return isRoomy
    }

    /// Waits for elements and takes at most `count` of the oldest; `nil` if the queue is closed and
    /// empty.
    func take(atMost count: Int = .max) -> [Element]? {
        state.wait { state -> [Element]?? in
            guard !state.elements.isEmpty else { return state.isClosed ? .some(nil) : nil }
            guard count < state.elements.count else {
                var all: [Element] = []
                all.reserveCapacity(state.elements.count)
                swap(&all, &state.elements)
                return all
            }
            let some = Array(state.elements[..<count])
            state.elements.removeSubrange(..<count)
            return some
        }
    }

    /// Takes all elements that are there, without waiting for any.
    func takeNow() -> [Element] {
        state.withLock { state in
            var all: [Element] = []
            swap(&all, &state.elements)
            return all
        }
    }

    /// Refuses new elements; those in the queue can still be taken.
    func close() {
        state.withLock { $0.isClosed = true }
        state.wakeAll()
    }
}
