/// Which requests wait for a reply that did not come at once. libmicrohttpd must not be stopped
/// while one of them is suspended.
import HTTP
import Synchronization

final class Waiting: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Notes a connection that is about to be suspended; false when nobody may wait any more.
    func add(_ connection: Connection) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.connections[ObjectIdentifier(connection)] = connection
            return true
        }
    }

    func remove(_ connection: Connection) {
        state.withLock { $0.connections[ObjectIdentifier(connection)] = nil }
    }

    /// Answers 503 to all who wait, and lets nobody wait from now on.
    func close() {
        let connections = state.withLock { state in
            state.isClosed = true
            return Array(state.connections.values)
        }
        for connection in connections { connection.answer(.stopping) }
    }
}

extension HTTPResponse {
    /// What a request hears that came while the server stops.
    static var stopping: HTTPResponse {
        HTTPResponse(status: 503, fields: [HTTPField("retry-after", "5")])
    }
}
