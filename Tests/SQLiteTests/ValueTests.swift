import MacrologSQLite
import Testing

/// Goal: what goes in comes out, byte for byte.
/// Method: every kind of value through a `STRICT` table in memory.
@Suite struct ValueTests {
    private func database() throws -> Connection {
        var db = try Connection.inMemory()
        try db.run(
            "CREATE TABLE t (i INTEGER, s TEXT, b BLOB, k TEXT UNIQUE) STRICT")
        return db
    }

    @Test(arguments: ["", "a\0b", "\0", "Å", "e\u{301}", "😀", String(repeating: "x", count: 9_000)])
    func `text keeps its bytes`(text: String) throws {
        var db = try database()
        try db.run("INSERT INTO t (s) VALUES (?)", text)
        let found = try db.first("SELECT s, typeof(s), length(CAST(s AS BLOB)) FROM t") { row in
            (row.text(0), row.bytes(0), row.text(1), row.int(2))
        }
        #expect(found?.0.utf8.elementsEqual(text.utf8) == true)
        #expect(found?.1 == Array(text.utf8))
        #expect(found?.2 == "text")
        #expect(found?.3 == Int64(text.utf8.count))
    }

    @Test(arguments: [[], [0], [1, 0, 2], [UInt8](repeating: 7, count: 100_000)])
    func `bytes stay bytes, and no bytes are not NULL`(bytes: [UInt8]) throws {
        var db = try database()
        try db.run("INSERT INTO t (b) VALUES (?)", bytes)
        try db.run("INSERT INTO t (b) VALUES (?)", bytes[...])
        try bytes.withUnsafeBytes { try db.run("INSERT INTO t (b) VALUES (?)", $0) }
        try db.run("INSERT INTO t (b) VALUES (?)", [UInt8]?.some(bytes))
        let found = try db.all("SELECT b, typeof(b) FROM t") { ($0.bytes(0), $0.text(1)) }
        #expect(found.count == 4)
        for (value, type) in found {
            #expect(value == bytes)
            #expect(type == "blob")
        }
        let lent = try db.first("SELECT b FROM t") { row in row.withBytes(0) { $0.count } }
        #expect(lent == bytes.count)
    }

    @Test(arguments: [0, 1, -1, .min, .max] as [Int64])
    func `whole numbers come back`(number: Int64) throws {
        var db = try database()
        let found = try db.first("SELECT ?, ?", number, UInt64(bitPattern: number)) { row in
            (row.int(0), row.int(1))
        }
        #expect(found?.0 == number)
        #expect(found?.1 == number)
    }

    @Test func `nothing is NULL and comes back as nothing`() throws {
        var db = try database()
        try db.run(
            "INSERT INTO t VALUES (?, ?, ?, ?)", Int64?.none, String?.none, [UInt8]?.none, "k")
        let allNothing = try db.first("SELECT i, s, b FROM t") { row in
            row.intOrNull(0) == nil && row.textOrNull(1) == nil && row.bytesOrNull(2) == nil
                && row.isNull(0)
        }
        #expect(allNothing == true)
        let some = try db.first("SELECT ?, ?", true, UInt32.max) { ($0.bool(0), $0.int(1)) }
        #expect(some?.0 == true)
        #expect(some?.1 == 4_294_967_295)
    }

    @Test func `NULL or a value of another type, where it was not expected, ends the walk`() throws
    {
        var db = try database()
        func expectDamage(_ sql: StaticString, _ read: (borrowing Row) -> Void) {
            let error = #expect(throws: SQLiteError.self, "\(sql)") {
                try db.first(sql) { read($0) }
            }
            #expect(error?.code == .corrupt && error?.extendedCode == 0, "\(sql)")
            #expect(throws: SQLiteError.self, "\(sql)") { try db.forEach(sql) { read($0) } }
        }
        for sql in ["SELECT NULL", "SELECT 1.5", "SELECT '1'", "SELECT x'01'"] as [StaticString] {
            expectDamage(sql) { _ = $0.int(0) }
            expectDamage(sql) { _ = $0.int(0, in: 0...5) }
            expectDamage(sql) { _ = $0.bool(0) }
        }
        for sql in ["SELECT NULL", "SELECT 1.5", "SELECT 1"] as [StaticString] {
            expectDamage(sql) { _ = $0.text(0) }
            expectDamage(sql) { _ = $0.bytes(0) }
            expectDamage(sql) { _ = $0.bytes(0, count: 1) }
        }
        expectDamage("SELECT 1.5") { _ = $0.intOrNull(0) }
        expectDamage("SELECT 1") { _ = $0.textOrNull(0) }
        // The next walk begins without it.
        #expect(try db.first("SELECT 1") { $0.int(0) } == 1)
    }

    @Test func `keys that only look alike are two keys`() throws {
        var db = try database()
        let composed = "\u{C5}"
        let angstrom = "\u{212B}"
        #expect(composed == angstrom, "Swift takes them for one")
        try db.run("INSERT INTO t (i, k) VALUES (1, ?)", composed)
        try db.run("INSERT INTO t (i, k) VALUES (2, ?)", angstrom)
        #expect(try db.first("SELECT i FROM t WHERE k = ?", angstrom) { $0.int(0) } == 2)
        #expect(try db.first("SELECT i FROM t WHERE k = ?", composed) { $0.int(0) } == 1)
    }

    @Test func `a statement forgets the values of its last call`() throws {
        var db = try database()
        for value in [[UInt8](repeating: 1, count: 20_000), [], [2]] {
            let found = try db.first("SELECT ?", value) { $0.bytes(0) }
            #expect(found == value)
        }
    }

    @Test func `a value over 16 MiB is refused`() throws {
        var db = try database()
        let huge = [UInt8](repeating: 0, count: 16 * 1_024 * 1_024 + 1)
        let error = #expect(throws: SQLiteError.self) {
            try db.run("INSERT INTO t (b) VALUES (?)", huge)
        }
        #expect(error?.code == .tooBig)
        #expect(try db.first("SELECT COUNT(*) FROM t") { $0.int(0) } == 0)
    }
}
