import CMacrologSQLite

/// Transactions: the changes of a body become durable together, or not at all.
extension SQLiteConnection {
    /// Runs a body as one durable transaction.
    ///
    /// It acquires the write lock immediately (`BEGIN IMMEDIATE`), so it waits at the beginning and
    /// never in the middle. If the body throws, or the commit fails, everything is rolled back.
    /// When it returns, the changes are on disk.
    ///
    /// - Precondition: No other transaction is running on this connection; see ``beginJoint(writes:)``.
    @inlinable
    package mutating func transaction<T>(
        _ body: (inout Self) throws(Failure) -> T
    ) throws(Failure) -> T {
        try outcome("BEGIN IMMEDIATE", body).get()
    }

    /// Begins a part of the joint transaction that stays open over several calls, until
    /// ``replacePart(_:)`` or the end of the transaction.
    ///
    /// - Precondition: A joint transaction is running.
    @usableFromInline
    package mutating func beginPart() throws(Failure) {
        precondition(isJoint, "only a joint transaction has parts")
        if openParts == 0 { try writeEarly() }
        try run("SAVEPOINT part")
        openParts += 1
    }

    /// Rolls back everything since ``beginPart()``, for what the caller then writes in its place with
    /// `body`. If that fails, the whole transaction can only be rolled back.
    package mutating func replacePart(
        _ body: (inout Self) throws(Failure) -> Void
    ) throws(Failure) {
        try rollBackPart()
        do throws(Failure) { try body(&self) } catch {
            isTransactionLost = true
            throw error
        }
    }

    @inlinable
    mutating func part<T, BodyError>(
        _ body: (inout Self) throws(BodyError) -> T, isWanted: (T) -> Bool = { _ in true }
    ) throws(Failure) -> Result<T, BodyError> {
        try beginPart()
        let outcome = Self.outcome(of: body, on: &self)
        guard case .success(let value) = outcome, isWanted(value) else {
            // A lost transaction has nothing left to roll back; its end reports the loss.
            if !isTransactionLost { try rollBackPart() }
            return outcome
        }
        try run("RELEASE part")
        openParts -= 1
        return outcome
    }

    /// Rolls back a part. If that fails, the whole transaction must be rolled back: a caller that catches
    /// the error could otherwise commit half of the part.
    @inlinable
    mutating func rollBackPart() throws(Failure) {
        do throws(Failure) {
            try run("ROLLBACK TO part")
            try run("RELEASE part")
            openParts -= 1
        } catch {
            isTransactionLost = true
            throw error
        }
    }

    @inlinable
    static func outcome<T, BodyError>(
        of body: (inout Self) throws(BodyError) -> T, on connection: inout Self
    ) -> Result<T, BodyError> {
        do throws(BodyError) { return .success(try body(&connection)) } catch {
            return .failure(error)
        }
    }

    /// Runs a body as one durable transaction: what it has changed is committed if it returns
    /// `true`, and rolled back if it returns `false` or throws.
    ///
    /// - Precondition: No other transaction is running on this connection.
    /// - Returns: What the body returned.
    @inlinable
    package mutating func conditionalTransaction(
        _ body: (inout Self) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        try outcome("BEGIN IMMEDIATE", body) { $0 }.get()
    }

    /// Runs a body as one transaction; rolls it back if the body throws, or returns what is not
    /// wanted.
    ///
    /// - Returns: What the body returned or threw.
    /// - Throws: What begins or commits the transaction throws.
    @inlinable
    mutating func outcome<T, BodyError>(
        _ sql: StaticString, _ body: (inout Self) throws(BodyError) -> T,
        isWanted: (T) -> Bool = { _ in true }
    ) throws(Failure) -> Result<T, BodyError> {
        if isJoint { return try part(body, isWanted: isWanted) }
        try begin(sql)
        defer { end() }
        let outcome = Self.outcome(of: body, on: &self)
        guard case .success(let value) = outcome, isWanted(value) else {
            rollBack()
            return outcome
        }
        do throws(Failure) {
            try commit()
        } catch {
            rollBack()
            throw error
        }
        return outcome
    }

