import CMacrologSQLite

// Operations on database files outside SQLite: create them privately, refuse network file systems,
// copy them.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Connection {
    /// Creates a missing file with mode 0600, which SQLite's `-wal` and `-shm` files inherit, and
    /// refuses a network file system: WAL needs memory shared by all users of the file.
    ///
    /// An existing file is never opened here: closing it would drop the locks that other
    /// connections of this process hold on it (https://sqlite.org/howtocorrupt.html, 2.2).
    static func prepareFile(_ path: String, mayCreate: Bool) throws(SQLiteError) {
        if mayCreate {
            let file = createPrivately(path)
            if file >= 0 {
                close(file)
            } else if errno != EEXIST {
                throw systemError("open \(path)")
            }
        }
        var system = statfs()
        guard statfs(path, &system) == 0 else { throw systemError("open \(path)") }
        guard isLocal(system) else {
            throw SQLiteError(
                code: SQLITE_CANTOPEN, operation: "open \(path)",
                detail: "the file is on a network file system")
        }
    }

    /// How SQLite opens a file where nothing can be written: without locks, and including the
    /// contents of a WAL next to it. Without a WAL the file is immutable.
    static func unwritable(_ path: String) -> (name: String, vfs: String?) {
        var status = stat()
        let hasLog = stat("\(path)-wal", &status) == 0 && status.st_size > 0
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
    /// - Parameter path: A file that does not exist yet.
    package mutating func backup(to path: String) throws(SQLiteError) {
        let operation = "back up to \(path)"
        guard access(path, F_OK) != 0 else {
            throw SQLiteError(
                code: SQLITE_CANTOPEN, operation: operation, detail: "the file exists already")
        }
        let partial = "\(path).partial"
        unlink(partial)
        let file = createPrivately(partial)
        guard file >= 0 else { throw systemError(operation) }
        // No connection has the new file open, so closing its descriptor drops no locks.
        defer { close(file) }
        do throws(SQLiteError) {
            try run("VACUUM INTO ?", partial)
            guard fsync(file) == 0 else { throw flushError(operation) }
            guard rename(partial, path) == 0 else { throw systemError(operation) }
            do throws(SQLiteError) { try flushFolder(of: path, operation) } catch {
                // A copy that may be incomplete is deleted.
                unlink(path)
                throw error
            }
        } catch {
            unlink(partial)
            throw error
        }
    }
}

private func createPrivately(_ path: String) -> CInt {
    open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
}

/// Flushes the folder of a file, which makes the file's name durable.
private func flushFolder(of path: String, _ operation: String) throws(SQLiteError) {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw systemError(operation) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw flushError(operation) }
}

/// The error of the last flush.
private func flushError(_ operation: String) -> SQLiteError {
    let detail = String(cString: strerror(errno))
    // SQLITE_IOERR_FSYNC, a macro that Swift cannot import.
    return SQLiteError(code: SQLITE_IOERR | 4 << 8, operation: operation, detail: detail)
}

/// The error of the last system call, classified as SQLite would classify it.
func systemError(_ operation: String) -> SQLiteError {
    let number = errno
    let code =
        switch number {
        case ENOSPC, EDQUOT: SQLITE_FULL
        case EIO: SQLITE_IOERR
        default: SQLITE_CANTOPEN
        }
    return SQLiteError(code: code, operation: operation, detail: String(cString: strerror(number)))
}

#if canImport(Darwin)
    private func isLocal(_ system: statfs) -> Bool {
        system.f_flags & UInt32(MNT_LOCAL) != 0
    }
#else
    /// The magic numbers of NFS, SMB, CIFS, SMB2, AFS, Ceph and 9P, from statfs(2).
    private func isLocal(_ system: statfs) -> Bool {
        let network: [UInt32] = [
            0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x5346_414F, 0x00C3_6400, 0x0102_1997,
        ]
        return !network.contains(UInt32(truncatingIfNeeded: system.f_type))
    }
#endif
