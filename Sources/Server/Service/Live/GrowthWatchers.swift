/// Who in this process, besides live channels, wants to hear that a log has grown.
import MacrologEvents
import Synchronization

final class GrowthWatchers: Sendable {
    private struct State {
        var bySpace: [Space: [UInt64: @Sendable () -> Void]] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Adds a watcher, which must not block, and returns its number.
    func add(_ space: Space, _ watcher: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.last &+= 1
            state.bySpace[space, default: [:]][state.last] = watcher
            return state.last
        }
    }

    func remove(_ number: UInt64, of space: Space) {
        state.withLock { state in
            state.bySpace[space]?[number] = nil
            if state.bySpace[space]?.isEmpty == true { state.bySpace[space] = nil }
        }
    }

    /// Calls the watchers of a space although its log is as it was.
    func wake(_ space: Space) {
        let watchers = state.withLock { $0.bySpace[space] ?? [:] }
        for (_, watcher) in watchers { watcher() }
    }

    /// Calls the watchers of spaces whose logs have grown.
    func grown(_ heads: [Space: LogNumber]) {
        let watchers = state.withLock { state in
            state.bySpace.isEmpty ? [] : heads.keys.flatMap { state.bySpace[$0] ?? [:] }
        }
        for (_, watcher) in watchers { watcher() }
    }
}
