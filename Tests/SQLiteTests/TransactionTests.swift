import MacrologSQLite
import MacrologTestSupport
import Testing

/// Goal: a transaction happens whole or not at all, whatever ends it.
@Suite struct TransactionTests {
    private struct Stop: Error {}

    private func database() throws -> Connection {
        var db = try Connection.inMemory()
        try db.run("CREATE TABLE p (a INTEGER PRIMARY KEY) STRICT")
        try db.run(
            """
            CREATE TABLE t (
                a INTEGER PRIMARY KEY REFERENCES p (a) DEFERRABLE INITIALLY DEFERRED, b BLOB
            ) STRICT
            """)
        return db
    }

    private func count(_ db: inout Connection) throws -> Int64? {
        try db.first("SELECT COUNT(*) FROM p") { $0.int(0) }
    }

    @Test func `a body that throws leaves nothing, and the next one works`() throws {
        var db = try database()
        #expect(throws: Stop.self) {
            try db.transaction { db in
                try db.run("INSERT INTO p VALUES (1)")
                throw Stop()
            }
        }
        #expect(try count(&db) == 0)
        let result = try db.transaction { db in
            try db.run("INSERT INTO p VALUES (1)")
            return "done"
        }
        #expect(result == "done")
        #expect(try count(&db) == 1)
    }

    @Test func `a body that returns false is rolled back, one that returns true stays`() throws {
        var db = try database()
        for isWanted in [false, true] {
            let result = try db.conditionalTransaction { db throws(SQLiteError) in
                try db.run("INSERT INTO p VALUES (1)")
                return isWanted
            }
            #expect(result == isWanted)
            #expect(try count(&db) == (isWanted ? 1 : 0))
        }
        let stop = SQLiteError.number("less than 2")
        #expect(throws: stop) {
            try db.conditionalTransaction { db throws(SQLiteError) in
                try db.run("INSERT INTO p VALUES (2)")
                throw stop
            }
        }
        #expect(try count(&db) == 1)
    }

    @Test func `a commit that is refused rolls everything back`() throws {
        var db = try database()
        let error = #expect(throws: SQLiteError.self) {
            try db.transaction { db in
                try db.run("INSERT INTO p VALUES (1)")
                try db.run("INSERT INTO t (a) VALUES (2)")  // p has no 2; noticed at COMMIT.
            }
        }
        #expect(error?.code == .constraint(.foreignKey))
        #expect(error?.operation == "COMMIT")
        #expect(try count(&db) == 0)
        try db.transaction { try $0.run("INSERT INTO p VALUES (1)") }
        #expect(try count(&db) == 1)
    }

    @Test func `a part that fails undoes its own changes only`() throws {
        var db = try database()
        try db.beginJoint(writes: true)
        try db.run("INSERT INTO p VALUES (1)")
        #expect(throws: Stop.self) {
            try db.transaction { db in
                try db.run("INSERT INTO p VALUES (2)")
                try db.transaction { try $0.run("INSERT INTO p VALUES (3)") }
                throw Stop()
            }
        }
        try db.transaction { try $0.run("INSERT INTO p VALUES (4)") }
        try db.endJoint(commits: true)
        #expect(try db.all("SELECT a FROM p") { $0.int(0) } == [1, 4])
    }

    @Test func `a part that cannot be rolled back loses the transaction`() throws {
        var db = try database()
        try db.beginJoint(writes: true)
        try db.run("INSERT INTO p VALUES (1)")
        let error = #expect(throws: SQLiteError.self) {
            try db.transaction { db in
                try db.run("INSERT INTO p VALUES (2)")
                try db.run("RELEASE part")  // Nothing is left to roll back to.
                throw Stop()
            }
        }
        #expect(error?.operation == "ROLLBACK TO part")
        #expect(throws: SQLiteError.self) { try db.endJoint(commits: true) }
        #expect(try count(&db) == 0)
        try db.transaction { try $0.run("INSERT INTO p VALUES (1)") }
        #expect(try count(&db) == 1)
    }

    @Test func `a transaction inside a transaction is a mistake of ours`() async {
        await #expect(processExitsWith: .failure) {
            var db = try Connection.inMemory()
            try db.transaction { db in try db.transaction { _ in } }
        }
    }

    @Test func `too few values are a mistake of ours`() async {
        await #expect(processExitsWith: .failure) {
            var db = try Connection.inMemory()
            try db.run("SELECT ?, ?", 1)
        }
    }

    @Test func `after a full disk nothing of the transaction is committed piece by piece`() throws {
        let folder = ScratchFolder()
        var db = try Connection.open(folder.file("a.db"))
        try db.run("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT")
        try db.run("PRAGMA max_page_count = 20")
        var reason: SQLiteError.Code?
        let error = #expect(throws: SQLiteError.self) {
            try db.transaction { db in
                try db.run("INSERT INTO t (b) VALUES (x'01')")
                do throws(SQLiteError) {
                    try db.run(
                        "INSERT INTO t (b) VALUES (?)", [UInt8](repeating: 1, count: 200_000))
                } catch { reason = error.code }
                // A body that carries on regardless must not commit the rest on its own.
                try db.run("INSERT INTO t (b) VALUES (x'02')")
            }
        }
        #expect(reason == .full)
        #expect(error?.detail.contains("rolled back") == true)
        #expect(try db.first("SELECT COUNT(*) FROM t") { $0.int(0) } == 0)
        try db.transaction { try $0.run("INSERT INTO t (b) VALUES (x'03')") }
        #expect(try db.first("SELECT COUNT(*) FROM t") { $0.int(0) } == 1)
    }
}
