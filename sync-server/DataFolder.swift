/// The folder of the server's files, readable only by its owner.
import MacrologArgumentParsing
import MacrologSQLite
import MacrologSeal
import MacrologService

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

struct DataFolder {
    private let path: String

    /// The database.
    var database: String { "\(path)/server.db" }
    private var secretsFile: String { "\(path)/secrets.key" }

    /// Opens or creates the folder. From then on the process creates files with access for their
    /// owner only.
    static func open(_ path: String) throws(CommandError) -> DataFolder {
        umask(0o077)
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw CommandError(.cantCreate, "sync-server: cannot create \(path): \(lastError())")
        }
        let folder = DataFolder(path: path)
        try folder.refuseEarlierDatabase()
        return folder
    }

    /// A folder in which a server has already run.
    static func existing(_ path: String) throws(CommandError) -> DataFolder {
        let folder = DataFolder(path: path)
        umask(0o077)
        try folder.refuseEarlierDatabase()
        guard folder.hasDatabase else {
            throw CommandError(.noInput, "sync-server: there is no database \(folder.database).")
        }
        return folder
    }

    /// Earlier builds called the database `hub.db`. A server that overlooked it would start empty.
    private func refuseEarlierDatabase() throws(CommandError) {
        let earlier = "\(path)/hub.db"
        guard !hasDatabase, access(earlier, F_OK) == 0 else { return }
        throw CommandError(.dataErr, earlier: earlier, "made by an earlier build")
    }

    var hasDatabase: Bool { access(database, F_OK) == 0 }
    var hasSecrets: Bool { access(secretsFile, F_OK) == 0 }

    /// Replaces the current database, if any, by a complete one. The caller must hold the lock.
    ///
    /// - Returns: The new name of the previous database.
    func exchangeDatabase(for new: String) throws(CommandError) -> String? {
        var old: String?
        if hasDatabase || access("\(database).blobs", F_OK) == 0 {
            var number = 1
            func isTaken(_ end: String) -> Bool {
                access("\(database).old-\(number)\(end)", F_OK) == 0
            }
            while isTaken("") || isTaken(".blobs") { number += 1 }
            old = "\(database).old-\(number)"
        }
        // The `-wal` file moves together with the old database, because it may hold commits.
        for end in [".blobs", "-shm", "-wal", ""] {
            let name = database + end
            guard access(name, F_OK) == 0 else { continue }
            let isGone = old.map { rename(name, $0 + end) == 0 } ?? (unlink(name) == 0)
            guard isGone else {
                throw CommandError(.cantCreate, "sync-server: cannot move \(name): \(lastError())")
            }
        }
        // The database is moved last: once it is in place, everything else is too.
        for end in [".blobs", ""] where access(new + end, F_OK) == 0 {
            guard rename(new + end, database + end) == 0 else {
                throw CommandError(
                    .cantCreate, "sync-server: cannot move \(new + end): \(lastError())")
            }
        }
        let folder = openFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        fsync(folder)
        close(folder)
        return old
    }

    /// The epoch of a new log: random, so that a log created after a loss is recognized as a
    /// different one.
    func newEpoch() -> UInt32 {
        max(1, randomBytes(4).reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// The secrets, created at the first start.
    func secrets() throws(CommandError) -> Secrets {
        let descriptor = openFile(secretsFile, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT {
            // Without its secrets, no address could be matched to an account of the database.
            guard access(database, F_OK) != 0 else {
                throw CommandError(
                    .noInput, "sync-server: \(secretsFile) is missing; restore it from its copy.")
            }
            return try createSecrets()
        }
        guard descriptor >= 0 else {
            throw CommandError(.noInput, "sync-server: cannot open \(secretsFile): \(lastError())")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid(), status.st_mode & 0o077 == 0
        else {
            throw CommandError(
                .noPerm,
                "sync-server: others may read \(secretsFile). Type: chmod 600 \(secretsFile)")
        }
        let bytes = Self.readAll(descriptor)
        guard bytes.count == Secrets.byteCount else {
            throw CommandError(
                .dataErr, "sync-server: \(secretsFile) is damaged; restore its copy.")
        }
        return Secrets(bytes)
    }

    /// Reads a whole file.
    static func read(_ path: String) throws(CommandError) -> [UInt8] {
        try read(path) { _ throws(CommandError) in }
    }

    /// Reads a private key, and refuses one that others may read. A key owned by root may be
    /// readable by a group, as with Debian's `ssl-cert`.
    static func readKey(_ path: String) throws(CommandError) -> [UInt8] {
        try read(path) { status throws(CommandError) in
            let forbidden: mode_t = status.st_uid == 0 && geteuid() != 0 ? 0o027 : 0o077
            guard status.st_uid == geteuid() || status.st_uid == 0,
                status.st_mode & forbidden == 0
            else {
                throw CommandError(
                    .noPerm, "sync-server: others may read \(path). Type: chmod 600 \(path)")
            }
        }
    }

    private static func read(
        _ path: String, check: (stat) throws(CommandError) -> Void
    ) throws(CommandError) -> [UInt8] {
        let descriptor = openFile(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandError(.noInput, "sync-server: cannot open \(path): \(lastError())")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw CommandError(.noInput, "sync-server: cannot read \(path): \(lastError())")
        }
        try check(status)
        return readAll(descriptor)
    }

    private func createSecrets() throws(CommandError) -> Secrets {
        let bytes = randomBytes(Secrets.byteCount)
        guard WholeFile.replace(secretsFile, with: bytes) else {
            throw CommandError(
                .cantCreate, "sync-server: cannot write \(secretsFile): \(lastError())")
        }
        return Secrets(bytes)
    }

    private static func readAll(_ descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = readFile(descriptor, &buffer, buffer.count)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}

private func lastError() -> String { String(cString: strerror(errno)) }

// The C functions, where a method has the same name.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    open(path, flags, mode)
}

private func readFile(_ descriptor: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int {
    read(descriptor, &buffer, count)
}
