import CMacrologSQLite

/// What a connection knows about its disk. It is allocated separately, so that SQLite's hook can
/// find it.
///
/// After a failed fsync the system treats the unwritten pages as clean, and the next fsync succeeds
/// without writing them (https://lwn.net/Articles/752063). So a connection never flushes again
/// after a failure: it continues to read and refuses to write. It also truncates the unflushed
/// commit from the write-ahead log. Otherwise the next start would find that commit complete in the
/// page cache and append to it, and a power failure would lose both.
struct Durability {
    /// The number of pages in the write-ahead log after which a commit also checkpoints; 0 for
    /// never.
    let checkpointPages: Int32
    /// How many pages of the write-ahead log are known to be flushed; -1 if unknown.
    var logPages: Int32 = -1
    /// The failure after which writes are refused.
    var failure: SQLiteError?
    /// Whether an explicit transaction is open: nothing else may commit.
    var refusesCommits = false
}

extension SQLiteConnection {
    /// Checkpoints like SQLite's automatic checkpoint, but does not ignore a failed flush.
    func watchCommits() {
        sqlite3_wal_hook(
            handle,
            { context, handle, name, pages in
                guard let durability = context?.assumingMemoryBound(to: Durability.self) else {
                    return SQLITE_OK
                }
                durability.pointee.logPages = pages
                let checkpointPages = durability.pointee.checkpointPages
                guard checkpointPages > 0, pages >= checkpointPages else { return SQLITE_OK }
                let code = sqlite3_wal_checkpoint_v2(
                    handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                let error = SQLiteError(code: code, operation: "checkpoint")
                if error.code == .notFlushed {
                    durability.pointee.failure = error
                    _ = macrolog_sqlite3_db_config(
                        handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nil)
                }
                // The commit itself is on disk.
                return SQLITE_OK
            }, durability)
    }

    /// Refuses commits that were not requested.
    ///
    /// A statement that SQLite prepares again after a schema change is reset first. If that runs
    /// out of memory, SQLite 3.40 rolls the whole transaction back without an error, and runs the
    /// statement outside it: a migration would be recorded without having been applied.
    func guardCommits() {
        sqlite3_commit_hook(
            handle,
            { context in
                let durability = context?.assumingMemoryBound(to: Durability.self)
                return durability?.pointee.refusesCommits == true ? 1 : 0
            }, durability)
    }

    /// Checkpoints a write-ahead log that was found with the file. If the disk is too full for
    /// that, the log is left as it is.
    func checkpointFoundLog() throws(Failure) {
        var pages: Int32 = -1
        let code = sqlite3_wal_checkpoint_v2(
            handle, "main", SQLITE_CHECKPOINT_PASSIVE, &pages, nil)
        let error = SQLiteError(code: code, operation: "checkpoint")
        if error.code == .notFlushed { throw Failure(error) }
        durability.pointee.logPages = pages
    }

    /// Throws if writes are refused; for code that writes a file next to the database.
    ///
    /// - Throws: An error of SQLite with code `notFlushed`, the error of the failed flush.
    package mutating func checkIsFlushed() throws(Failure) {
        if let failure = durability.pointee.failure { throw Failure(failure) }
    }

    /// Refuses a statement that would write after a failed flush.
    func refuse(_ statement: OpaquePointer) throws(Failure) {
        if let failure = durability.pointee.failure, sqlite3_stmt_readonly(statement) == 0 {
            throw Failure(failure)
        }
    }

    /// Records a failed flush, and leaves recovery to the next connection that opens the files.
    func note(_ error: SQLiteError) {
        guard error.code == .notFlushed, durability.pointee.failure == nil else { return }
        durability.pointee.failure = error
        _ = macrolog_sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nil)
        cutLog()
    }

    /// Truncates the unflushed part of the write-ahead log. If that fails too, nothing else can be
    /// done (https://sqlite.org/fileformat2.html, 4.1).
    private func cutLog() {
        let pages = Int64(durability.pointee.logPages)
        var found: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &found)
        guard code == SQLITE_OK, pages >= 0, let file = found,
            let methods = file.pointee.pMethods?.pointee
        else { return }
        // The header: the page size in bytes 8 to 11, the salts in 16 to 23.
        var header = [UInt8](repeating: 0, count: 32)
        guard methods.xRead(file, &header, 32, 0) == SQLITE_OK else { return }
        let pageBytes = header[8..<12].reduce(0) { $0 << 8 | Int64($1) }
        let frameBytes = pageBytes + 24
        // A frame begins with a header, whose bytes 8 to 15 repeat the salts of the file.
        var salts = [UInt8](repeating: 0, count: 8)
        let isOld =
            pages > 0
            && methods.xRead(file, &salts, 8, 32 + (pages - 1) * frameBytes + 8) == SQLITE_OK
            && salts == Array(header[16..<24])
        // Otherwise this commit was the first after a complete checkpoint, and restarted the log.
        _ = methods.xTruncate(file, isOld ? 32 + pages * frameBytes : 0)
    }
}
