import Foundation
import Synchronization

/// A PostgreSQL server with a cluster of its own, on a socket that only its folder holds; it ends with the value, or with
/// this process.
///
/// Its programs are those that `.ci/servers postgresql` has unpacked. The superuser is `postgres`, and needs a
/// password on loopback only.
package final class PostgreSQLServer: Sendable {
    /// The settings of a server, as in `postgresql.conf`.
    package typealias Settings = [String: String]

    /// It did not begin to work, with the end of what it wrote.
    package struct NotReady: Error, CustomStringConvertible {
        package let description: String
    }

    /// The folder of its cluster, its socket and what it writes.
    package let folder: ScratchFolder
    /// Its port on loopback; `nil` if it listens on its socket alone.
    package let port: Int?
    private let settings: Settings
    private let process = Mutex<UnpackedProcess?>(nil)

    package static let tools = UnpackedTools("postgresql")

    /// Whether the programs are there; ``UnpackedTools/missing`` says what to do if not.
    package static var isThere: Bool { programs != nil }

    /// The folder of the programs, of the newest version.
    private static let programs: String? = {
        for root in [tools.root, ""] {
            let versions = "\(root)/usr/lib/postgresql"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? []
            let newest = names.compactMap { Int($0) }.max()
            if let newest { return "\(versions)/\(newest)/bin" }
        }
        return nil
    }()

    private static func program(_ name: String) throws -> String {
        guard let programs else { throw NotReady(description: tools.missing) }
        return "\(programs)/\(name)"
    }

    /// The superuser's, on loopback.
    private static let password = UUID().uuidString

    /// An empty cluster, made once by each process and copied for each server.
    private static let template = Result { () throws -> ScratchFolder in
        let folder = ScratchFolder()
        AtExit.add { folder.remove() }
        try password.write(toFile: folder.file("password"), atomically: true, encoding: .utf8)
        try UnpackedProcess.give(folder.file("password"))
        try UnpackedProcess.give(folder.path)
        try run(
            "initdb",
            [
                "-D", folder.file("data"), "-U", "postgres", "--auth-local=trust",
                "--auth-host=scram-sha-256", "--pwfile=\(folder.file("password"))", "-E", "UTF8",
                "--locale=C", "--data-checksums", "--no-sync", "--no-instructions",
            ])
        return folder
    }

    /// One without flushes that all tests of a process share, each with ``newDatabase()``.
    package static func shared() throws -> PostgreSQLServer { try sharedServer.get() }

    private static let sharedServer = Result { try PostgreSQLServer(isDurable: false) }

    /// Starts a server on an empty cluster.
    ///
    /// - Parameters:
    ///   - isDurable: Whether a commit is on the disk when it is answered; otherwise nothing is flushed.
    ///   - onLoopback: Whether it listens on a port of loopback, too.
    /// - Throws: ``NotReady``, ``UnpackedProcess/Failed``
    package convenience init(
        isDurable: Bool = true, onLoopback: Bool = false, settings: Settings = [:]
    ) throws {
        // The databases of all tests are about 100,000 files, which a disk takes minutes to remove.
        let folder = ScratchFolder(inMemory: !isDurable && Self.hasRoomInMemory)
        try UnpackedProcess.give(folder.path)
        let template = try Self.template.get().file("data")
        try UnpackedProcess.run("/bin/cp", ["-a", template, folder.file("data")], of: Self.tools)
        let fast: Settings = [
            "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
        ]
        try self.init(
            in: folder, onLoopback: onLoopback,
            settings: (isDurable ? [:] : fast).merging(settings) { $1 })
    }

    /// Whether the system's folder in memory takes 4 GiB.
    private static var hasRoomInMemory: Bool {
        let system = try? FileManager.default.attributesOfFileSystem(forPath: "/dev/shm")
        let free = (system?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
        return free >= 4 << 30
    }

    private init(in folder: ScratchFolder, onLoopback: Bool, settings: Settings) throws {
        self.folder = folder
        self.settings = settings
        port = onLoopback ? Loopback.freePort() : nil
        AtExit.add { [weak self] in self?.remove() }
        try start()
    }

    deinit { remove() }

    private func remove() {
        kill()
        freeSharedMemory()
        folder.remove()
    }

    // MARK: Its life

    /// Starts it again after ``stop()`` or ``kill()``, and waits until it answers.
    package func start() throws {
        var all = [
            "listen_addresses": port == nil ? "" : "127.0.0.1", "port": "\(port ?? 5_432)",
            "unix_socket_directories": folder.path, "unix_socket_permissions": "0700",
            "shared_buffers": "32MB",
            "dynamic_shared_memory_type": "mmap", "recovery_init_sync_method": "syncfs",
        ]
        all.merge(settings) { $1 }
        let words = all.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] }
        let started = try UnpackedProcess(
            try Self.program("postgres"), ["-D", folder.file("data")] + words, of: Self.tools,
            log: folder.file("log"), lastSignal: SIGQUIT)
        process.withLock { $0 = started }
        eventually(within: 60_000) { !started.isRunning || isReady(started.pid) }
        guard started.isRunning, isReady(started.pid) else {
            started.end()
            throw NotReady(description: "PostgreSQL is not ready: \(log.suffix(1_000))")
        }
    }

    /// Whether the server with this process ID has written that it takes connections.
    private func isReady(_ pid: Int32) -> Bool {
        let lines = postmasterFile
        return lines.count > 7 && lines[0] == "\(pid)"
            && (lines[7].hasPrefix("ready") || lines[7].hasPrefix("standby"))
    }

    /// The lines that a running server writes about itself.
    private var postmasterFile: [Substring] {
        let path = folder.file("data/postmaster.pid")
        let text = try? String(contentsOfFile: path, encoding: .utf8)
        return (text ?? "").split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// What it has written, from its first start.
    package var log: String {
        (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? ""
    }

    /// Asks it to end its connections and itself, and waits.
    package func stop() { process.withLock { $0.take() }?.end(SIGINT) }

    /// Kills all of its processes at the same moment, and waits.
    package func kill() {
        guard let running = process.withLock({ $0.take() }) else { return }
        running.sendToAll(SIGKILL)
        running.end(SIGKILL)
    }

    /// Stops all of its processes where they are; connections stay open and get no answer.
    package func freeze() { process.withLock { $0 }?.sendToAll(SIGSTOP) }

    /// Whether all of its processes stand still.
    package var isFrozen: Bool { process.withLock { $0?.isStopped ?? false } }

    /// Lets a frozen server continue.
    package func thaw() { process.withLock { $0 }?.sendToAll(SIGCONT) }

    /// The processor time of all of its processes since its last start, in seconds.
    package var processorSeconds: Double { process.withLock { $0 }?.processorSeconds ?? 0 }

    /// A server that was killed leaves a segment of shared memory of 56 bytes, which the next start of its cluster
    /// would remove.
    private func freeSharedMemory() {
        let lines = postmasterFile
        guard lines.count > 6 else { return }
        if let number = lines[6].split(separator: " ").last.flatMap({ Int32($0) }) {
            shmctl(number, IPC_RMID, nil)
        }
    }

    // MARK: Talking to it

    /// The address of a database on its socket.
    package func address(of database: String = "postgres") -> String {
        "postgresql:///\(database)?host=\(folder.path)&port=\(port ?? 5_432)&user=postgres"
    }

    /// The address of a database on a port of loopback: its own, or that of a proxy before it.
    package func address(of database: String = "postgres", port: Int) -> String {
        "postgresql://postgres:\(Self.password)@127.0.0.1:\(port)/\(database)?sslmode=disable"
    }

    /// The path of its socket.
    package var socket: String { folder.file(".s.PGSQL.\(port ?? 5_432)") }

    /// Runs statements as the superuser.
    ///
    /// - Parameter address: That of a database by way of something else, such as a proxy.
    /// - Returns: The rows as lines, their columns parted by `|`, without the last newline.
    /// - Throws: ``UnpackedProcess/Failed`` with the message of the first statement that failed.
    @discardableResult
    package func query(
        _ statements: String, in database: String = "postgres", at address: String? = nil
    ) throws -> String {
        let address = address ?? self.address(of: database)
        let text = try Self.run(
            "psql", ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", address],
            input: statements)
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    /// Creates an empty database of a name of its own.
    package func newDatabase() throws -> String {
        let name = "test_\(UUID().uuidString.prefix(8).lowercased())"
        try query("CREATE DATABASE \(name)")
        return name
    }

    /// Writes a database into a file, with `pg_dump`.
    package func dump(_ database: String, to file: String) throws {
        try Self.run("pg_dump", ["-Fc", "-f", file, address(of: database)])
    }

    /// Brings what ``dump(_:to:)`` has written into an empty database, whole or not at all.
    package func restore(_ database: String, from file: String) throws {
        try Self.run(
            "pg_restore", ["--single-transaction", "-d", address(of: database), file])
    }

    @discardableResult
    private static func run(_ name: String, _ words: [String], input: String = "") throws -> String
    {
        try UnpackedProcess.run(try program(name), words, of: tools, input: input)
    }

    // MARK: Standbys

    /// Copies the cluster, and starts a server that follows this one.
    ///
    /// - Parameter isSynchronous: Whether this one from now on answers a commit only when a standby has it on its disk.
    package func standby(
        isSynchronous: Bool = true, onLoopback: Bool = false
    ) throws -> PostgreSQLServer {
        let other = ScratchFolder()
        try UnpackedProcess.give(other.path)
        let name = "standby_\(UUID().uuidString.prefix(8).lowercased())"
        try Self.run(
            "pg_basebackup",
            [
                "-D", other.file("data"), "-d", address() + "&application_name=\(name)", "-R",
                "-X", "stream", "-c", "fast", "--no-sync",
            ])
        let server = try PostgreSQLServer(
            in: other, onLoopback: onLoopback,
            settings: settings.merging(["cluster_name": name]) { $1 })
        if isSynchronous {
            try query("ALTER SYSTEM SET synchronous_standby_names = '*'; SELECT pg_reload_conf()")
        }
        let states = isSynchronous ? "'sync'" : "'sync', 'async'"
        let isFollowing = try eventually(every: 10) {
            try query(
                """
                SELECT count(*) FROM pg_stat_replication
                WHERE application_name = '\(name)' AND state = 'streaming' AND sync_state IN (\(states))
                """) == "1"
        }
        guard isFollowing else {
            throw NotReady(description: "the standby does not follow: \(server.log.suffix(1_000))")
        }
        return server
    }

    /// Makes a standby a server that takes writes, and waits.
    package func promote() throws { try query("SELECT pg_promote()") }
}
