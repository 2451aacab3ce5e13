import CSQLite

/// What a connection knows about its disk. It lies in memory of its own, where SQLite's hook finds
/// it.
///
/// After a failed flush the system takes what it could not write for written, and the next flush
/// succeeds without it (https://lwn.net/Articles/752063). So a connection never flushes again after
/// a failure: it reads on and refuses to write. Opened anew, the file first has its write-ahead log
/// copied into it and flushed, since the log may hold, in the system's memory only, what no flush
/// will ever bring to the disk, and what is appended behind that would be lost with it.
struct Durability {
    /// After how many pages in the write-ahead log a commit also checkpoints.
    let checkpointPages: Int32
    /// The failure after which nothing is written any more.
    var failure: SQLiteError?
    /// Whether the write-ahead log that was found is still to be copied into the file.
    var owesCheckpoint = false
    /// Whether anything stands between this connection and its next write.
    var isDoubtful: Bool { owesCheckpoint || failure != nil }
}

extension Connection {
    /// Checkpoints as SQLite does by itself, but does not pass over a flush that failed.
    func watchCheckpoints() {
        sqlite3_wal_hook(
            handle,
            { context, handle, name, pages in
                guard let durability = context?.assumingMemoryBound(to: Durability.self),
                    pages >= durability.pointee.checkpointPages
                else { return SQLITE_OK }
                let code = sqlite3_wal_checkpoint_v2(
                    handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                let error = SQLiteError(code: code, operation: "checkpoint")
                if error.reason == .notFlushed { durability.pointee.failure = error }
                // The commit itself is on the disk.
                return SQLITE_OK
            }, durability)
    }

    /// Copies a write-ahead log that was found with the file into the file. Where that fails, the
    /// file can be read, and the first write tries again.
    func settleFoundLog() {
        durability.pointee.owesCheckpoint = true
        _ = Result { try settleLog() }
    }

    private func settleLog() throws(SQLiteError) {
        let code = sqlite3_wal_checkpoint_v2(
            handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        // Another connection that checkpoints does this one's work.
        guard code & 0xFF == SQLITE_OK || code & 0xFF == SQLITE_BUSY else {
            let error = SQLiteError(code: code, operation: "checkpoint")
            note(error)
            throw error
        }
        durability.pointee.owesCheckpoint = false
    }

    /// Refuses a statement that would write when it can't be known what is on the disk.
    func checkDisk(before statement: OpaquePointer) throws(SQLiteError) {
        guard sqlite3_stmt_readonly(statement) == 0 else { return }
        if let failure = durability.pointee.failure { throw failure }
        if durability.pointee.owesCheckpoint { try settleLog() }
    }

    /// Remembers a flush that failed, and leaves the files to whoever opens them next.
    func note(_ error: SQLiteError) {
        guard error.reason == .notFlushed, durability.pointee.failure == nil else { return }
        durability.pointee.failure = error
        _ = macrolog_sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nil)
    }
}
