package import MacrologSystem

/// Why PostgreSQL, or the way to it, refused or failed.
///
/// It contains the SQL, which is always a literal of this program, and never a bound value, so that
/// errors do not reveal personal data.
package struct PostgreSQLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of error that a caller can distinguish.
    package enum Code: Hashable, Sendable {
        /// libpq is not installed.
        case library(LibraryError)
        /// The address of the database cannot be read.
        case address
        /// No connection: the host does not answer, or refuses this user.
        case unreachable
        /// The connection broke, or gave no answer in time. It cannot be used any more.
        case disconnected
        /// All connections are in use, and the queue is full.
        case noConnection
        /// The server is too old.
        case version
        /// The database is not one that can hold a store.
        case unsuitable
        /// What the server reported, by its five characters
        /// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
        case server(state: String)
        /// A row holds what it cannot hold.
        case damaged
        /// The migrations of the database are not those of this program.
        case migrations
    }

    /// The kind of error.
    package let code: Code
    /// What was attempted: the SQL, or the name of the operation.
    package let operation: String
    /// The message of the server or of libpq. Contains names of tables and columns, never values.
    package let detail: String
    /// The database that said it, for messages; `nil` if it is in ``operation``, or no database did.
    package var database: String?
    /// What a person can do about it; `nil` if waiting is enough or only a programmer can help.
    package var hint: String?
    /// Whether a commit was on its way: what it should have made durable may be durable or not.
    package var isOutcomeUnknown = false

    /// Memberwise initializer.
    package init(
        _ code: Code, operation: String, detail: String, hint: String? = nil,
        isOutcomeUnknown: Bool = false
    ) {
        self.code = code
        self.operation = operation
        self.detail = detail
        self.hint = hint
        self.isOutcomeUnknown = isOutcomeUnknown
    }

    /// The error for a number in the database that this program cannot have written there.
    ///
    /// - Parameter detail: What the number should have been. Never the number itself.
    package static func number(_ detail: String) -> PostgreSQLError {
        PostgreSQLError(.damaged, operation: "read a number", detail: detail)
    }

    /// The error for a file that belongs to the database.
    package static func beside(_ path: String, _ detail: String) -> PostgreSQLError {
        PostgreSQLError(.damaged, operation: "use \(path)", detail: detail)
    }

    /// The five characters of the server; "" for what is not its error.
    package var state: String {
        guard case .server(let state) = code else { return "" }
        return state
    }

    /// Whether the transaction lost against another one, and may win when it runs again: serialization
    /// failures and deadlocks.
    package var isConflict: Bool { ["40001", "40P01"].contains(state) }

    /// Whether the connection must be given up: it is broken, or its server takes no writes any more
    /// after another became the primary, or its statements are not those that this program prepared.
    package var endsConnection: Bool {
        switch code {
        case .disconnected, .unreachable: true
        case .server(let state):
            state.hasPrefix("08") || state.hasPrefix("57P")
                || ["25006", "25P03", "26000", "0A000", "42P05"].contains(state)
        default: false
        }
    }

    /// Whether the same may succeed later without intervention.
    package var isRetryable: Bool {
        switch code {
        case .noConnection: true
        case .server(let state):
            isConflict || endsConnection || ["55P03", "57014", "53300"].contains(state)
        default: endsConnection
        }
    }

    /// Whether the database could not be used for a reason of its own, such as that it is away, shuts down, has no room
    /// or no connection left, or takes too long.
    package var isOutage: Bool {
        switch code {
        case .noConnection, .disconnected, .unreachable: true
        case .server(let state):
            ["08", "53", "57", "58"].contains(String(state.prefix(2))) || state == "25006"
        default: false
        }
    }

    /// What a pooler says that lends its connections for one transaction.
    private var ofPooler: String? {
        guard ["26000", "42P05"].contains(state) else { return nil }
        return "if PgBouncer in transaction mode is in between, set store-pooler"
    }

    /// Whether the disk of the database is full.
    package var isFull: Bool { ["53100", "53200"].contains(state) }

    /// One line: the operation, what happened, and what to do.
    package var description: String {
        let text = "\(operation): \(detail)"
        return (hint ?? ofPooler).map { "\(text); \($0)" } ?? text
    }
}
