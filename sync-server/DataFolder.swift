/// The folder of the server's files, readable only by its owner.
import MacrologArgumentParsing
import MacrologSQLite
import MacrologCryptography
import MacrologEvents
import MacrologService
import MacrologSystem

struct DataFolder: Sendable {
    let path: String

    /// The database.
    var database: String { "\(path)/server.db" }
    /// Where a running server answers its operator.
    var adminSocket: String { "\(path)/admin.sock" }
    /// Where the gateway has its replicas.
    var gateway: String { "\(path)/gateway" }
    /// Databases that were moved aside, with all that was in them.
    var oldDatabases: [String] {
        Files.names(in: path).filter { name in
            ["server.db.old-", "server.db.before-"].contains { name.hasPrefix($0) }
                && !name.hasSuffix(".blobs")
        }.map { "\(path)/\($0)" }
    }
    /// Where `restore` prepares a database.
    var restored: String { "\(database).restored" }
    /// A file that is there while `restore` exchanges the databases.
    private var restoring: String { "\(database).restoring" }
    /// Where a copy of the database is made before it goes into a folder of copies.
    var copying: String { "\(database).copying" }
    /// Where the keys of accounts are before they go into a copy.
    var copyingKeys: String { "\(copying).keys" }
    /// The secrets of the server.
    var secretsFile: String { "\(path)/secrets.key" }

    /// Opens or creates the folder. From then on the process creates files with access for their
    /// owner only.
    ///
    /// - Parameter evenMarked: Whether its database may be one that must not be served.
    static func open(
        _ path: String, evenMarked: Bool = false
    ) throws(CommandError) -> DataFolder {
        Running.createsPrivateFiles()
        do throws(SystemError) { try Files.makeFolder(path) } catch {
            throw CommandError(.cantCreate, "sync-server: cannot create \(path): \(error)")
        }
        let folder = DataFolder(path: path)
        try folder.refuseEarlierDatabase()
        if !evenMarked { try folder.refuseMark() }
        return folder
    }

    /// Whether another user may replace files of the folder. Its files are private, so being listed gives away little.
    var isWritableByOthers: Bool {
        FileStatus(of: path).map { $0.permissions & 0o022 != 0 } ?? false
    }

    /// Refuses root in another user's folder. That user could lead what root writes elsewhere by links,
    /// and a server of that user could not open it.
    static func refuseAnothers(_ path: String) throws(CommandError) {
        guard Running.isRoot, let status = FileStatus(of: path), status.isAnothers else { return }
        throw CommandError(
            .noPerm,
            """
            sync-server: \(path) belongs to another user. Type this as that user: setpriv \
            --reuid=\(status.owner) --regid=\(status.group) --clear-groups sync-server …; for the \
            package's unit by systemd-run, as the operator's guide shows under Restore.
            """)
    }

    /// The right to use the database, which one process at a time has.
    func lock() throws(CommandError) -> LockFile {
        try Self.refuseAnothers(path)
        return try take(waitingSeconds: 0)
    }

    /// The same for a server, which root may run in another user's folder, as in a container. Waits for one
    /// that ends now; one with requests in progress may take longer.
    func lockToServe() throws(CommandError) -> LockFile { try take(waitingSeconds: 5) }

    private func take(waitingSeconds seconds: Int) throws(CommandError) -> LockFile {
        do throws(LockError) {
            return try LockFile.take(
                for: database, waitingSeconds: seconds, withFolder: true)
        } catch {
            throw CommandError(
                error.isRetryable ? .tempFail : .cantCreate, "sync-server: \(error)")
        }
    }

    /// The name of this server among those that share a folder of photos, made at its first start.
    func nodeName() throws(CommandError) -> String {
        let file = nodeNameFile
        let known: [UInt8]?
        do throws(WholeFile.ReadError) { known = try WholeFile.read(file, atMost: 64) } catch {
            throw CommandError(.noInput, "sync-server: cannot read \(file).")
        }
        if let known {
            let name = String(decoding: known, as: UTF8.self)
            guard name.utf8.count == 16, name.allSatisfy({ $0.isHexDigit }) else {
                throw CommandError(
                    .dataErr,
                    "sync-server: \(file) is damaged. Remove it; uploads in progress begin again.")
            }
            return name
        }
        let name = hexadecimal(randomBytes(8))
        do throws(SystemError) { try WholeFile.replace(file, with: Array(name.utf8)) } catch {
            throw CommandError(.cantCreate, "sync-server: cannot write \(file): \(error)")
        }
        return name
    }

