import MacrologTestSupport
import Testing

/// Goal: a scratch PostgreSQL server does what tests of faults need of it.
/// Method: the unpacked programs, on sockets in folders of the test's own.
@Suite(.enabled(if: PostgreSQLServer.isThere, "\(PostgreSQLServer.tools.missing)"))
struct PostgreSQLServerTests {
    @Test func `what was committed is there after all processes were killed`() throws {
        let server = try PostgreSQLServer()
        try server.query("CREATE TABLE t (n int); INSERT INTO t SELECT generate_series(1, 3)")
        server.kill()
        #expect(throws: UnpackedProcess.Failed.self) { try server.query("SELECT 1") }
        try server.start()
        #expect(try server.query("SELECT sum(n), count(*) FROM t") == "6|3")
        server.stop()
        try server.start()
        #expect(try server.query("SELECT sum(n) FROM t; SELECT 'x'") == "6\nx")
    }

    @Test func `a new database is empty and alone, and loopback wants a password`() throws {
        let server = try PostgreSQLServer(isDurable: false, onLoopback: true)
        let (one, other) = (try server.newDatabase(), try server.newDatabase())
        try server.query("CREATE TABLE t (n int)", in: one)
        let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        #expect(try server.query(tables, in: one) == "1")
        #expect(try server.query(tables, in: other) == "0")
        let port = try #require(server.port)
        #expect(server.address(port: port).contains("127.0.0.1:\(port)"))
        #expect(Loopback.isOpen(port))
        // The superuser's password is wanted there.
        #expect(throws: UnpackedProcess.Failed.self) {
            try server.query("SELECT 1", at: "postgresql://postgres:x@127.0.0.1:\(port)/\(one)")
        }
        #expect(try server.query("SELECT 2", at: server.address(of: one, port: port)) == "2")
    }

    @Test func `a frozen server stands still and continues`() throws {
        let server = try PostgreSQLServer(isDurable: false)
        #expect(!server.isFrozen)
        server.freeze()
        // A process that runs on another processor stops a moment later.
        #expect(eventually { server.isFrozen })
        server.thaw()
        #expect(try server.query("SELECT 1") == "1")
    }

    @Test func `a promoted standby has what its primary answered for`() throws {
        let primary = try PostgreSQLServer()
        let standby = try primary.standby()
        try primary.query("CREATE TABLE t (n int); INSERT INTO t VALUES (7)")
        #expect(throws: UnpackedProcess.Failed.self) { try standby.query("DELETE FROM t") }
        primary.kill()
        try standby.promote()
        try standby.query("INSERT INTO t VALUES (8)")
        #expect(try standby.query("SELECT sum(n) FROM t") == "15")
    }

    @Test func `the message of a statement that failed is shown`() throws {
        let server = try PostgreSQLServer.shared()
        let error = #expect(throws: UnpackedProcess.Failed.self) {
            try server.query("SELECT 1; SELECT nonsense; SELECT 2")
        }
        #expect(error?.messages.contains("\"nonsense\" does not exist") == true)
    }
}
