/// Why a request got no answer. Unless the code says otherwise, it is unknown whether the server
/// has processed the request, so only idempotent requests should be sent again.
package struct TransportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong.
    package enum Code: Equatable, Sendable {
        /// No connection, or a connection that broke. Being offline is normal, not a fault.
        case unreachable(detail: String)
        /// A time limit was reached.
        case timedOut
        /// The server could not prove its identity, or supports no secure version of TLS. Nothing
        /// was sent.
        case tls(detail: String)
        /// The answer exceeds the limit.
        case tooLarge
        /// The caller cancelled the exchange.
        case cancelled
        /// The request or the answer is not valid HTTP.
        case malformed(detail: String)
        /// A library that sends requests is not installed. Nothing was sent.
        case noLibrary(detail: String, hint: String)
    }

    /// What went wrong.
    package let code: Code
    /// The method and the URL, without the query.
    package let operation: String

    /// Memberwise initializer.
    package init(code: Code, operation: String) {
        self.code = code
        self.operation = operation
    }

    /// Whether the same call may succeed later without intervention.
    package var isRetryable: Bool {
        switch code {
        case .unreachable, .timedOut: true
        case .tls, .tooLarge, .cancelled, .malformed, .noLibrary: false
        }
    }

    /// What a person can do about it. `nil` if waiting is enough.
    package var hint: String? {
        switch code {
        case .unreachable, .timedOut, .cancelled: nil
        case .tls:
            "check the server's address and this computer's clock; a hotel or an office network "
                + "may want you to log in first"
        case .noLibrary(_, let hint): hint
        case .tooLarge, .malformed: "check that the address is that of a sync server"
        }
    }

    /// One line: the operation, and what happened.
    package var explanation: String {
        let text =
            switch code {
            case .unreachable(let detail): "cannot be reached: \(detail)"
            case .timedOut: "no answer in time"
            case .tls(let detail): "no safe connection: \(detail)"
            case .tooLarge: "the answer is too large"
            case .cancelled: "cancelled"
            case .malformed(let detail): "not valid HTTP: \(detail)"
            case .noLibrary(let detail, _): detail
            }
        return "\(operation): \(text)"
    }

    /// One line: the operation, what happened, and what to do.
    package var description: String { hint.map { "\(explanation); \($0)" } ?? explanation }
}
