import CMacrologSQLite
package import MacrologSystem

// Operations on database files outside SQLite: create them privately, refuse network file systems,
// copy them.

extension SQLiteConnection {
    /// Opens a file, with the settings of
    /// ``connect(to:of:vfs:mode:busyMilliseconds:checkpointPages:pages:isAlone:)``.
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
    /// - Throws: An error of SQLite; nothing is left open.
    package static func open(
        _ path: String, mode: Mode = .readWrite, busyMilliseconds: Int = 5_000,
        checkpointPages: Int = 4_000, pages: PageSize = .large, isAlone: Bool = false,
        vfs: String? = nil
    ) throws(Failure) -> SQLiteConnection {
        if path.isEmpty || path.utf8.contains(0) {
            throw Failure(
                SQLiteError(
                    code: SQLITE_CANTOPEN, operation: "open \(path)", detail: "not a file's path"))
        }
        if vfs == nil { try prepareFile(path, mayCreate: mode == .readWrite) }
        let (name, system) = mode == .unwritable ? unwritable(path) : (path, vfs)
        return try connect(
            to: name, of: path, vfs: system, mode: mode, busyMilliseconds: busyMilliseconds,
            checkpointPages: checkpointPages, pages: pages, isAlone: isAlone)
    }

    /// Creates a missing file with mode 0600, which SQLite's `-wal` and `-shm` files inherit, and
    /// refuses a network file system: WAL needs memory shared by all users of the file.
    ///
    /// An existing file is never opened here: closing it would drop the locks that other
    /// connections of this process hold on it (https://sqlite.org/howtocorrupt.html, 2.2).
    private static func prepareFile(_ path: String, mayCreate: Bool) throws(Failure) {
        let isLocal: Bool
        do throws(SystemError) {
            if mayCreate { try create(path) }
            isLocal = try Files.isLocal(path)
        } catch {
            throw Failure(SQLiteError(error, "open \(path)"))
        }
        guard isLocal else {
            throw Failure(
                SQLiteError(
                    code: SQLITE_CANTOPEN, operation: "open \(path)",
                    detail: "the file is on a network file system"))
        }
    }

    private static func create(_ path: String) throws(SystemError) {
        do throws(SystemError) { _ = try File.create(path) } catch {
            guard error.isTaken else { throw error }
        }
    }

    /// How SQLite opens a file where nothing can be written: without locks, and including the
    /// contents of a WAL next to it. Without a WAL the file is immutable.
    private static func unwritable(_ path: String) -> (name: String, vfs: String?) {
        let hasLog = (FileStatus(of: "\(path)-wal")?.bytes ?? 0) > 0
        var name = "file:"
        for byte in path.utf8 {
            let isPlain = byte > 0x20 && byte < 0x7F && !"%?#".utf8.contains(byte)
            let digits = Array("0123456789ABCDEF".utf8)
            name +=
                isPlain
                ? String(UnicodeScalar(byte))
                : String(
                    decoding: [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]], as: UTF8.self)
        }
        return hasLog ? ("\(name)?mode=ro", "unix-none") : ("\(name)?immutable=1", nil)
    }

    /// Writes a compact, consistent copy of the whole database, even while readers read, and
    /// flushes it to disk. The copy appears under its name only when it is complete.
    ///
    /// - Parameters:
    ///   - path: A file that does not exist yet.
    ///   - isOwn: Whether only this program uses the name.
    package mutating func backup(to path: String, isOwn: Bool = false) throws(Failure) {
        let operation = "back up to \(path)"
        guard !Files.exists(path) else {
            throw Failure(
                SQLiteError(
                    code: SQLITE_CANTOPEN, operation: operation, detail: "the file exists already"))
        }
        // No connection has the new file open, so closing its descriptor drops no locks.
        var copy: WholeFile
        do throws(SystemError) {
            copy = isOwn ? try WholeFile(own: path) : try WholeFile(path)
        } catch {
            throw Failure(SQLiteError(error, operation))
        }
        try run("VACUUM INTO ?", copy.partialPath)
        do throws(SystemError) { try copy.complete() } catch {
            // A copy that may be incomplete is deleted.
            Files.remove(path)
            throw Failure(SQLiteError(error, operation))
        }
    }
}

extension FileBirth {
    /// Reads the identity of a database file, which must exist.
    package static func read(_ path: String) throws(SQLiteError) -> FileBirth {
        do throws(SystemError) { return try FileBirth(of: path) } catch {
            throw SQLiteError(error, "look at \(path)")
        }
    }
}

extension SQLiteError {
    /// An error of the system, classified as SQLite would classify it.
    init(_ error: SystemError, _ operation: String) {
        let code =
            if error.isFlush {
                // SQLITE_IOERR_FSYNC, a macro that Swift cannot import.
                SQLITE_IOERR | 4 << 8
            } else {
                error.isFull ? SQLITE_FULL : error.isDiskFailure ? SQLITE_IOERR : SQLITE_CANTOPEN
            }
        self.init(code: code, operation: operation, detail: "\(error)")
    }
}
