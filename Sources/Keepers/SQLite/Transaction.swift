import CMacrologSQLite

/// Transactions: the changes of a body become durable together, or not at all.
extension Connection {
    /// Runs a body as one durable transaction.
    ///
    /// It acquires the write lock immediately (`BEGIN IMMEDIATE`), so it waits at the beginning and
    /// never in the middle. If the body throws, or the commit fails, everything is rolled back.
    /// When it returns, the changes are on disk.
    ///
    /// - Precondition: No other transaction is running on this connection; use ``savepoint(_:)``.
    package mutating func transaction<T>(
        _ body: (inout Connection) throws -> T
    ) throws -> T {
        try transaction("BEGIN IMMEDIATE", body)
    }

    /// Runs a body of reads on one snapshot of the database, whatever other connections commit
    /// meanwhile. It acquires no write lock.
    ///
    /// - Precondition: No other transaction is running on this connection.
    package mutating func snapshot<T>(
        _ body: (inout Connection) throws -> T
    ) throws -> T {
        try transaction("BEGIN", body)
    }

    /// Runs a body inside the current transaction; if it throws, only its changes are rolled back.
    ///
    /// - Precondition: A transaction is running.
    package mutating func savepoint<T>(
        _ body: (inout Connection) throws -> T
    ) throws -> T {
        precondition(isInTransaction, "a savepoint lives inside a transaction")
        try run("SAVEPOINT part")
        do {
            let result = try body(&self)
            try run("RELEASE part")
            return result
        } catch {
            // A lost transaction has nothing left to roll back; its end reports the loss.
            if !isTransactionLost {
                try run("ROLLBACK TO part")
                try run("RELEASE part")
            }
            throw error
        }
    }

    private mutating func transaction<T>(
        _ begin: StaticString, _ body: (inout Connection) throws -> T
    ) throws -> T {
        precondition(!isInTransaction, "transactions do not nest; use savepoint")
        try run(begin)
        isInTransaction = true
        durability.pointee.refusesCommits = true
        defer {
            isInTransaction = false
            durability.pointee.refusesCommits = false
            isTransactionLost = false
        }
        do {
            let result = try body(&self)
            if !isTransactionLost, sqlite3_get_autocommit(handle) != 0 {
                throw SQLiteError(code: SQLITE_NOMEM, operation: "COMMIT")
            }
            durability.pointee.refusesCommits = false
            try run("COMMIT")
            counters.transactions += 1
            return result
        } catch {
            // ROLLBACK ends the transaction even if it reports an error; the first error is the one
            // to throw.
            if sqlite3_get_autocommit(handle) == 0 { _ = Result { try run("ROLLBACK") } }
            throw error
        }
    }
}
