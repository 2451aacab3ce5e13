import Synchronization

/// A clock that stands still until a test moves it.
package final class ManualClock: Sendable {
    private let time: Atomic<Int64>

    /// - Parameter now: Milliseconds since 1970 UTC.
    package init(_ now: Int64 = 1_700_000_000_000) { time = Atomic(now) }

    /// Milliseconds since 1970 UTC.
    package var now: Int64 {
        get { time.load(ordering: .relaxed) }
        set { time.store(newValue, ordering: .relaxed) }
    }

    package func advance(milliseconds: Int64) { time.add(milliseconds, ordering: .relaxed) }
}
