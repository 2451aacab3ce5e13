/// Observing a replica.
extension Replica {
    /// Reads now, and again after every commit that may have changed the answer: another device's
    /// events that arrive by syncing included. Equal answers come once.
    ///
    ///     for try await day in replica.observe({ try $0.summary(of: today) }) { show(day) }
    public func observe<Value: Equatable & Sendable>(
        _ read: @escaping @Sendable (Replica) throws -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        let wakeUps = changes.stream()
        return AsyncThrowingStream { continuation in
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
