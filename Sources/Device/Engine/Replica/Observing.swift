import MacrologReadModels

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
        return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                var last: Value?
                do {
                    for await _ in wakeUps {
                        let value = try await whenFree(pause) { try read(self, observer) }
                        if value != last { continuation.yield(value) }
                        last = value
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
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
