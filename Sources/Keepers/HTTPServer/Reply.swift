/// The right to answer one request, once, from any thread.
package import MacrologHTTP
import Synchronization

/// The pending answer to one request. If it is released without an answer, the server answers 500.
package final class Reply: Sendable {
    private let connection: Connection
    private let isSent = Atomic<Bool>(false)

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Sends the answer. A second call is a programming error, and stops the process.
    package func send(_ response: HTTPResponse) {
        precondition(!isSent.exchange(true, ordering: .relaxed), "a request was answered twice")
        connection.answer(response)
    }

    deinit {
        if !isSent.load(ordering: .relaxed) { connection.answer(HTTPResponse(status: 500)) }
    }
}
