import Foundation

/// PgBouncer in transaction mode before a PostgreSQL server: each transaction may get another connection. It ends with
/// the value.
///
/// Its program is the one that `.ci/servers pgbouncer` has unpacked.
package final class PgBouncer: Sendable {
    package static let tools = UnpackedTools("pgbouncer")

    /// Whether the program is there; ``UnpackedTools/missing`` says what to do if not.
    package static var isThere: Bool { tools.program("usr/sbin/pgbouncer") != nil }

    private let folder = ScratchFolder()
    private let process: UnpackedProcess
    private let port = Loopback.freePort()

    /// - Parameter connections: How many connections to the server all clients share.
    package init(before server: PostgreSQLServer, connections: Int = 4) throws {
        try UnpackedProcess.give(folder.path)
        let settings = """
            [databases]
            * = host=\(server.folder.path) port=\(server.port ?? 5_432) user=postgres

            [pgbouncer]
            listen_addr =
            listen_port = \(port)
            unix_socket_dir = \(folder.path)
            auth_type = any
            pool_mode = transaction
            default_pool_size = \(connections)
            max_client_conn = 200
            logfile = \(folder.file("log"))
            """
        try settings.write(toFile: folder.file("settings"), atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: folder.file("settings"))
        guard let program = Self.tools.program("usr/sbin/pgbouncer") else {
            throw PostgreSQLServer.NotReady(description: Self.tools.missing)
        }
        process = try UnpackedProcess(
            program, [folder.file("settings")], of: Self.tools, log: folder.file("output"),
            lastSignal: SIGKILL)
        let socket = folder.file(".s.PGSQL.\(port)")
        eventually(within: 60_000) {
            !process.isRunning || FileManager.default.fileExists(atPath: socket)
        }
        guard process.isRunning else {
            let text = (try? String(contentsOfFile: folder.file("output"), encoding: .utf8)) ?? ""
            throw PostgreSQLServer.NotReady(description: "PgBouncer does not start: \(text)")
        }
    }

    deinit { process.end() }

    /// The address of a database by way of it.
    package func address(of database: String) -> String {
        "postgresql:///\(database)?host=\(folder.path)&port=\(port)&user=postgres"
    }
}