    /// Begins one transaction for everything that follows until ``endJoint(commits:)``: each
    /// transaction until then becomes a part of it, and what one part rolls back is only its own.
    ///
    /// - Parameter writes: Whether to acquire the write lock, as ``transaction(_:)`` does; otherwise
    ///   all reads until the end see one snapshot.
    package mutating func beginJoint(writes: Bool) throws(Failure) {
        try begin(writes ? "BEGIN IMMEDIATE" : "BEGIN")
        isJoint = true
        guard writes else { return }
        do throws(Failure) { try setWritesEarly(false) } catch {
            try endJoint(commits: false)
            throw error
        }
    }

    /// How much of the cache a joint transaction may use, in bytes. If it is more when a part begins, what has changed is
    /// written into the log.
    private static var jointBytesMax: Int32 { 16 * 1_024 * 1_024 }

    /// Sets whether SQLite writes changed pages into the log before the commit, where they do not fit into the cache.
    ///
    /// A joint transaction must not do that while a part is open. If the part is rolled back, SQLite 3.40.1 leaves the
    /// pages that it writes next without their checksums. Everything can be read, until a process or the power
    /// fails: then this commit and all later ones of the log are lost.
    private mutating func setWritesEarly(_ isAllowed: Bool) throws(Failure) {
        // The number of pages from which on it does: those of the cache, or more than there can be.
        try execute(isAllowed ? "PRAGMA cache_spill = 1" : "PRAGMA cache_spill = 2147483647")
        mayWriteEarly = isAllowed
    }

    /// Writes changed pages into the log, if they are many. No part is open, so none of this can be rolled back alone.
    private mutating func writeEarly() throws(Failure) {
        var (used, most): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &used, &most, 0)
        guard used > Self.jointBytesMax else { return }
        let code = sqlite3_db_cacheflush(handle)
        // A page that a query reads at the moment is written later.
        guard code == SQLITE_OK || code == SQLITE_BUSY else {
            isTransactionLost = true
            let error = SQLiteError.last(
                code, of: handle, operation: "write changed pages", whileRunning: false)
            note(error)
            throw Failure(error)
        }
    }

    /// Ends what ``beginJoint(writes:)`` began. If the commit fails, everything is rolled back.
    package mutating func endJoint(commits: Bool) throws(Failure) {
        precondition(isJoint, "a joint transaction has begun")
        isJoint = false
        openParts = 0
        defer {
            end()
            // If this fails, more stays in memory, which is right as well.
            if !mayWriteEarly { do throws(Failure) { try setWritesEarly(true) } catch {} }
        }
        guard commits else { return rollBack() }
        do throws(Failure) { try commit() } catch {
            rollBack()
            throw error
        }
    }

    /// Begins a transaction, which `end()` must follow.
    @usableFromInline
    mutating func begin(_ sql: StaticString) throws(Failure) {
        precondition(!isInTransaction, "transactions do not nest; begin a joint one")
        try run(sql)
        frames?.pointee.begin()
        isInTransaction = true
        durability.pointee.refusesCommits = true
    }

    @usableFromInline
    mutating func commit() throws(Failure) {
        if !isTransactionLost, sqlite3_get_autocommit(handle) != 0 {
            throw Failure(SQLiteError(code: SQLITE_NOMEM, operation: "COMMIT"))
        }
        if let failure = frames?.pointee.failure, failure != SQLITE_OK {
            throw Failure(SQLiteError(code: failure, operation: "COMMIT"))
        }
        durability.pointee.refusesCommits = false
        try run("COMMIT")
        counters.transactions += 1
    }

    /// Rolls back what `commit()` has not committed.
    @usableFromInline
    mutating func rollBack() {
        // ROLLBACK ends the transaction even if it reports an error; the first error is the one to
        // throw.
        guard sqlite3_get_autocommit(handle) == 0 else { return }
        isTransactionLost = false  // No statement runs in a lost transaction; this one must.
        do throws(Failure) { try run("ROLLBACK") } catch {}
    }

    @usableFromInline
    mutating func end() {
        isInTransaction = false
        durability.pointee.refusesCommits = false
        isTransactionLost = false
    }
}