    /// The store in the folder. The caller must hold the lock.
    ///
    /// - Parameters:
    ///   - keys: The keys of encryption at rest. Without them nothing can be read of an encrypted log, and
    ///     accounts can be administered all the same.
    ///   - blobs: Where photos are, if not in the folder.
    func store(
        keys: [DataKey] = [], blobs: (any BlobStorage)? = nil,
        fatal: @escaping @Sendable (String) -> Void
    ) throws(CommandError) -> SQLiteServerStore {
        do throws(SQLiteError) {
            return try SQLiteServerStore.open(
                database, newEpoch: newEpoch(), keys: keys, blobs: blobs, fatal: fatal)
        } catch {
            throw CommandError(.cantCreate, database, error)
        }
    }

    /// A folder in which a server has already run.
    ///
    /// - Parameter evenMarked: Whether its database may be one that must not be served.
    static func existing(
        _ path: String, evenMarked: Bool = false
    ) throws(CommandError) -> DataFolder {
        let folder = DataFolder(path: path)
        Running.createsPrivateFiles()
        try folder.refuseEarlierDatabase()
        guard folder.hasDatabase else {
            throw CommandError(.noInput, "sync-server: there is no database \(folder.database).")
        }
        if !evenMarked { try folder.refuseMark() }
        return folder
    }

    /// Refuses a database that is not complete, that is not there because a restore was interrupted, or
    /// whose contents are elsewhere now.
    private func refuseMark() throws(CommandError) {
        guard !Files.exists(restoring) else {
            throw CommandError(
                .dataErr,
                "sync-server: a restore into \(path) was interrupted. Give it again, with --force.")
        }
        guard hasDatabase, let mark = try? StoreMark.of(database) else { return }
        throw StoreOptions.refusal(mark, database)
    }

    /// Earlier builds called the database `hub.db`. A server that overlooked it would start empty.
    private func refuseEarlierDatabase() throws(CommandError) {
        let earlier = "\(path)/hub.db"
        guard !hasDatabase, Files.exists(earlier) else { return }
        throw CommandError(.dataErr, earlier: earlier, "made by an earlier build")
    }

    /// Whether a file is in this folder or below it.
    func holds(_ file: String) -> Bool {
        guard let own = FileStatus(of: path) else { return false }
        var folder = Files.wholePath(file)
        while folder != "/", folder != "." {
            folder = Files.folder(of: folder)
            guard let status = FileStatus(of: folder) else { continue }
            if status.device == own.device, status.inode == own.inode { return true }
        }
        return false
    }

    /// Removes a database that an interrupted command left, and what is beside it.
    static func removeUnfinished(_ database: String) {
        for end in ["", "-wal", "-shm", ".secrets", ".keys"] {
            Files.remove(database + end)
            Files.remove("\(database).unfinished\(end)")
        }
        BlobFiles(of: database).removeAll()
    }

    var hasDatabase: Bool { Files.exists(database) }
    var hasSecrets: Bool { Files.exists(secretsFile) }

    /// Replaces the current database, if any, by a complete one. The caller must hold the lock.
    ///
    /// - Returns: The new name of the previous database.
    func exchangeDatabase(for new: String) throws(CommandError) -> String? {
        var old: String?
        if hasDatabase || Files.exists("\(database).blobs") {
            var number = 1
            func isTaken(_ end: String) -> Bool {
                Files.exists("\(database).old-\(number)\(end)")
            }
            while isTaken("") || isTaken(".blobs") { number += 1 }
            old = "\(database).old-\(number)"
        }
        do throws(SystemError) { try WholeFile.replace(restoring, with: []) } catch {
            throw CommandError(.cantCreate, "sync-server: cannot write \(restoring): \(error)")
        }
        // The `-wal` file moves together with the old database, because it may hold commits.
        for end in [".blobs", "-shm", "-wal", ""] {
            let name = database + end
            guard Files.exists(name) else { continue }
            if let old { try move(name, to: old + end) } else { try remove(name) }
        }
        // The database is moved last: once it is in place, everything else is too.
        for end in [".blobs", ""] where Files.exists(new + end) {
            try move(new + end, to: database + end)
        }
        do throws(SystemError) { try Files.flush(path) } catch {
            throw CommandError(.ioErr, "sync-server: cannot make \(path) durable: \(error)")
        }
        try remove(restoring)
        return old
    }

    private func move(_ path: String, to new: String) throws(CommandError) {
        do throws(SystemError) { try Files.move(path, to: new) } catch {
            throw CommandError(.cantCreate, "sync-server: cannot move \(path): \(error)")
        }
    }

    private func remove(_ path: String) throws(CommandError) {
        do throws(SystemError) { try WholeFile.remove(path) } catch {
            throw CommandError(.cantCreate, "sync-server: cannot remove \(path): \(error)")
        }
    }

