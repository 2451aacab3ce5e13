import CSQLite

/// What a connection knows about its disk. It lies in memory of its own, where SQLite's hook finds
/// it.
///
/// After a failed flush the system takes what it could not write for written, and the next flush
/// succeeds without it (https://lwn.net/Articles/752063). So a connection never flushes again after
/// a failure: it reads on and refuses to write. The next one finds a write-ahead log that may be
/// whole in the system's memory only. What is appended to it, or copied out of it, would be lost or
/// torn apart by a power failure, so it is first written again, byte for byte, and flushed.
struct Durability {
    /// After how many pages in the write-ahead log a commit also checkpoints.
    let checkpointPages: Int32
    /// The failure after which nothing is written any more.
    var failure: SQLiteError?
    /// Whether the write-ahead log that was found is still to be written again.
    var owesLog = false
    /// Whether anything stands between this connection and its next write.
    var isDoubtful: Bool { owesLog || failure != nil }
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

    /// Makes a write-ahead log durable that was found with the file. Where it can't be written, the
    /// file can be read, and the first write tries again.
    ///
    /// - Throws: Where it can't be flushed: nobody should be shown what may be gone tomorrow.
    func settleFoundLog() throws(SQLiteError) {
        durability.pointee.owesLog = true
        do throws(SQLiteError) { try settleLog() } catch {
            if error.reason == .notFlushed { throw error }
        }
    }

    private func settleLog() throws(SQLiteError) {
        // Nobody else may write meanwhile; who is writing now has been here before.
        let begun = sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil)
        if begun & 0xFF != SQLITE_BUSY {
            defer { if begun == SQLITE_OK { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) } }
            let code = begun == SQLITE_OK ? rewriteLog() : begun
            guard code == SQLITE_OK else {
                let error = SQLiteError(code: code, operation: "settle the write-ahead log")
                note(error)
                throw error
            }
        }
        durability.pointee.owesLog = false
    }

    /// Writes the write-ahead log over itself and flushes it; returns SQLite's code.
    private func rewriteLog() -> Int32 {
        var found: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &found)
        guard code == SQLITE_OK, let file = found, let methods = file.pointee.pMethods?.pointee
        else { return code }
        var size: Int64 = 0
        guard methods.xFileSize(file, &size) == SQLITE_OK else { return SQLITE_IOERR }
        if size == 0 { return SQLITE_OK }
        let part: Int64 = 1 << 16
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: Int(part), alignment: 16)
        defer { bytes.deallocate() }
        for offset in stride(from: 0, to: size, by: Int64.Stride(part)) {
            let count = Int32(min(part, size - offset))
            var code = methods.xRead(file, bytes, count, offset)
            if code == SQLITE_OK { code = methods.xWrite(file, bytes, count, offset) }
            guard code == SQLITE_OK else { return code }
        }
        return methods.xSync(file, SQLITE_SYNC_NORMAL)
    }

    /// Refuses a statement that would write when it can't be known what is on the disk.
    func checkDisk(before statement: OpaquePointer) throws(SQLiteError) {
        guard sqlite3_stmt_readonly(statement) == 0 else { return }
        if let failure = durability.pointee.failure { throw failure }
        if durability.pointee.owesLog { try settleLog() }
    }

    /// Remembers a flush that failed, and leaves the files to whoever opens them next.
    func note(_ error: SQLiteError) {
        guard error.reason == .notFlushed, durability.pointee.failure == nil else { return }
        durability.pointee.failure = error
        _ = macrolog_sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nil)
    }
}
