/// Observing a replica.
extension Replica {
    /// Reads now, and again after every commit that wrote a table, or entities of a kind, that was
    /// read. Equal answers come once, and a slow observer gets the newest only.
    ///
    /// - Parameter read: Lends the store once, for the observer.
    package func observeReplica<Value: Equatable & Sendable>(
        _ read: @escaping @Sendable (Replica, Observer) throws -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        let (observer, wakeUps) = changes.stream()
        return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                var last: Value?
                do {
                    for await _ in wakeUps {
                        let value = try read(self, observer)
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
}
