/// The right to answer one request, once, from any thread.
package import MacrologHTTP
import Synchronization

/// One request's answer to be. Letting go of it without an answer answers 500.
package final class Reply: Sendable {
    private let connection: Connection
    private let isSent = Atomic<Bool>(false)

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Answers. A second call is a mistake of the handler, and stops the process.
    package func send(_ response: HTTPResponse) {
        precondition(!isSent.exchange(true, ordering: .relaxed), "a request was answered twice")
        connection.answer(response)
    }

    deinit {
        if !isSent.load(ordering: .relaxed) { connection.answer(HTTPResponse(status: 500)) }
    }
}
