import CMacrologSQLite

/// A connection that throws what SQLite reports.
package typealias Connection = SQLiteConnection<SQLiteError>

/// One open connection to one SQLite file.
///
/// Its methods throw the error of its owner, which holds SQLite's: an owner whose own code runs
/// between two statements then throws one type throughout.
///
/// A connection has exactly one owner. It cannot be copied, and it closes when its owner releases
/// it: there is no `close()` to forget. SQL is a `StaticString`, so external text cannot become
/// SQL. Values are passed only as bindings.
///
/// Only one connection of a file may write, and only that one checkpoints: SQLite 3.7.0 to 3.51.2
/// can corrupt a WAL file that two connections reset at the same time. Readers open with
/// ``Mode/readOnly``; a ``LockFile`` excludes other processes.
@usableFromInline
package struct SQLiteConnection<Failure: SQLiteErrorWrapper>: ~Copyable {
    /// What a connection may do.
    package enum Mode: Sendable {
        /// Reads and writes; creates a missing file with access for its owner only.
        case readWrite
        /// Reads, and never checkpoints. The file must exist.
        case readOnly
        /// Reads a file where nothing can be written, not even the files that readers normally
        /// create next to it. No process may write to the file meanwhile.
        case unwritable
        /// A database in memory; ``SQLiteConnection/inMemory()`` opens one.
        case memory
    }

    /// The page size.
    package enum PageSize: Sendable {
        /// 2,048 bytes: for many small commits, each of which writes a page of every table that it
        /// changes.
        case small
        /// 4,096 bytes: for large transactions and scans.
        case large
    }

    let handle: OpaquePointer
    var statements = StatementCache()
    /// Scratch memory for short bound values while their statement runs, followed by one word that
    /// reports damage; see ``Binder``.
    @usableFromInline let scratch = UnsafeMutableRawPointer.allocate(
        byteCount: Binder.scratchBytes + MemoryLayout<Int>.size, alignment: 16)
    /// The state of flushes and of the write-ahead log.
    let durability = UnsafeMutablePointer<Durability>.allocate(capacity: 1)
    /// What is not yet in the write-ahead log's file.
    private(set) var frames: UnsafeMutablePointer<CollectedFrames>?
    /// The tables that statements read and wrote.
    let tables = UnsafeMutablePointer<TouchedTables>.allocate(capacity: 1)
    /// Whether ``tables`` is kept.
    var notesTouchedTables = false
    /// What this connection has done so far.
    package internal(set) var counters = Counters()
    /// Whether a ``transaction(_:)`` or ``snapshot(_:)`` is running.
    @usableFromInline package internal(set) var isInTransaction = false
    /// Whether transactions are parts of one; see ``beginJoint(writes:)``.
    @usableFromInline var isJoint = false
    /// How many parts of it have begun and not ended.
    @usableFromInline var openParts = 0
    /// Whether SQLite may write changed pages into the log before the commit.
    var mayWriteEarly = true
    /// Whether SQLite rolled back the running transaction by itself (disk full, I/O error).
    @usableFromInline var isTransactionLost = false
    /// The error of the last step or binding that failed.
    var keptError: SQLiteError?

    private init(handle: OpaquePointer, checkpointPages: Int) {
        self.handle = handle
        (scratch + Binder.scratchBytes).bindMemory(to: Int.self, capacity: 1).initialize(to: 0)
        durability.initialize(
            to: Durability(checkpointPages: Int32(clamping: checkpointPages)))
        tables.initialize(to: TouchedTables())
    }

    deinit {
        // A statement keeps the file open until it is finalized.
        statements.finalize()
        sqlite3_close_v2(handle)
        durability.deinitialize(count: 1)
        durability.deallocate()
        tables.deinitialize(count: 1)
        tables.deallocate()
        scratch.deallocate()
    }

    /// Opens a private database in memory, which is deleted with the connection.
    ///
    /// - Throws: An error of SQLite; nothing is left open.
    package static func inMemory() throws(Failure) -> SQLiteConnection {
        try connect(
            to: ":memory:", of: "memory", vfs: nil, mode: .memory, busyMilliseconds: 0,
            checkpointPages: 0, pages: .large, isAlone: true)
    }

    /// Opens a database in a VFS of SQLite and applies fixed settings, each of which is read back
    /// and checked: WAL with `synchronous = FULL` (with `NORMAL`, a power failure may undo the last
    /// commits), foreign keys, delete triggers fired by `REPLACE`, checked cell sizes, an untrusted
    /// schema, no mapped memory, no extensions, values of at most 16 MiB.
    ///
    /// `open` calls it when the file is ready. A browser, where there are no POSIX files, calls it
    /// directly.
    ///
    /// - Parameters:
    ///   - name: The name of the database in the VFS.
    ///   - path: How errors name the database.
    ///   - vfs: The name of a registered VFS; `nil` for SQLite's own.
    /// - Throws: An error of SQLite; nothing is left open.
    package static func connect(
        to name: String, of path: String, vfs: String?, mode: Mode, busyMilliseconds: Int,
        checkpointPages: Int, pages: PageSize, isAlone: Bool
    ) throws(Failure) -> SQLiteConnection {
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        switch mode {
        case .readWrite: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        case .unwritable: flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        case .memory: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
        }
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(name, &handle, flags, vfs)
        guard code == SQLITE_OK, let handle else {
            let error = SQLiteError.last(
                code, of: handle, operation: "open \(path)", whileRunning: false)
            sqlite3_close(handle)
            throw Failure(error)
        }

        var connection = SQLiteConnection(handle: handle, checkpointPages: checkpointPages)
        do throws(Failure) {
            try connection.applySettings(
                mode, busyMilliseconds: busyMilliseconds, pages: pages, isAlone: isAlone)
        } catch {
            // A person wants to know which file it is, not which setting was being applied.
            guard let error = error.sqlite else { throw error }
            throw Failure(
                SQLiteError(
                    code: error.code, extendedCode: error.extendedCode, operation: "open \(path)",
                    detail: error.detail))
        }
        return connection
    }
}

