import CMacrologSQLite

/// Why SQLite refused or failed.
///
/// It contains the SQL, which is always a literal of this program, and never a bound value, so that
/// errors do not reveal personal data.
@usableFromInline
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of error that a caller can distinguish.
    package enum Code: Hashable, Sendable {
        /// Another connection held the lock for the whole busy timeout.
        case busy
        /// The disk, the quota or a limit on the file's size is exhausted.
        case full
        /// An allocation failed. Nothing was done.
        case noMemory
        /// The operating system failed to read, write, lock or synchronize the file.
        case io
        /// An fsync failed, so it is unknown what is on disk, and a retry would report success
        /// without writing. The connection continues to read and refuses to write; the next
        /// connection that opens the file recovers it first.
        case notFlushed
        /// The file cannot be opened or created, or its file system is not safe for a database.
        case cannotOpen
        /// A write to a read-only file, or through a read-only connection.
        case readOnly
        /// A constraint of the schema refused the row.
        case constraint(Constraint)
        /// The file is damaged.
        case corrupt
        /// The file is not an SQLite database.
        case notADatabase
        /// A value or a statement exceeds a limit of the connection (16 MiB per value or row).
        case tooBig
        /// The file records a migration, named here, that this program does not know.
        case newer(migration: String)
        /// The file has the schema of an earlier build, or of another program: its first migration,
        /// named here, is not this program's first.
        case earlier(migration: String)
        /// This program misused the SQLite API.
        case misuse
        /// Anything else; see the extended code.
        case other
    }

    /// The constraint that refused a row.
    package enum Constraint: Hashable, Sendable {
        /// `UNIQUE`.
        case unique
        /// `PRIMARY KEY`, or a rowid used twice.
        case primaryKey
        /// `NOT NULL`.
        case notNull
        /// `CHECK`.
        case check
        /// `REFERENCES`.
        case foreignKey
        /// A trigger's `RAISE`, such as the guard of an append-only table.
        case trigger
        /// The type of a column in a `STRICT` table.
        case dataType
        /// A constraint without a code of its own.
        case other
    }

    /// The kind of error.
    package let code: Code
    /// SQLite's extended result code (https://sqlite.org/rescode.html); 0 if SQLite reported none.
    package let extendedCode: Int32
    /// What was attempted: the SQL, or the name of the operation.
    package let operation: String
    /// SQLite's message. Contains names of tables and columns, never values.
    package let detail: String

    /// Whether the same call may succeed later without intervention.
    package var isRetryable: Bool { code == .busy }

    /// Whether another connection held the lock.
    package var isBusy: Bool { code == .busy }

    /// What a person can do about it. `nil` if waiting is enough or only a programmer can help.
    package var hint: String? {
        switch code {
        case .busy: "close the other program that has the file open, and try again"
        case .constraint, .misuse, .other, .tooBig: nil
        case .noMemory: "close other programs and try again"
        case .full: "free some space on the disk and try again"
        case .io: "check the disk and the system's log, then try again"
        case .notFlushed: "check the disk and the system's log, then start the program again"
        case .cannotOpen: "check that the folder exists, is local, and that you may write to it"
        case .readOnly: "check the permissions of the database file and its folder"
        case .corrupt: "keep a copy of the file and its -wal file, then restore a backup"
        case .notADatabase: "check the path: the file there is something else"
        case .newer: "install the newer version of this program that wrote the file"
        case .earlier:
            "check the path; if it is a log, sync it with the program that wrote it, then log in again with a new file"
        }
    }

    /// One line: the operation, what happened, and what to do.
    @usableFromInline
    package var description: String {
        let text = "\(operation): \(detail)"
        return hint.map { "\(text); \($0)" } ?? text
    }
}

/// An error that holds an error of SQLite: what a connection throws.
@usableFromInline
package protocol SQLiteErrorWrapper: Error {
    /// Wraps an error of SQLite.
    init(_ error: SQLiteError)
    /// The error of SQLite, if this is one.
    var sqlite: SQLiteError? { get }
}

