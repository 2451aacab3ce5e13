public import MacrologEvents

/// Why an account operation was refused.
public enum AccountError: ExplainedError, Hashable, Sendable {
    /// Not logged in.
    case loggedOut
    /// The replica belongs to another account.
    case otherAccount
    /// This many events have not reached the server.
    case unsynced(Int64)
    /// The server's address is invalid.
    case badServer(Cause)
    /// The server refused the login: a wrong password, or a session that has ended.
    case notAllowed(Cause)
    /// The account has a second factor, whose code is missing.
    case codeRequired(Cause)
    /// What was given cannot be accepted: an address that is none, a password that is too short or
    /// too easy to guess.
    case invalid(Cause)
    /// The server refused what was asked of the account: a wrong password or code, a disabled
    /// account, an invitation that is missing.
    case refused(Cause)
    /// The server asks to wait.
    case busy(Cause)
    /// The server refused, or could not be reached.
    case sync(Cause)

    /// What the server, or its silence, said: a code, a sentence, and whether to try again.
    public struct Cause: Hashable, Sendable {
        package let explanation: String
        /// What to do; `nil` when waiting is enough.
        package let hint: String?
        /// Whether the same call may succeed later without intervention.
        package let isRetryable: Bool
        /// Whether the server could not be reached.
        public let isOffline: Bool

        fileprivate func text(cannot operation: String) -> ErrorText {
            ErrorText(cannot: operation, explanation, hint: hint, isRetryable: isRetryable)
        }
    }

    /// The cause in words, and what a person can do about it.
    public var text: ErrorText {
        switch self {
        case .loggedOut:
            ErrorText(
                cannot: "exchange data with the server", "no account is logged in", hint: "log in")
        case .otherAccount:
            ErrorText(
                cannot: "log in", "this log belongs to another account",
                hint: "use another file for this account, or allow all of this log to move there")
        case .unsynced(let count):
            ErrorText(
                cannot: "log out",
                "\(count) \(count == 1 ? "event has" : "events have") not reached the server",
                hint: "sync first, or allow logging out without it")
        case .badServer(let cause): cause.text(cannot: "find the server")
        case .notAllowed(let cause), .codeRequired(let cause): cause.text(cannot: "log in")
        case .invalid(let cause), .refused(let cause): cause.text(cannot: "use the account")
        case .busy(let cause), .sync(let cause):
            cause.text(cannot: "exchange data with the server")
        }
    }
}
