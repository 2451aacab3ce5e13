import CMacrologPostgreSQL

/// Transactions: the changes of a body become durable together, or not at all.
extension PostgreSQLConnection {
    /// Runs a body as one transaction, in which each statement sees what was committed before it began.
    ///
    /// If the body throws, everything is rolled back. When it returns, the changes are durable on every
    /// server that the primary waits for. An error with
    /// ``PostgreSQLError/isOutcomeUnknown`` leaves open which of the two happened.
    ///
    /// - Precondition: No other transaction is running on this connection.
    package mutating func transaction<T>(
        _ body: (inout PostgreSQLConnection) throws -> T
    ) throws -> T {
        precondition(!isInTransaction, "transactions do not nest")
        // What was sent before belongs to no transaction.
        try flush()
        isInTransaction = true
        defer { isInTransaction = false }
        let value: T
        do {
            try run("BEGIN ISOLATION LEVEL READ COMMITTED")
            if isPooled { try limitTime() }
            writes = 0
            value = try body(&self)
        } catch {
            rollBack()
            throw error
        }
        try commit()
        return value
    }

    private mutating func commit() throws(PostgreSQLError) {
        hasWarned.pointee = false
        do throws(PostgreSQLError) {
            try run("COMMIT")
            try flush()
        } catch {
            // What the server refuses with an error of its own is rolled back, but for a server that
            // stops: its answer may cross its own commit.
            var error = error
            error.isOutcomeUnknown = error.endsConnection
            if !isBroken { rollBack() }
            throw error
        }
        guard commandTag == "COMMIT" else {
            isBroken = true
            throw PostgreSQLError(
                .disconnected, operation: "COMMIT",
                detail: "the server answered \(commandTag) instead of COMMIT",
                isOutcomeUnknown: true)
        }
        guard hasWarned.pointee else { return }
        // It waited in vain for its standby: the commit is here, and may be gone with this server.
        isBroken = true
        throw PostgreSQLError(
            .disconnected, operation: "COMMIT",
            detail: "the server warned: the transaction might not have been replicated",
            isOutcomeUnknown: true)
    }

    /// Rolls back; a connection on which that fails is given up.
    private mutating func rollBack() {
        guard !isBroken else { return }
        do throws(PostgreSQLError) {
            if !sent.isEmpty { do throws(PostgreSQLError) { try flush() } catch {} }
            try run("ROLLBACK")
            try flush()
        } catch {
            isBroken = true
        }
    }
}