    /// The epoch of a new log: random, so that a log created after a loss is recognized as a
    /// different one.
    func newEpoch() -> UInt32 {
        max(1, randomBytes(4).reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// The bytes of a copy of the secrets that is kept apart.
    static func secrets(at path: String) throws(CommandError) -> [UInt8] {
        let bytes = try readKey(path)
        guard bytes.count == Secrets.byteCount else {
            throw CommandError(.dataErr, "sync-server: \(path) is no copy of secrets.key.")
        }
        return bytes
    }

    /// Refuses secrets that are not those of the database: no one could log in.
    func check(_ secrets: Secrets) throws(CommandError) {
        guard hasDatabase else { return }
        let areRight: Bool
        do { areRight = try ServerFile.accounts(of: database, belongTo: secrets) } catch {
            throw CommandError(.dataErr, database, error)
        }
        guard !areRight else { return }
        throw CommandError(
            .dataErr,
            """
            sync-server: \(secretsFile) is not that of \(database), and no one could log in. Restore its \
            copy, or restore the database once more, with --secrets and the copy of secrets.key.
            """)
    }

    /// The secrets, created at the first start.
    func secrets() throws(CommandError) -> Secrets {
        let found: [UInt8]?
        do throws(WholeFile.ReadError) {
            found = try WholeFile.read(
                secretsFile, atMost: Secrets.byteCount + 1, isPrivate: true)
        } catch {
            guard case .system(let error) = error else { throw Self.exposed(secretsFile) }
            throw CommandError(.noInput, "sync-server: cannot open \(secretsFile): \(error)")
        }
        guard let bytes = found else {
            // Without its secrets, no address could be matched to an account of the database.
            guard !hasDatabase else {
                throw CommandError(
                    .noInput, "sync-server: \(secretsFile) is missing; restore it from its copy.")
            }
            return try createSecrets()
        }
        guard bytes.count == Secrets.byteCount else {
            throw CommandError(
                .dataErr, "sync-server: \(secretsFile) is damaged; restore its copy.")
        }
        return Secrets(bytes)
    }

    /// Reads a whole file.
    static func read(_ path: String) throws(CommandError) -> [UInt8] {
        try read(path) { _ in true }
    }

    /// Reads a private key, and refuses one that others may read. A key owned by root may be
    /// readable by a group, as with Debian's `ssl-cert`.
    static func readKey(_ path: String) throws(CommandError) -> [UInt8] {
        try read(path) { status in
            let isRoots = status.owner == 0 && status.isAnothers
            return (!status.isAnothers || isRoots)
                && status.permissions & (isRoots ? 0o027 : 0o077) == 0
        }
    }

    /// Far more than a chain of certificates needs.
    private static let pemBytesMax = 1 << 20

    private static func read(
        _ path: String, isAllowed: (FileStatus) -> Bool
    ) throws(CommandError) -> [UInt8] {
        let status: FileStatus
        let bytes: [UInt8]
        do throws(SystemError) {
            let file = try File.open(path, followsLinks: true)
            status = try file.status
            bytes = isAllowed(status) ? try file.read(atMost: pemBytesMax) : []
        } catch {
            throw CommandError(.noInput, "sync-server: cannot read \(path): \(error)")
        }
        guard isAllowed(status) else { throw exposed(path) }
        return bytes
    }

    private static func exposed(_ path: String) -> CommandError {
        CommandError(
            .noPerm,
            FileStatus(of: path)?.isAnothers == true
                ? "sync-server: \(path) belongs to another user. Type this as the user who runs the server."
                : "sync-server: others may read \(path). Type: chmod 600 \(path)")
    }

    private func createSecrets() throws(CommandError) -> Secrets {
        let bytes = randomBytes(Secrets.byteCount)
        try putSecrets(bytes)
        return Secrets(bytes)
    }

    /// Writes the secrets. Others that were there are moved aside.
    ///
    /// - Returns: Where those are now.
    @discardableResult
    func putSecrets(_ bytes: [UInt8]) throws(CommandError) -> String? {
        var aside: String?
        if hasSecrets {
            if try Self.read(secretsFile) == bytes { return nil }
            var number = 1
            while Files.exists("\(secretsFile).before-restore-\(number)") { number += 1 }
            let name = "\(secretsFile).before-restore-\(number)"
            try move(secretsFile, to: name)
            aside = name
        }
        do throws(SystemError) { try WholeFile.replace(secretsFile, with: bytes) } catch {
            throw CommandError(.cantCreate, "sync-server: cannot write \(secretsFile): \(error)")
        }
        return aside
    }
}