extension SQLiteConnection {
    /// Disables SQLite's memory statistics, so that threads allocate without waiting for each
    /// other. To be called by a program before it opens a file; not by a library, which shares its
    /// process. Later calls do nothing.
    package static func countNoMemory() { _ = macrolog_sqlite3_count_no_memory() }
}

/// Safe to send: every method is mutating, so the caller has exclusive access, and SQLite lets a
/// connection move between threads.
extension SQLiteConnection: @unchecked Sendable {}

extension SQLiteConnection {
    /// The settings of ``connect(to:of:vfs:mode:busyMilliseconds:checkpointPages:pages:isAlone:)``.
    private mutating func applySettings(
        _ mode: Mode, busyMilliseconds: Int, pages: PageSize, isAlone: Bool
    ) throws(Failure) {
        sqlite3_busy_timeout(handle, Int32(clamping: busyMilliseconds))
        sqlite3_wal_autocheckpoint(handle, 0)
        if mode == .readWrite { watchCommits() }
        guardCommits()
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 16 * 1_024 * 1_024)

        try configure(SQLITE_DBCONFIG_DEFENSIVE, true)
        try configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
        try configure(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false)
        try configure(SQLITE_DBCONFIG_ENABLE_FKEY, true)
        // A misspelt column in double quotes is an error, not a string.
        try configure(SQLITE_DBCONFIG_DQS_DML, false)
        try configure(SQLITE_DBCONFIG_DQS_DDL, false)
        if mode == .readOnly || mode == .unwritable {
            try configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        }

        // Without recursive triggers, REPLACE would delete rows despite an append-only guard.
        try execute(
            """
            PRAGMA cell_size_check = ON;
            PRAGMA recursive_triggers = ON;
            PRAGMA mmap_size = 0;
            PRAGMA temp_store = MEMORY;
            """)
        if mode == .readWrite {
            if pages == .small {
                // 1,000 edits of old entries in a log of a million touch about 7.5 MB of pages: the default of 2 MB
                // would read nearly each twice.
                try execute("PRAGMA page_size = 2048; PRAGMA cache_size = -8192")
            }
            if isAlone { try execute("PRAGMA locking_mode = EXCLUSIVE") }
            try execute(
                """
                PRAGMA journal_mode = WAL;
                PRAGMA synchronous = FULL;
                PRAGMA journal_size_limit = 67108864;
                """)
            try check("PRAGMA journal_mode", is: "wal")
            try check("PRAGMA synchronous", is: "2")
            try checkpointFoundLog()
            frames = CollectedFrames.collect(of: handle)
        } else {
            // In exclusive mode the WAL index is kept in memory.
            if mode == .unwritable { try execute("PRAGMA locking_mode = EXCLUSIVE") }
            // So that a reader finds out here, not at its first query, that the file is not a
            // database.
            try check("PRAGMA recursive_triggers", is: "1")
            try execute("PRAGMA schema_version")
        }
        try check("PRAGMA foreign_keys", is: "1")
    }

    private func configure(_ setting: Int32, _ on: Bool) throws(Failure) {
        var now: Int32 = -1
        let code = macrolog_sqlite3_db_config(handle, setting, on ? 1 : 0, &now)
        guard code == SQLITE_OK, now == (on ? 1 : 0) else {
            throw Failure(
                SQLiteError(
                    code: code, operation: "configure",
                    detail: "setting \(setting) did not hold"))
        }
    }

    /// Settings are read back, because one that was not applied would silently break a guarantee.
    private mutating func check(
        _ pragma: StaticString, is expected: String
    ) throws(Failure) {
        // A number is not read as text: that allocates memory, and a failed allocation is not
        // reported.
        let found =
            try first(pragma) { $0.type(0) == .integer ? "\($0.int(0))" : $0.text(0) } ?? "nothing"
        guard found == expected else {
            throw Failure(
                SQLiteError(
                    code: SQLITE_CANTOPEN, operation: "\(pragma)",
                    detail: "\(pragma) is \(found) where \(expected) is needed"))
        }
    }
}
