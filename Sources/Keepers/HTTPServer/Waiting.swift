/// The requests that wait for a late reply, and the streams in progress. libmicrohttpd must not be
/// stopped while one of them is suspended.
import MacrologHTTP
import Synchronization

final class Waiting: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var writers: [ObjectIdentifier: StreamWriter] = [:]
        var isClosed = false
        var streamsEnd = false
    }

    private let state = Mutex(State())

    /// Registers a connection that is about to be suspended; false if the server is stopping.
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

    /// Registers a stream, or ends it immediately if the server is stopping.
    func add(_ writer: StreamWriter) {
        let ends = state.withLock { state in
            state.writers[ObjectIdentifier(writer)] = writer
            return state.streamsEnd
        }
        if ends { writer.stop() }
    }

    func remove(_ writer: StreamWriter) {
        state.withLock { $0.writers[ObjectIdentifier(writer)] = nil }
    }

    /// Ends every stream, now and from now on, because a stream does not end by itself.
    func endStreams() {
        let writers = state.withLock { state in
            state.streamsEnd = true
            return Array(state.writers.values)
        }
        for writer in writers { writer.stop() }
    }

    /// Answers 503 to all waiting requests, and refuses later ones.
    func close() {
        let connections = state.withLock { state in
            state.isClosed = true
            return Array(state.connections.values)
        }
        for connection in connections { connection.answer(.stopping) }
    }
}

extension HTTPResponse {
    /// The answer to a request that arrives while the server is stopping.
    static var stopping: HTTPResponse {
        HTTPResponse(status: 503, fields: [HTTPField("retry-after", "5")])
    }
}
