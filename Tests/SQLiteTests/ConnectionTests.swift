import FoundationEssentials
import Foundation
import MacrologSQLite
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: a connection opens only the way we want it, walks rows as told, and says what failed.
@Suite struct ConnectionTests {
    @Test func `a file is private, durable and guarded`() throws {
        let folder = ScratchFolder()
        var db = try Connection.open(folder.file("a.db"))
        try db.run("CREATE TABLE t (a INTEGER) STRICT")
        for name in ["a.db", "a.db-wal", "a.db-shm"] {
            #expect(folder.permissions(name) == 0o600, "\(name)")
        }
        #expect(try db.first("PRAGMA journal_mode") { $0.text(0) } == "wal")
        #expect(try db.first("PRAGMA synchronous") { $0.int(0) } == 2)
        #expect(try db.first("PRAGMA foreign_keys") { $0.int(0) } == 1)
        #expect(try db.first("PRAGMA trusted_schema") { $0.int(0) } == 0)
        #expect(try db.first("PRAGMA cell_size_check") { $0.int(0) } == 1)
        #expect(try db.first("PRAGMA recursive_triggers") { $0.int(0) } == 1)
        #expect(try db.first("PRAGMA busy_timeout") { $0.int(0) } == 5_000)
        #expect(try db.first("PRAGMA journal_size_limit") { $0.int(0) } == 67_108_864)
        #expect(try db.first("PRAGMA mmap_size") { $0.int(0) } ?? 0 == 0)
        // Defensive: a schema cannot be written past its rules.
        try db.run("PRAGMA writable_schema = ON")
        #expect(throws: SQLiteError.self) { try db.run("DELETE FROM sqlite_schema") }
        #expect(throws: SQLiteError.self) { try db.run("SELECT load_extension('x')") }
        #expect(throws: SQLiteError.self) { try db.run("SELECT \"no such column\"") }
    }

    @Test func `a reader reads what was committed and cannot write`() throws {
        let folder = ScratchFolder()
        var writer = try Connection.open(folder.file("a.db"))
        try writer.run("CREATE TABLE t (a INTEGER) STRICT")
        var reader = try Connection.open(folder.file("a.db"), mode: .readOnly)
        try writer.run("INSERT INTO t VALUES (1)")
        #expect(try reader.first("SELECT a FROM t") { $0.int(0) } == 1)
        let error = #expect(throws: SQLiteError.self) { try reader.run("INSERT INTO t VALUES (2)") }
        #expect(error?.code == .readOnly)
    }

    @Test func `a snapshot does not move under its reader`() throws {
        let folder = ScratchFolder()
        var writer = try Connection.open(folder.file("a.db"))
        try writer.run("CREATE TABLE t (a INTEGER) STRICT")
        var reader = try Connection.open(folder.file("a.db"), mode: .readOnly)
        try reader.snapshot { reader in
            #expect(try reader.first("SELECT COUNT(*) FROM t") { $0.int(0) } == 0)
            try writer.run("INSERT INTO t VALUES (1)")
            #expect(try reader.first("SELECT COUNT(*) FROM t") { $0.int(0) } == 0)
        }
        #expect(try reader.first("SELECT COUNT(*) FROM t") { $0.int(0) } == 1)
    }

    @Test func `a second writer gets the error that it is busy`() throws {
        let folder = ScratchFolder()
        var one = try Connection.open(folder.file("a.db"))
        try one.run("CREATE TABLE t (a INTEGER) STRICT")
        var two = try Connection.open(folder.file("a.db"), busyMilliseconds: 0)
        try one.transaction { one in
            try one.run("INSERT INTO t VALUES (1)")
            let error = #expect(throws: SQLiteError.self) { try two.transaction { _ in } }
            #expect(error?.code == .busy)
            #expect(error?.isRetryable == true)
            #expect(error?.operation == "BEGIN IMMEDIATE")
        }
        try two.transaction { try $0.run("INSERT INTO t VALUES (2)") }
    }

