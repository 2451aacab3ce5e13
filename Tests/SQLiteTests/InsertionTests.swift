import MacrologSQLite
import MacrologTestSupport
import Testing

/// Goal: many rows arrive as they are bound, whatever their number, and an error leaves what the statement's
/// conflict clause says.
/// Method: numbers of rows around the sixteen of a statement, each with a text and lent bytes of its own.
@Suite struct InsertionTests {
    private static let rows = Insertion("INSERT INTO t (id, text, bytes)", columns: 3)
    private static let failing = Insertion("INSERT OR FAIL INTO t (id, text, bytes)", columns: 3)

    private func database() throws -> Connection {
        var db = try Connection.inMemory()
        try db.run("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT, bytes BLOB) STRICT")
        return db
    }

    private func insert(
        _ rows: Range<Int>, by insertion: Insertion, into db: inout Connection
    ) throws {
        let bytes = rows.flatMap { [UInt8](repeating: UInt8($0), count: 3) }
        try bytes.withUnsafeBytes { bytes in
            try db.insert(rows, by: insertion) { row, binder in
                row.bind(to: &binder)
                "row \(row)".bind(to: &binder)
                let start = (row - rows.lowerBound) * 3
                binder.lentBytes(UnsafeRawBufferPointer(rebasing: bytes[start..<start + 3]))
            }
        }
    }

    @Test(arguments: [0, 1, 15, 16, 17, 32, 33, 100])
    func `every row is there, as it was bound`(count: Int) throws {
        var db = try database()
        try insert(5..<5 + count, by: Self.rows, into: &db)
        let found = try db.all("SELECT id, text, bytes FROM t ORDER BY id") {
            ($0.int(0), $0.text(1), $0.bytes(2))
        }
        #expect(found.count == count)
        for (row, found) in zip(5..., found) {
            #expect(found.0 == row && found.1 == "row \(row)")
            #expect(found.2 == [UInt8](repeating: UInt8(row), count: 3))
        }
    }

    @Test(arguments: [0, 1, 7, 15, 16, 19])
    func `an error leaves whole statements, or with OR FAIL the rows before it`(taken: Int) throws {
        for (insertion, isFailing) in [(Self.rows, false), (Self.failing, true)] {
            var db = try database()
            try db.run("INSERT INTO t (id, text) VALUES (?, 'taken')", taken)
            let error = #expect(throws: SQLiteError.self) {
                try insert(0..<20, by: insertion, into: &db)
            }
            #expect(error?.code == .constraint(.primaryKey))
            let whole = taken < 16 ? 0 : taken
            let ids = try db.all("SELECT id FROM t ORDER BY id") { $0.int(0) }
            #expect(ids == (0..<(isFailing ? taken : whole)).map { Int64($0) } + [Int64(taken)])
            // The connection is usable afterwards.
            try insert(100..<120, by: insertion, into: &db)
        }
    }
}
