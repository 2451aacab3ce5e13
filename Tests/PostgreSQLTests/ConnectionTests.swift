import MacrologPostgreSQL
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: values arrive as they were sent, a transaction is made whole or not at all, and an error says what
/// may be done about it.
/// Method: a real server, and statements that it refuses.
@Suite(.enabled(if: PostgreSQLServer.isThere, Scratch.missing))
struct ConnectionTests {
    @Test func `values come back as they were sent`() throws {
        var db = try Scratch.connection()
        let bytes: [UInt8] = Array(0...255)
        let found: Void? = try db.first(
            """
            SELECT ?, ?, ?, ?, ?, '?', ?5, 1, true, CAST(NULL AS bigint)
            """, Int64.min, bytes, [UInt8](), "Käse ☕️", Int64?.none
        ) { row in
            #expect(row.int(0) == .min)
            #expect(row.bytes(1) == bytes)
            #expect(row.bytes(2) == [] && !row.isNull(2))
            #expect(row.text(3) == "Käse ☕️")
            #expect(row.isNull(4) && row.isNull(6) && row.isNull(9))
            #expect(row.text(5) == "?")
            #expect(row.int(7) == 1 && row.int(8) == 1)
        }
        #expect(found != nil)
    }

    @Test func `a statement is never compiled, however costly its plan seems`() throws {
        var db = try Scratch.connection()
        #expect(try db.first("SHOW jit") { $0.text(0) } == "off")
        #expect(try db.first("SHOW enable_seqscan") { $0.text(0) } == "off")
    }

    @Test func `a value that is not there is damage`() throws {
        var db = try Scratch.connection()
        let error = #expect(throws: PostgreSQLError.self) {
            _ = try db.first("SELECT CAST(NULL AS bigint)") { $0.int(0) }
        }
        #expect(error?.code == .damaged)
    }

    @Test func `a transaction whose body throws leaves nothing`() throws {
        var db = try Scratch.connection()
        try db.run("CREATE TABLE entry (number bigint PRIMARY KEY)")
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try db.transaction { db in
                try db.run("INSERT INTO entry VALUES (1)")
                throw Refused()
            }
        }
        #expect(try db.first("SELECT count(*) FROM entry") { $0.int(0) } == 0)
    }

    @Test func `a commit that the server does not call one is of unknown outcome`() throws {
        var db = try Scratch.connection()
        try db.run("CREATE TABLE entry (number bigint PRIMARY KEY)")
        let error = #expect(throws: PostgreSQLError.self) {
            try db.transaction { db in
                for number in [1, 1] { try db.run("INSERT INTO entry VALUES (?)", number) }
                // The error has ended the transaction, which COMMIT then rolls back.
                do { try db.flush() } catch {}
            }
        }
        #expect(error?.code == .disconnected && error?.isOutcomeUnknown == true)
        #expect(error?.detail.contains("ROLLBACK") == true)
        let isBroken = db.isBroken
        #expect(isBroken)
    }

    @Test func `an error of a statement that was not waited for is thrown, and nothing stays`()
        throws
    {
        var db = try Scratch.connection()
        try db.run("CREATE TABLE entry (number bigint PRIMARY KEY)")
        let error = #expect(throws: PostgreSQLError.self) {
            try db.transaction { db in
                for number in [1, 2, 2, 3] { try db.run("INSERT INTO entry VALUES (?)", number) }
            }
        }
        #expect(error?.state == "23505" && error?.isRetryable == false)
        #expect(error?.isOutcomeUnknown == false)
        let isBroken = db.isBroken
        #expect(!isBroken)
        #expect(try db.first("SELECT count(*) FROM entry") { $0.int(0) } == 0)
        // The connection works on, and so do statements that were skipped after the error.
        try db.transaction { db in
            for number in [1, 2, 3] { try db.run("INSERT INTO entry VALUES (?)", number) }
        }
        #expect(try db.first("SELECT count(*) FROM entry") { $0.int(0) } == 3)
    }

    @Test func `more statements than fit on the way are sent and counted`() throws {
        var db = try Scratch.connection()
        try db.run("CREATE TABLE entry (number bigint PRIMARY KEY, text text)")
        let long = String(repeating: "x", count: 4_000)
        try db.transaction { db in
            for number in 0..<3_000 { try db.run("INSERT INTO entry VALUES (?, ?)", number, long) }
            try db.run("UPDATE entry SET text = '' WHERE number < ?", 7)
            #expect(try db.changed() == 7)
        }
        let lengths = try db.all("SELECT length(text) FROM entry ORDER BY number") { $0.int(0) }
        #expect(lengths.count == 3_000 && lengths.filter { $0 == 4_000 }.count == 2_993)
    }

    @Test func `two transactions that wait for each other: one loses, and may run again`() throws {
        let address = try Scratch.address()
        var first = try PostgreSQLConnection.open(address)
        var second = try PostgreSQLConnection.open(address)
        try first.run("CREATE TABLE entry (number bigint PRIMARY KEY, value bigint)")
        try first.run("INSERT INTO entry VALUES (1, 0), (2, 0)")
        try first.flush()
        try first.run("BEGIN ISOLATION LEVEL SERIALIZABLE")
        try second.run("BEGIN ISOLATION LEVEL SERIALIZABLE")
        for number in [1, 2] {
            _ = try first.all("SELECT value FROM entry") { $0.int(0) }
            _ = try second.all("SELECT value FROM entry") { $0.int(0) }
            if number == 1 { try first.run("UPDATE entry SET value = 1 WHERE number = 1") }
            if number == 2 { try second.run("UPDATE entry SET value = 1 WHERE number = 2") }
        }
        try first.run("COMMIT")
        try first.flush()
        let error = #expect(throws: PostgreSQLError.self) {
            try second.run("COMMIT")
            try second.flush()
        }
        #expect(error?.isConflict == true && error?.isRetryable == true)
    }

    @Test func `a server that is killed while a commit waits leaves its outcome open`() throws {
        let server = try PostgreSQLServer(isDurable: false)
        var db = try PostgreSQLConnection.open(try PostgreSQLAddress(server.address()))
        try db.run("CREATE TABLE entry (number bigint PRIMARY KEY)")
        try db.flush()
        let error = #expect(throws: PostgreSQLError.self) {
            try db.transaction { db in
                try db.run("INSERT INTO entry VALUES (1)")
                try db.flush()
                server.kill()
            }
        }
        #expect(error?.isOutcomeUnknown == true)
        let isBroken = db.isBroken
        #expect(isBroken)
    }

    @Test func `a commit that its standby may not have is no commit`() throws {
        let server = try PostgreSQLServer(isDurable: true)
        let standby = try server.standby()
        var db = try PostgreSQLConnection.open(try PostgreSQLAddress(server.address()))
        try db.run("CREATE TABLE entry (number bigint PRIMARY KEY)")
        try db.flush()
        standby.freeze()
        let canceller = Worker.start {
            _ = eventually(every: 10) {
                let cancelled = try? server.query(
                    """
                    SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
                    WHERE wait_event = 'SyncRep'
                    """)
                return cancelled != "0" && cancelled != nil
            }
        }
        let error = #expect(throws: PostgreSQLError.self) {
            try db.transaction { db in try db.run("INSERT INTO entry VALUES (1)") }
        }
        canceller.join()
        standby.thaw()
        #expect(error?.isOutcomeUnknown == true)
    }
}
