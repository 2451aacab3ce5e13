import CMacrologSQLite

/// Counters of a connection's work. Unlike times, they are reproducible.
package struct Counters: Equatable, Sendable {
    /// Statements started.
    package internal(set) var statements: Int64 = 0
    /// Rows read by `first`, `all`, `forEach` and `forEachWhile`.
    package internal(set) var rows: Int64 = 0
    /// Transactions committed through ``SQLiteConnection/transaction(_:)`` and ``SQLiteConnection/snapshot(_:)``.
    package internal(set) var transactions: Int64 = 0
}

/// Statistics and maintenance of a whole database.
extension SQLiteConnection {
    /// Rows inserted, updated or deleted by the last `INSERT`, `UPDATE` or `DELETE`, without those
    /// of triggers and cascades.
    package var changes: Int {
        mutating get { Int(sqlite3_changes64(handle)) }
    }

    /// The rowid of the last row inserted into a table that has rowids.
    package var lastInsertRowid: Int64 {
        mutating get { sqlite3_last_insert_rowid(handle) }
    }

    /// Virtual machine steps of all statements of this connection.
    package var machineSteps: Int64 {
        mutating get { status(SQLITE_STMTSTATUS_VM_STEP) }
    }

    /// Rows visited by full table scans. A query that uses an index adds nothing.
    package var scanSteps: Int64 {
        mutating get { status(SQLITE_STMTSTATUS_FULLSCAN_STEP) }
    }

    private func status(_ counter: Int32) -> Int64 {
        statements.all.reduce(0) { $0 + Int64(sqlite3_stmt_status($1, counter, 0)) }
    }

    /// Checkpoints the WAL into the database file and truncates it. Frames that readers on other
    /// connections still need are kept.
    ///
    /// - Returns: Whether the WAL is now empty.
    @discardableResult
    package mutating func checkpoint() throws(Failure) -> Bool {
        try first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.int(0) == 0 } ?? true
    }

    /// Checks the whole database: structure, indexes, `CHECK`s, foreign keys.
    ///
    /// - Returns: One line for each problem, at most 100; empty for a sound database.
    package mutating func integrityCheck() throws(Failure) -> [String] {
        let structure = try all("PRAGMA integrity_check(100)") { $0.text(0) }
        let references = try all("PRAGMA foreign_key_check") { row in
            let row = (row.text(0), row.intOrNull(1), row.text(2))
            return "\(row.0) row \(row.1.map(String.init) ?? "?") refers to nothing in \(row.2)"
        }
        return structure.filter { $0 != "ok" } + references.prefix(100)
    }
}
