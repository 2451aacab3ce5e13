import CMacrologPostgreSQL
import MacrologPlatform
import MacrologSystem

/// One connection to one PostgreSQL database.
///
/// A connection has exactly one owner, and closes when its owner releases it. SQL is a `StaticString`,
/// so external text cannot become SQL; values are passed only as bindings.
///
/// A statement without rows is sent with the next one that is waited for, and its error is thrown there:
/// a transaction of many statements takes few round trips. Each wait has a deadline, after which the
/// connection is given up.
package struct PostgreSQLConnection: ~Copyable {
    /// How long the client waits for an answer, in milliseconds: longer than the server works on one statement
    /// (``limitTime()``), so that the server says why.
    package static let answerMilliseconds: Int64 = 12_000
    /// The oldest version, as PostgreSQL numbers it: 15.3 is 150003.
    private static let oldestVersion: Int32 = 130_000

    let library: Libpq
    let handle: OpaquePointer
    /// The database, for messages.
    let database: String
    /// Whether a pooler is in between; see ``PostgreSQLAddress/isPooled``.
    package let isPooled: Bool
    /// The statements that the server has prepared, by the address of their SQL.
    var statements: [UInt: Prepared] = [:]
    /// What was sent and not yet answered, in order.
    var sent: [Sent] = []
    /// The rows that the last statement has changed.
    var changedRows = 0
    /// What the server said that it has done, such as `COMMIT`.
    var commandTag = ""
    /// The column of a row that was reported as damaged, plus 1.
    let damagedColumn = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    /// Whether the server warned since this was last set to false.
    let hasWarned = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
    /// Whether a transaction is running.
    package internal(set) var isInTransaction = false
    /// Whether the connection must be given up.
    package internal(set) var isBroken = false
    /// How often it has waited for the server's answers, since it was opened.
    package internal(set) var roundTrips = 0
    /// Statements that could have changed something, since the transaction began.
    package internal(set) var writes = 0

    /// A statement as PostgreSQL knows it.
    struct Prepared {
        /// Its name; `nil` for one that is sent with its text each time.
        let name: String?
        /// Its text, with `$1` for the first `?`.
        let text: [CChar]
    }

    /// What the server was asked.
    struct Sent {
        let sql: StaticString
        /// Whether it was to be prepared only, and under which address.
        var preparing: UInt?
        /// The statement, if it is no literal or one of several.
        var script: String?

        /// For an error: the SQL, or the beginning of a statement that is one of several.
        var operation: String { script.map { String($0.prefix(80)) } ?? "\(sql)" }
    }

    /// Connects to the first host that takes writes, waiting three seconds at most for each.
    package static func open(
        _ address: PostgreSQLAddress
    ) throws(PostgreSQLError) -> PostgreSQLConnection {
        let library = try Libpq.required()
        let handle = address.connect(library)
        guard let handle, library.call.status(handle) == UInt32(MACROLOG_PG_CONNECTION_OK)
        else {
            defer { library.call.finish(handle) }
            throw PostgreSQLError(
                .unreachable, operation: "connecting to \(address.summary)",
                detail: library.message(of: handle),
                hint:
                    "check that PostgreSQL runs there, that it takes writes, and that this user may "
                    + "log in")
        }
        let connection = PostgreSQLConnection(library, handle, address)
        return try connection.prepared()
    }

    private init(_ library: Libpq, _ handle: OpaquePointer, _ address: PostgreSQLAddress) {
        self.library = library
        self.handle = handle
        database = address.summary
        isPooled = address.isPooled
        damagedColumn.initialize(to: 0)
        hasWarned.initialize(to: false)
        _ = library.call.set_notice_receiver(handle, noteWarning, hasWarned)
    }

    deinit {
        library.call.finish(handle)
        damagedColumn.deallocate()
        hasWarned.deallocate()
    }

    private consuming func prepared() throws(PostgreSQLError) -> PostgreSQLConnection {
        var connection = self
        let version = connection.library.call.server_version(connection.handle)
        guard version >= Self.oldestVersion else {
            throw PostgreSQLError(
                .version, operation: "connecting",
                detail: "the server is PostgreSQL \(version / 10_000)",
                hint: "use PostgreSQL \(Self.oldestVersion / 10_000) or later")
        }
        guard connection.library.call.set_nonblocking(connection.handle, 1) == 0,
            connection.library.call.enter_pipeline_mode(connection.handle) == 1
        else { throw connection.broken("connecting") }
        if !connection.isPooled { try connection.limitTime() }
        return connection
    }

    /// Sets the limits of the session; with a pooler in between, those of the transaction.
    mutating func limitTime() throws(PostgreSQLError) {
        if isPooled {
            try run("SET LOCAL statement_timeout = 10000")
            try run("SET LOCAL idle_in_transaction_session_timeout = 15000")
        } else {
            try run("SET statement_timeout = 10000")
            try run("SET idle_in_transaction_session_timeout = 15000")
            // Statements find their rows by keys. A plan made while a table is small, or for many values, reads the
            // whole table instead, and is kept while it grows.
            try run("SET plan_cache_mode = force_generic_plan")
            try run("SET enable_seqscan = off")
            try run("SET enable_hashjoin = off")
            try run("SET enable_mergejoin = off")
            try run("SET enable_material = off")
            // PostgreSQL counts what is off as very costly, and would compile each such statement: 0.2 s of a
            // processor, each time it is executed.
            try run("SET jit = off")
            try flush()
        }
    }

    /// The error of a connection that has just broken.
    mutating func broken(_ operation: String, _ detail: String? = nil) -> PostgreSQLError {
        isBroken = true
        return PostgreSQLError(
            .disconnected, operation: operation,
            detail: detail ?? library.message(of: handle))
    }

    /// The server's socket, to wait for notifications.
    package var socket: CInt { library.call.socket(handle) }

    /// The payloads of the notifications that have arrived; `nil` if the connection is broken.
    package mutating func takeNotifications() -> [String]? {
        guard !isBroken, library.call.consume_input(handle) == 1 else {
            isBroken = true
            return nil
        }
        var payloads: [String] = []
        while let notification = library.call.notifies(handle) {
            payloads.append(notification.pointee.extra.map { String(cString: $0) } ?? "")
            library.call.freemem(notification)
        }
        return payloads
    }

    /// Waits for bytes of the server, at most some milliseconds.
    package func waitForInput(milliseconds: Int32) {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        _ = poll(&descriptor, 1, milliseconds)
    }
}

/// Notes that the server warned: what it says is in the language of its operator.
private let noteWarning: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void = {
    to, result in
    guard let to, let result, case .success(let library) = Libpq.opened else { return }
    let severity = library.field(MACROLOG_PG_SEVERITY, of: result)
    if severity == "WARNING" { to.assumingMemoryBound(to: Bool.self).pointee = true }
}