    @Test func `a file that is open alone lets no one in until it is closed`() throws {
        let folder = ScratchFolder()
        try {
            var alone = try Connection.open(folder.file("a.db"), isAlone: true)
            try alone.run("CREATE TABLE t (a INTEGER) STRICT")
            #expect(!FileManager.default.fileExists(atPath: folder.file("a.db-shm")))
            let error = #expect(throws: SQLiteError.self) {
                _ = try Connection.open(folder.file("a.db"), busyMilliseconds: 0)
            }
            #expect(error?.code == .busy)
            #expect(error?.operation == "open \(folder.file("a.db"))")
        }()
        var next = try Connection.open(folder.file("a.db"))
        try next.run("INSERT INTO t VALUES (1)")
    }

    @Test func `a missing file, a missing folder and another kind of file are told apart`() throws {
        let folder = ScratchFolder()
        let missing = #expect(throws: SQLiteError.self) {
            _ = try Connection.open(folder.file("none.db"), mode: .readOnly)
        }
        #expect(missing?.code == .cannotOpen)
        #expect(folder.names.isEmpty)
        let nowhere = #expect(throws: SQLiteError.self) {
            _ = try Connection.open(folder.file("no/a.db"))
        }
        #expect(nowhere?.code == .cannotOpen)
        folder.overwrite("text", at: 0, with: [UInt8](repeating: 65, count: 4_096))
        for mode in [Connection.Mode.readWrite, .readOnly] {
            let other = #expect(throws: SQLiteError.self) {
                _ = try Connection.open(folder.file("text"), mode: mode)
            }
            #expect(other?.code == .notADatabase)
            #expect(other?.hint != nil)
        }
        for path in ["", "a\0b"] {
            let error = #expect(throws: SQLiteError.self) { _ = try Connection.open(path) }
            #expect(error?.code == .cannotOpen)
        }
    }

    @Test func `a damaged page is found`() throws {
        let folder = ScratchFolder()
        do {
            var db = try Connection.open(folder.file("a.db"))
            try db.run("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT")
            for _ in 0..<50 {
                try db.run("INSERT INTO t (b) VALUES (?)", [UInt8](repeating: 1, count: 500))
            }
            #expect(try db.integrityCheck() == [])
        }
        folder.overwrite("a.db", at: 2 * 4_096, with: [UInt8](repeating: 0xFF, count: 4_096))
        var db = try Connection.open(folder.file("a.db"))
        do {
            let problems = try db.integrityCheck()
            #expect(!problems.isEmpty)
        } catch { #expect(error.code == .corrupt) }
    }

    @Test func `a foreign key that leads nowhere is reported`() throws {
        var db = try Connection.inMemory()
        try db.run("CREATE TABLE p (a INTEGER PRIMARY KEY) STRICT")
        try db.run("CREATE TABLE c (a INTEGER REFERENCES p (a)) STRICT")
        let error = #expect(throws: SQLiteError.self) { try db.run("INSERT INTO c VALUES (9)") }
        #expect(error?.code == .constraint(.foreignKey))
        try db.run("PRAGMA foreign_keys = OFF")
        try db.run("INSERT INTO c VALUES (9)")
        #expect(try db.integrityCheck() == ["c row 1 refers to nothing in p"])
    }

    @Test func `rows come in order and stop when told`() throws {
        var db = try Connection.inMemory()
        let upTo = 5
        let squares = try db.all(
            "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i * i FROM n",
            upTo
        ) { $0.int(0) }
        #expect(squares == [1, 4, 9, 16, 25])

        var seen: [Int64] = []
        try db.forEachWhile("SELECT 1 UNION SELECT 2 UNION SELECT 3") { row in
            seen.append(row.int(0))
            return seen.count < 2
        }
        #expect(seen == [1, 2])

        let enough = SQLiteError.number("less than 3")
        seen = []
        #expect(throws: enough) {
            try db.forEach("SELECT 1 UNION SELECT 2 UNION SELECT 3") { row throws(SQLiteError) in
                seen.append(row.int(0))
                if seen.count == 2 { throw enough }
            }
        }
        #expect(seen == [1, 2])
        #expect(try db.first("SELECT 1 WHERE 0") { $0.int(0) } == nil)
    }

    @Test func `an error names the rule and the SQL, and no value`() throws {
        var db = try Connection.inMemory()
        try db.run(
            """
            CREATE TABLE t (
                a INTEGER PRIMARY KEY, b TEXT NOT NULL CHECK (b NOT LIKE 'sec%'),
                c INTEGER UNIQUE
            ) STRICT
            """)
        try db.run("INSERT INTO t VALUES (1, 'x', 1)")
        func reason(_ a: Int, _ b: String?, _ c: String) -> SQLiteError.Code? {
            let error = #expect(throws: SQLiteError.self) {
                try db.run("INSERT INTO t VALUES (?, ?, ?)", a, b, c)
            }
            #expect(error.map { "\($0)".contains("secret") } == false)
            #expect(error?.operation == "INSERT INTO t VALUES (?, ?, ?)")
            return error?.code
        }
        #expect(reason(1, "x", "2") == .constraint(.primaryKey))
        #expect(reason(2, nil, "2") == .constraint(.notNull))
        #expect(reason(2, "secret-2", "2") == .constraint(.check))
        #expect(reason(2, "x", "1") == .constraint(.unique))
        #expect(reason(2, "x", "secret") == .constraint(.dataType))
        let syntax = #expect(throws: SQLiteError.self) { try db.run("SELEKT 1") }
        #expect(syntax?.code == .other)
        #expect(syntax?.detail.contains("SELEKT") == true)
    }

    @Test func `a search text that does not parse is not repeated`() throws {
        var db = try Connection.inMemory()
        try db.run("CREATE VIRTUAL TABLE f USING fts5(name)")
        let error = #expect(throws: SQLiteError.self) {
            try db.run("SELECT * FROM f WHERE f MATCH ?", "secret: oats")
        }
        #expect(error.map { "\($0)".contains("secret") } == false)
    }

    @Test func `many literals have many statements`() throws {
        var db = try Connection.inMemory()
        for round in 0..<2 {
            let before = db.counters.statements
            #expect(try db.first("SELECT 1") { $0.int(0) } == 1)
            #expect(try db.first("SELECT 2") { $0.int(0) } == 2)
            #expect(try db.first("SELECT 12") { $0.int(0) } == 12)
            #expect(db.counters.statements == before + 3, "round \(round)")
        }
    }

    @Test func `counters and changes count`() throws {
        var db = try Connection.inMemory()
        try db.run("CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER) STRICT")
        let before = db.counters
        try db.transaction { db in
            for i in 1...3 { try db.run("INSERT INTO t (b) VALUES (?)", i * 10) }
        }
        #expect(db.lastInsertRowid == 3)
        #expect(db.counters.statements == before.statements + 5)
        #expect(db.counters.transactions == before.transactions + 1)
        try db.run("UPDATE t SET b = 0 WHERE a > 1")
        #expect(db.changes == 2)
        let scans = db.scanSteps
        #expect(try db.first("SELECT b FROM t WHERE a = 2") { $0.int(0) } == 0)
        #expect(db.scanSteps == scans, "a look-up by key scans nothing")
        #expect(try db.all("SELECT b FROM t WHERE b = 0") { $0.int(0) }.count == 2)
        #expect(db.scanSteps > scans)
        #expect(db.machineSteps > 0)
    }

    @Test func `a connection lives in a mutex`() throws {
        let shared = Mutex(try Connection.inMemory())
        let two = try shared.withLock { db in try db.first("SELECT 1 + 1") { $0.int(0) } }
        #expect(two == 2)
    }

    @Test func `a backup is whole, private and never overwrites`() throws {
        let folder = ScratchFolder()
        var db = try Connection.open(folder.file("a.db"))
        try db.run("CREATE TABLE t (a INTEGER) STRICT")
        try db.run("INSERT INTO t VALUES (42)")
        try db.backup(to: folder.file("b.db"))
        #expect(folder.permissions("b.db") == 0o600)
        #expect(!folder.names.contains { $0.hasSuffix(".partial") })
        do {
            var copy = try Connection.open(folder.file("b.db"))
            #expect(try copy.first("SELECT a FROM t") { $0.int(0) } == 42)
            #expect(try copy.integrityCheck() == [])
        }
        #expect(throws: SQLiteError.self) { try db.backup(to: folder.file("b.db")) }
        #expect(throws: SQLiteError.self) { try db.backup(to: folder.file("no/b.db")) }
    }

    @Test func `a checkpoint empties the log file`() throws {
        let folder = ScratchFolder()
        var db = try Connection.open(folder.file("a.db"), checkpointPages: 0)
        try db.run("CREATE TABLE t (a INTEGER) STRICT")
        #expect(folder.size("a.db-wal") > 0)
        #expect(try db.checkpoint())
        #expect(folder.size("a.db-wal") == 0)
    }
}

extension ScratchFolder {
    /// Replaces bytes of a file, which is made if there is none.
    fileprivate func overwrite(_ name: String, at offset: Int, with bytes: [UInt8]) {
        let descriptor = open(file(name), O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        pwrite(descriptor, bytes, bytes.count, off_t(offset))
    }
}
