import MacrologReadModels
import Synchronization

/// Observing a replica.
extension Replica {
    /// Reads now, and again after every commit that wrote a table, or entities of a kind, that was
    /// read. Equal answers come once, and a slow observer gets the newest only.
    ///
    /// - Parameters:
    ///   - pause: Waits, while another process has the file, before the next try.
    ///   - read: Lends the store once, for the observer.
    package func observeReplica<Value: Equatable & Sendable>(
        pause: @escaping @Sendable () async throws -> Void = {
            try await Task.sleep(for: .milliseconds(100))
        }, _ read: @escaping @Sendable (Replica, Observer) throws -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        let (observer, wakeUps) = changes.stream()
        let state = Mutex((last: Value?.none, hasEnded: false))
        // Reads when it is asked for a value: one that was read earlier could be old, or replaced unseen.
        return AsyncThrowingStream {
            if state.withLock({ $0.hasEnded }) { return nil }
            do {
                for await _ in wakeUps {
                    let value = try await self.whenFree(pause) { try read(self, observer) }
                    let isNew = state.withLock { state in
                        defer { state.last = value }
                        return value != state.last
                    }
                    if isNew { return value }
                }
            } catch {
                state.withLock { $0.hasEnded = true }
                if !Task.isCancelled { throw error }
            }
            return nil
        }
    }

    /// Reads as soon as no other process has the file.
    private func whenFree<Value>(
        _ pause: () async throws -> Void, _ read: () throws -> Value
    ) async throws -> Value {
        while true {
            do { return try read() } catch is FileIsHeld { try await pause() }
        }
    }
}

/// Another process has the file, and an observer tries again.
struct FileIsHeld: Error {}
