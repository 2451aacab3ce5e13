import CMacrologSQLite

/// Writes the frames of a commit to the write-ahead log together, where SQLite makes two calls for each page.
///
///     SQLite      header │ page │ header │ page │ … │ header │ page │ sync
///     the file    ───────────────────────────────────────── one write │ sync
///
/// SQLite's methods of the log's file are replaced by these. Writes that follow each other are collected; any other
/// call first writes what was collected. So the calls of this connection keep their order, and since `synchronous =
/// FULL` flushes a commit before it can be seen, all of a commit is in the file by then.
///
/// A write that fails is reported by a later call, perhaps one that reads for a statement that SQLite can undo alone.
/// The frames before that are lost, so ``failure`` is kept, and the connection does not commit the transaction.
///
/// Other connections write into the same file, each under the lock for writing. A transaction that wrote pages early,
/// because they did not fit into the cache, and was rolled back then, leaves frames here that were never flushed. They
/// are written before the lock is released: later they would overwrite what another connection has committed in their
/// place. That is why the method that releases locks, one of the database's file, is replaced as well.
///
/// https://sqlite.org/c3ref/io_methods.html, https://sqlite.org/walformat.html
struct CollectedFrames {
    /// How many bytes are collected. What is longer is written in several calls.
    static let capacity = 65_536

    /// What SQLite calls for the log's file and for the database's. It keeps their addresses, so this is never moved.
    private var log: sqlite3_io_methods
    private var database: sqlite3_io_methods
    private let usualLog: UnsafePointer<sqlite3_io_methods>
    private let usualDatabase: UnsafePointer<sqlite3_io_methods>
    private let file: UnsafeMutablePointer<sqlite3_file>
    /// What was collected, and where in the file it begins. Allocated with the first write.
    private var bytes: UnsafeMutableRawPointer?
    private var count = 0
    private var start: Int64 = 0
    /// The code of the first write that has failed in the transaction in progress.
    private(set) var failure = SQLITE_OK

    private init(
        _ usualLog: UnsafePointer<sqlite3_io_methods>,
        _ usualDatabase: UnsafePointer<sqlite3_io_methods>,
        _ file: UnsafeMutablePointer<sqlite3_file>
    ) {
        (log, database) = (usualLog.pointee, usualDatabase.pointee)
        (self.usualLog, self.usualDatabase) = (usualLog, usualDatabase)
        self.file = file
        log.xWrite = { file, bytes, count, offset in
            CollectedFrames.ofLog(file).pointee.add(bytes, Int(count), offset)
        }
        log.xRead = { file, bytes, count, offset in
            CollectedFrames.ofLog(file).pointee.afterWriting {
                $0.pointee.xRead(file, bytes, count, offset)
            }
        }
        log.xSync = { file, flags in
            CollectedFrames.ofLog(file).pointee.afterWriting { $0.pointee.xSync(file, flags) }
        }
        log.xTruncate = { file, size in
            CollectedFrames.ofLog(file).pointee.afterWriting { $0.pointee.xTruncate(file, size) }
        }
        log.xFileSize = { file, size in
            CollectedFrames.ofLog(file).pointee.afterWriting { $0.pointee.xFileSize(file, size) }
        }
        log.xClose = { file in
            let frames = CollectedFrames.ofLog(file)
            _ = frames.pointee.write()
            file?.pointee.pMethods = frames.pointee.usualLog
            return frames.pointee.usualLog.pointee.xClose(file)
        }
        database.xShmLock = { file, first, count, flags in
            let frames = CollectedFrames.ofDatabase(file)
            // A commit is flushed before, so this was rolled back: it does no harm if it cannot be written.
            if flags & SQLITE_SHM_UNLOCK != 0 { _ = frames.pointee.write() }
            return frames.pointee.usualDatabase.pointee.xShmLock(file, first, count, flags)
        }
        database.xClose = { file in
            let frames = CollectedFrames.ofDatabase(file)
            let usual = frames.pointee.usualDatabase
            frames.pointee.bytes?.deallocate()
            frames.deinitialize(count: 1)
            frames.deallocate()
            file?.pointee.pMethods = usual
            return usual.pointee.xClose(file)
        }
    }

    private static func ofLog(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> UnsafeMutablePointer<CollectedFrames> { holding(file, 0) }

    private static func ofDatabase(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> UnsafeMutablePointer<CollectedFrames> { holding(file, databaseOffset) }

    /// Where the methods of the database's file are: right after those of the log's, which are the first.
    private static var databaseOffset: Int { MemoryLayout<sqlite3_io_methods>.stride }

    /// The frames whose methods, that many bytes from their beginning, a file has.
    private static func holding(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ offset: Int
    ) -> UnsafeMutablePointer<CollectedFrames> {
        guard let methods = file?.pointee.pMethods else {
            preconditionFailure("SQLite names an open file")
        }
        return (UnsafeMutableRawPointer(mutating: methods) - offset)
            .assumingMemoryBound(to: CollectedFrames.self)
    }

    private mutating func add(_ more: UnsafeRawPointer?, _ size: Int, _ offset: Int64) -> Int32 {
        guard let more else { return SQLITE_MISUSE }
        if count > 0, offset != start + Int64(count) || count + size > Self.capacity {
            let code = write()
            guard code == SQLITE_OK else { return code }
        }
        guard size <= Self.capacity else {
            return usualLog.pointee.xWrite(file, more, Int32(size), offset)
        }
        let collected = bytes ?? .allocate(byteCount: Self.capacity, alignment: 8)
        bytes = collected
        if count == 0 { start = offset }
        (collected + count).copyMemory(from: more, byteCount: size)
        count += size
        return SQLITE_OK
    }

    /// Forgets failures of the transaction before.
    mutating func begin() { failure = SQLITE_OK }

    /// Writes what was collected.
    private mutating func write() -> Int32 {
        guard count > 0 else { return SQLITE_OK }
        let code = usualLog.pointee.xWrite(file, bytes, Int32(count), start)
        count = 0
        if failure == SQLITE_OK { failure = code }
        return code
    }

    private mutating func afterWriting(_ call: (UnsafePointer<sqlite3_io_methods>) -> Int32)
        -> Int32
    {
        let code = write()
        return code == SQLITE_OK ? call(usualLog) : code
    }

    /// Collects what a connection writes into its open write-ahead log from now on.
    ///
    /// - Returns: What lives until the connection is closed; `nil` if there is no such log.
    static func collect(of handle: OpaquePointer) -> UnsafeMutablePointer<CollectedFrames>? {
        var (log, database):
            (UnsafeMutablePointer<sqlite3_file>?, UnsafeMutablePointer<sqlite3_file>?)
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &database)
        // A file that is not open has no methods; without these two SQLite writes as it always does.
        guard let log, let database, let usualLog = log.pointee.pMethods,
            let usualDatabase = database.pointee.pMethods
        else { return nil }
        let frames = UnsafeMutablePointer<CollectedFrames>.allocate(capacity: 1)
        frames.initialize(to: CollectedFrames(usualLog, usualDatabase, log))
        let methods = UnsafeRawPointer(frames).assumingMemoryBound(to: sqlite3_io_methods.self)
        withUnsafePointer(to: &frames.pointee.log) { precondition($0 == methods) }
        withUnsafePointer(to: &frames.pointee.database) { precondition($0 == methods + 1) }
        log.pointee.pMethods = methods
        database.pointee.pMethods = methods + 1
        return frames
    }
}
