/// Why a request got no answer. Whether the server has acted on it is unknown unless the reason
/// says otherwise, so only what may safely happen twice should be sent again.
package struct TransportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was in the way.
    package enum Reason: Equatable, Sendable {
        /// No connection, or one that broke. Being offline is ordinary, not broken.
        case unreachable(detail: String)
        /// A time limit was reached.
        case timedOut
        /// The server could not prove who it is, or speaks no TLS that is safe. Nothing was sent.
        case tls(detail: String)
        /// The answer is larger than the limit allows.
        case tooLarge
        /// Whoever waited for it has given up.
        case cancelled
        /// The request or the answer is not HTTP.
        case malformed(detail: String)
    }

    /// What was in the way.
    package let reason: Reason
    /// The method and the address, without the query.
    package let operation: String

    /// Collects the parts.
    package init(reason: Reason, operation: String) {
        self.reason = reason
        self.operation = operation
    }

    /// Whether the same call may succeed later with nobody doing anything.
    package var isRetryable: Bool {
        switch reason {
        case .unreachable, .timedOut: true
        case .tls, .tooLarge, .cancelled, .malformed: false
        }
    }

    /// What a person can do about it. `nil` when waiting is enough.
    package var hint: String? {
        switch reason {
        case .unreachable, .timedOut, .cancelled: nil
        case .tls:
            "check the server's address and this computer's clock; a hotel or an office network "
                + "may want you to sign in first"
        case .tooLarge, .malformed: "check that the address is that of a sync server"
        }
    }

    /// One line: the operation, what happened, and what to do.
    package var description: String {
        let told =
            switch reason {
            case .unreachable(let detail): "cannot be reached: \(detail)"
            case .timedOut: "no answer in time"
            case .tls(let detail): "no safe connection: \(detail)"
            case .tooLarge: "the answer is too large"
            case .cancelled: "cancelled"
            case .malformed(let detail): "not valid HTTP: \(detail)"
            }
        return "\(operation): \(told)" + (hint.map { "; \($0)" } ?? "")
    }
}
