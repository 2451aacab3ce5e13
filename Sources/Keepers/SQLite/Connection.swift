import CMacrologSQLite

/// One open connection to one SQLite file.
///
/// A connection has exactly one owner. It cannot be copied, and it closes when its owner releases
/// it: there is no `close()` to forget. SQL is a `StaticString`, so external text cannot become
/// SQL. Values are passed only as bindings.
///
/// Only one connection of a file may write, and only that one checkpoints: SQLite 3.7.0 to 3.51.2
/// can corrupt a WAL file that two connections reset at the same time. Readers open with
/// ``Mode/readOnly``; a ``LockFile`` excludes other processes.
@usableFromInline
package struct Connection: ~Copyable {
    /// What a connection may do.
    package enum Mode: Sendable {
        /// Reads and writes; creates a missing file with access for its owner only.
        case readWrite
        /// Reads, and never checkpoints. The file must exist.
        case readOnly
        /// Reads a file where nothing can be written, not even the files that readers normally
        /// create next to it. No process may write to the file meanwhile.
        case unwritable
        /// A private in-memory database, deleted with the connection. The path is ignored.
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
    let scratch = UnsafeMutableRawPointer.allocate(
        byteCount: Binder.scratchBytes + MemoryLayout<Int>.size, alignment: 16)
    /// The state of flushes and of the write-ahead log.
    let durability = UnsafeMutablePointer<Durability>.allocate(capacity: 1)
    /// What this connection has done so far.
    package internal(set) var counters = Counters()
    /// Whether a ``transaction(_:)`` or ``snapshot(_:)`` is running.
    var isInTransaction = false
    /// Whether SQLite rolled back the running transaction by itself (disk full, I/O error).
    var isTransactionLost = false

    private init(handle: OpaquePointer, checkpointPages: Int) {
        self.handle = handle
        (scratch + Binder.scratchBytes).bindMemory(to: Int.self, capacity: 1).initialize(to: 0)
        durability.initialize(
            to: Durability(checkpointPages: Int32(clamping: checkpointPages)))
    }

    deinit {
        // The statements are finalized after this call; the last one closes the file.
        sqlite3_close_v2(handle)
        durability.deinitialize(count: 1)
        durability.deallocate()
        scratch.deallocate()
    }

    /// Opens a file and applies fixed settings, each of which is read back and checked: WAL with
    /// `synchronous = FULL` (with `NORMAL`, a power failure may undo the last commits), foreign
    /// keys, delete triggers fired by `REPLACE`, checked cell sizes, an untrusted schema, no mapped
    /// memory, no extensions, values of at most 16 MiB.
    ///
    /// - Parameters:
    ///   - path: The file. Its folder must exist and be on a local disk.
    ///   - mode: What the connection may do.
    ///   - busyMilliseconds: How long a call waits for another connection's lock.
    ///   - checkpointPages: The number of pages in the WAL after which a commit also checkpoints; 0
    ///     for never. Only a connection that writes checkpoints at all.
    ///   - pages: The page size of a new file; an existing file keeps its own.
    ///   - isAlone: Whether no other connection opens the file meanwhile. Then it stays locked,
    ///     which saves the locks of each transaction and the shared-memory file.
    ///   - vfs: The name of a registered SQLite VFS, for a simulated disk.
    /// - Throws: ``SQLiteError``; nothing is left open.
    package static func open(
        _ path: String, mode: Mode = .readWrite, busyMilliseconds: Int = 5_000,
        checkpointPages: Int = 1_000, pages: PageSize = .large, isAlone: Bool = false,
        vfs: String? = nil
    ) throws(SQLiteError) -> Connection {
        if mode != .memory, path.isEmpty || path.utf8.contains(0) {
            throw SQLiteError(
                code: SQLITE_CANTOPEN, operation: "open \(path)", detail: "not a file's path")
        }
        if vfs == nil, mode != .memory { try prepareFile(path, mayCreate: mode == .readWrite) }

        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        switch mode {
        case .readWrite: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        case .unwritable: flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        case .memory: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
        }
        var handle: OpaquePointer?
        let (name, system) = mode == .unwritable ? unwritable(path) : (path, vfs)
        let code = sqlite3_open_v2(mode == .memory ? ":memory:" : name, &handle, flags, system)
        guard code == SQLITE_OK, let handle else {
            let error = SQLiteError.last(
                code, of: handle, operation: "open \(path)", whileRunning: false)
            sqlite3_close(handle)
            throw error
        }

        var connection = Connection(handle: handle, checkpointPages: checkpointPages)
        do throws(SQLiteError) {
            try connection.applySettings(
                mode, busyMilliseconds: busyMilliseconds, pages: pages, isAlone: isAlone)
        } catch {
            guard error.isBusy else { throw error }
            throw SQLiteError(
                code: error.code, extendedCode: error.extendedCode, operation: "open \(path)",
                detail: error.detail)
        }
        return connection
    }
}

extension Connection {
    /// Disables SQLite's memory statistics, so that threads allocate without waiting for each
    /// other. To be called by a program before it opens a file; not by a library, which shares its
    /// process. Later calls do nothing.
    package static func countNoMemory() { _ = macrolog_sqlite3_count_no_memory() }
}

/// Safe to send: every method is mutating, so the caller has exclusive access, and SQLite lets a
/// connection move between threads.
extension Connection: @unchecked Sendable {}

extension Connection {
    /// The settings of ``open(_:mode:busyMilliseconds:checkpointPages:pages:isAlone:vfs:)``.
    private mutating func applySettings(
        _ mode: Mode, busyMilliseconds: Int, pages: PageSize, isAlone: Bool
    ) throws(SQLiteError) {
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
            if pages == .small { try execute("PRAGMA page_size = 2048") }
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

    private func configure(_ setting: Int32, _ on: Bool) throws(SQLiteError) {
        var now: Int32 = -1
        let code = macrolog_sqlite3_db_config(handle, setting, on ? 1 : 0, &now)
        guard code == SQLITE_OK, now == (on ? 1 : 0) else {
            throw SQLiteError(
                code: code, operation: "configure \(setting)", detail: "the setting did not hold")
        }
    }

    /// Settings are read back, because one that was not applied would silently break a guarantee.
    private mutating func check(
        _ pragma: StaticString, is expected: String
    ) throws(SQLiteError) {
        // A number is not read as text: that allocates memory, and a failed allocation is not
        // reported.
        let found =
            try first(pragma) { $0.type(0) == .integer ? "\($0.int(0))" : $0.text(0) } ?? "nothing"
        guard found == expected else {
            throw SQLiteError(
                code: SQLITE_CANTOPEN, operation: "\(pragma)",
                detail: "\(found) where \(expected) is needed")
        }
    }
}
