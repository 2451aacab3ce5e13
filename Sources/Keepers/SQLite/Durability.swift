import CMacrologSQLite

/// What a connection knows about its disk. It lies in memory of its own, where SQLite's hook finds
/// it.
///
/// After a failed flush the system takes what it could not write for written, and the next flush
/// succeeds without it (https://lwn.net/Articles/752063). So a connection never flushes again after
/// a failure: it reads on and refuses to write. And it cuts from the write-ahead log the commit that
/// was not flushed: the next start would find it whole in the system's memory and append to it, and
/// a power failure would take away both.
struct Durability {
    /// After how many pages in the write-ahead log a commit also checkpoints; 0 for never.
    let checkpointPages: Int32
    /// How many pages of the write-ahead log are known to be flushed; -1 where nobody knows.
    var logPages: Int32 = -1
    /// The failure after which nothing is written any more.
    var failure: SQLiteError?
    /// Whether a transaction of ours is running whose end has not come: nothing else may commit.
    var refusesCommits = false
}

extension Connection {
    /// Checkpoints as SQLite does by itself, but does not pass over a flush that failed.
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
                if error.reason == .notFlushed {
                    durability.pointee.failure = error
                    _ = macrolog_sqlite3_db_config(
                        handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nil)
                }
                // The commit itself is on the disk.
                return SQLITE_OK
            }, durability)
    }

    /// Refuses commits that nobody asked for.
    ///
    /// A statement that is to be prepared anew because the schema has changed is first undone. Where
    /// that lacks memory, SQLite 3.40 rolls the whole transaction back, says nothing, and runs the
    /// statement on its own: a migration would be noted without having been made.
    func guardCommits() {
        sqlite3_commit_hook(
            handle,
            { context in
                let durability = context?.assumingMemoryBound(to: Durability.self)
                return durability?.pointee.refusesCommits == true ? 1 : 0
            }, durability)
    }

    /// Copies a write-ahead log that was found with the file into the file. Where there is no room
    /// for that, it stays where it is.
    func settleFoundLog() throws(SQLiteError) {
        var pages: Int32 = -1
        let code = sqlite3_wal_checkpoint_v2(
            handle, "main", SQLITE_CHECKPOINT_PASSIVE, &pages, nil)
        let error = SQLiteError(code: code, operation: "checkpoint")
        if error.reason == .notFlushed { throw error }
        durability.pointee.logPages = pages
    }

    /// Whether nothing is written any more, for whoever writes beside the file what belongs to it.
    ///
    /// - Throws: ``SQLiteError`` with reason `notFlushed`, that of the flush that failed.
    package mutating func checkIsFlushed() throws(SQLiteError) {
        if let failure = durability.pointee.failure { throw failure }
    }

    /// Refuses a statement that would write after a flush that failed.
    func refuse(_ statement: OpaquePointer) throws(SQLiteError) {
        if let failure = durability.pointee.failure, sqlite3_stmt_readonly(statement) == 0 {
            throw failure
        }
    }

    /// Remembers a flush that failed, and leaves the files to whoever opens them next.
    func note(_ error: SQLiteError) {
        guard error.reason == .notFlushed, durability.pointee.failure == nil else { return }
        durability.pointee.failure = error
        _ = macrolog_sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nil)
        cutLog()
    }

    /// Cuts from the write-ahead log what no flush has covered. Where that fails as well, nothing
    /// else can be done (https://sqlite.org/fileformat2.html, 4.1).
    private func cutLog() {
        let pages = Int64(durability.pointee.logPages)
        var found: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &found)
        guard code == SQLITE_OK, pages >= 0, let file = found,
            let methods = file.pointee.pMethods?.pointee
        else { return }
        // The header: the size of a page in bytes 8 to 11, the salts in 16 to 23.
        var header = [UInt8](repeating: 0, count: 32)
        guard methods.xRead(file, &header, 32, 0) == SQLITE_OK else { return }
        let pageBytes = header[8..<12].reduce(0) { $0 << 8 | Int64($1) }
        let frameBytes = pageBytes + 24
        // A frame begins with a header of its own, whose salts in bytes 8 to 15 are the file's.
        var salts = [UInt8](repeating: 0, count: 8)
        let isOld =
            pages > 0
            && methods.xRead(file, &salts, 8, 32 + (pages - 1) * frameBytes + 8) == SQLITE_OK
            && salts == Array(header[16..<24])
        // Otherwise this commit was the first after all of the log was copied, and began it anew.
        _ = methods.xTruncate(file, isOld ? 32 + pages * frameBytes : 0)
    }
}
