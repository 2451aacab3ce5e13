import MacrologSQLite
import Testing

/// Goal: a statement joined from literals runs as if it were one literal.
@Suite struct JoinedSQLTests {
    private static let create = JoinedSQL("CREATE TABLE t (", "a INTEGER PRIMARY KEY", ") STRICT")
    private static let insert = JoinedSQL("INSERT INTO t (a) ", "VALUES (?)")
    private static let after = JoinedSQL(["SELECT a FROM t", " WHERE a > ? ", "ORDER BY a"])
    private static let all = JoinedSQL("SELECT a FROM t ORDER BY a")
    private static let two = JoinedSQL("DELETE FROM t; ", "DROP TABLE t")
    private static let wrong = JoinedSQL("SELECT b ", "FROM t")

    private func table() throws -> Connection {
        var db = try Connection.inMemory()
        try db.execute(Self.create)
        for number in 1...3 as ClosedRange<Int64> { try db.run(Self.insert, number) }
        return db
    }

    @Test func `parts are joined as they stand`() {
        #expect(Self.after.text == "SELECT a FROM t WHERE a > ? ORDER BY a")
    }

    @Test func `it is bound, run and read like a literal, again and again`() throws {
        var db = try table()
        for _ in 0..<3 {
            var (some, every): ([Int64], [Int64]) = ([], [])
            try db.forEach(Self.after, 1) { some.append($0.int(0)) }
            try db.forEach(Self.all) { every.append($0.int(0)) }
            #expect(some == [2, 3] && every == [1, 2, 3])
        }
    }

    @Test func `a closure that throws ends the query`() throws {
        var db = try table()
        let enough = SQLiteError.number("less than 2")
        var seen: [Int64] = []
        #expect(throws: enough) {
            try db.forEach(Self.all) { row throws(SQLiteError) in
                seen.append(row.int(0))
                if seen.count == 2 { throw enough }
            }
        }
        #expect(seen == [1, 2])
    }

    @Test func `an error names the joined text; several statements are executed, not run`() throws {
        var db = try table()
        let error = #expect(throws: SQLiteError.self) { try db.run(Self.wrong) }
        #expect(error?.operation == "SELECT b FROM t")
        try db.execute(Self.two)
        #expect(try db.first("SELECT 1 FROM sqlite_schema") { _ in true } == nil)
    }

    @Test func `an empty statement is a mistake of ours`() async {
        await #expect(processExitsWith: .failure) { _ = JoinedSQL("", "") }
    }
}