extension SQLiteError: SQLiteErrorWrapper {
    @usableFromInline
    package init(_ error: SQLiteError) { self = error }
    @usableFromInline
    package var sqlite: SQLiteError? { self }
}

extension SQLiteError {
    /// The error for a file beside a database that cannot be used.
    package static func beside(_ path: String, _ detail: String) -> SQLiteError {
        SQLiteError(code: .other, extendedCode: 0, operation: "use \(path)", detail: detail)
    }

    /// The error for a number in the file that this program cannot have written there.
    ///
    /// - Parameter detail: What the number should have been. Never the number itself.
    package static func number(_ detail: String) -> SQLiteError {
        SQLiteError(code: SQLITE_CORRUPT, operation: "read a number", detail: detail)
    }

    /// The error for a result code.
    ///
    /// - Parameter detail: SQLite's own message. Pass it only if it cannot quote a bound value;
    ///   without it the code's general text is used.
    init(code: Int32, operation: String, detail: String? = nil) {
        self.init(
            code: Code(extendedCode: code), extendedCode: code, operation: operation,
            detail: detail ?? String(cString: sqlite3_errstr(code)))
    }

    /// The error that `connection` reports for its last call with `code`.
    ///
    /// While a statement runs, only messages of constraints are quoted: those of functions and
    /// virtual tables may contain a bound value (`fts5: syntax error near …`).
    static func last(
        _ code: Int32, of connection: OpaquePointer?, operation: String, whileRunning: Bool
    ) -> SQLiteError {
        let extended = connection.map { sqlite3_extended_errcode($0) } ?? code
        let code = extended & 0xFF == code & 0xFF ? extended : code
        let quotable = !whileRunning || code & 0xFF == SQLITE_CONSTRAINT
        let message =
            quotable ? connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } : nil
        return SQLiteError(code: code, operation: operation, detail: message)
    }
}

extension SQLiteError.Code {
    /// The kind of error that an extended result code belongs to.
    init(extendedCode code: Int32) {
        self =
            switch code & 0xFF {
            case _ where Self.tellsOfAFlush(code): .notFlushed
            case _ where Self.tellsOfMemory(code): .noMemory
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_FULL: .full
            case SQLITE_IOERR: .io
            case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .cannotOpen
            case SQLITE_READONLY: .readOnly
            case SQLITE_CONSTRAINT: .constraint(SQLiteError.Constraint(extendedCode: code))
            case SQLITE_CORRUPT: .corrupt
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_TOOBIG: .tooBig
            case SQLITE_MISUSE, SQLITE_RANGE: .misuse
            default: .other
            }
    }

    /// Whether an extended code reports a failed fsync: SQLITE_IOERR_FSYNC, of a file, or
    /// SQLITE_IOERR_DIR_FSYNC, of a folder. They are macros that Swift cannot import.
    private static func tellsOfAFlush(_ code: Int32) -> Bool {
        code == SQLITE_IOERR | 4 << 8 || code == SQLITE_IOERR | 5 << 8
    }
}

extension SQLiteError.Code {
    /// Whether an extended code reports a failed allocation: SQLITE_NOMEM, SQLITE_IOERR_NOMEM, or
    /// SQLITE_CONSTRAINT_COMMITHOOK, which follows a transaction that was rolled back without an
    /// error.
    private static func tellsOfMemory(_ code: Int32) -> Bool {
        code & 0xFF == SQLITE_NOMEM || code == SQLITE_IOERR | 12 << 8
            || code == SQLITE_CONSTRAINT | 2 << 8
    }
}

extension SQLiteError.Constraint {
    /// The constraint that an extended `SQLITE_CONSTRAINT_…` code names. The low byte is
    /// `SQLITE_CONSTRAINT`, the next one numbers the constraints (https://sqlite.org/rescode.html).
    init(extendedCode code: Int32) {
        self =
            switch code >> 8 {
            case 1: .check
            case 3: .foreignKey
            case 5: .notNull
            case 6, 10: .primaryKey
            case 7: .trigger
            case 8: .unique
            case 12: .dataType
            default: .other
            }
    }
}
