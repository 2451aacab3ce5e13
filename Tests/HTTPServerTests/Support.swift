import MacrologHTTP
import MacrologHTTPServer
import Synchronization

/// A server on a free port of this machine.
func start(
    _ change: (inout Configuration) -> Void = { _ in }, handler: @escaping Server.Handler
) throws -> Server {
    var configuration = Configuration()
    configuration.port = 0
    change(&configuration)
    return try Server.start(configuration, handler: handler)
}

/// Counts from any thread.
final class Counter: Sendable {
    private let value = Atomic<Int>(0)
    func add() { value.add(1, ordering: .relaxed) }
    var count: Int { value.load(ordering: .relaxed) }
}
