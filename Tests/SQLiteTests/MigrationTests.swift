import MacrologSQLite
import MacrologTestSupport
import Testing

/// Goal: a schema grows by named steps that run once, whole, and never backwards; an append-only
/// table stays so.
@Suite struct MigrationTests {
    private let one = Migration(
        name: "1 events",
        """
        CREATE TABLE event (n INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;  -- a comment
        CREATE TABLE note (a INTEGER) STRICT;
        """, appendOnly: ["event"])
    private let two = Migration(name: "2 words", "CREATE TABLE word (w TEXT) STRICT")

    @Test func `each migration runs once`() throws {
        let folder = ScratchFolder()
        for list in [[one], [one], [one, two], [one, two]] {
            var db = try Connection.open(folder.file("a.db"))
            try db.migrate(list)
            let names = try db.all("SELECT name FROM migration ORDER BY ordinal") { $0.text(0) }
            #expect(names == list.map(\.name))
            try db.run("INSERT INTO note VALUES (1)")
        }
    }

    @Test func `a file made by a newer version is refused untouched`() throws {
        var db = try Connection.inMemory()
        try db.migrate([one, two])
        let three = Migration(name: "3 more", "CREATE TABLE more (a INTEGER) STRICT")
        let error = #expect(throws: SQLiteError.self) { try db.migrate([one, three]) }
        #expect(error?.code == .newer(migration: "2 words"))
        #expect(error?.detail.contains("made by a newer version") == true)
        #expect(error?.hint != nil)
        #expect(throws: SQLiteError.self) { try db.run("SELECT * FROM more") }
    }

    @Test func `a file of an earlier build, or of another program, is refused untouched`() throws {
        var db = try Connection.inMemory()
        try db.migrate([one, two])
        let other = Migration(name: "other 1", "CREATE TABLE more (a INTEGER) STRICT")
        let error = #expect(throws: SQLiteError.self) { try db.migrate([other]) }
        #expect(error?.code == .earlier(migration: "1 events"))
        #expect(error?.description.contains("or by another program") == true)
        #expect(error?.description.contains("check the path; if it is a log, sync it with") == true)
        #expect(throws: SQLiteError.self) { try db.run("SELECT * FROM more") }
        #expect(
            try db.all("SELECT name FROM migration") { $0.text(0) } == ["1 events", "2 words"])
    }

    @Test func `a migration that fails leaves nothing and runs again when repaired`() throws {
        var db = try Connection.inMemory()
        let broken = Migration(name: "2 words", "CREATE TABLE word (w TEXT) STRICT; SELEKT")
        #expect(throws: SQLiteError.self) { try db.migrate([one, broken]) }
        #expect(throws: SQLiteError.self) { try db.run("SELECT * FROM word") }
        #expect(try db.all("SELECT name FROM migration") { $0.text(0) } == ["1 events"])
        try db.migrate([one, two])
        try db.run("SELECT * FROM word")
    }

    @Test func `an append-only table refuses every way to change a row`() throws {
        var db = try Connection.inMemory()
        try db.migrate([one])
        try db.run("INSERT INTO event VALUES (1, x'01')")
        func expectError(_ attempt: (inout Connection) throws -> Void) {
            let error = #expect(throws: SQLiteError.self) { try attempt(&db) }
            #expect(error?.code == .constraint(.trigger))
            #expect(error?.detail == "event is append-only")
        }
        expectError { try $0.run("UPDATE event SET body = x'02'") }
        expectError { try $0.run("DELETE FROM event") }
        expectError { try $0.run("DELETE FROM event WHERE n = 1") }
        expectError { try $0.run("INSERT OR REPLACE INTO event VALUES (1, x'02')") }
        expectError {
            try $0.run(
                """
                INSERT INTO event VALUES (1, x'02') ON CONFLICT (n) DO UPDATE SET body = x'02'
                """)
        }
        try db.run("INSERT INTO event VALUES (2, x'02')")
        #expect(try db.all("SELECT body FROM event ORDER BY n") { $0.bytes(0) } == [[1], [2]])
    }
}
