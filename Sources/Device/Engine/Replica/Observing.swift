/// Observing a replica.
extension Replica {
    /// Reads now, and again after every commit that may have changed the answer. Equal answers come
    /// once, and a slow observer gets the newest only.
    package func observeReplica<Value: Equatable & Sendable>(
        _ read: @escaping @Sendable (Replica) throws -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        let wakeUps = changes.stream()
        return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                var last: Value?
                do {
                    for await _ in wakeUps {
                        let value = try read(self)
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
