import Foundation
import MacrologSQLite
import MacrologSimulation
import MacrologTestSupport
import Testing

/// Goal: if pages that a transaction writes early do not reach the disk, nothing of it is committed, whichever statement
/// finds that out, and whatever the caller does then.
/// Method: a disk that is full for one write, at each write of the transaction in turn. The cache is small, and the caller
/// goes through all statements although some fail.
@Suite struct FullLogTests {
    private typealias Rows = [Int64: [UInt8]]

    private func contents(_ path: String) throws -> Rows {
        var db = try Connection.open(path)
        #expect(try db.integrityCheck() == [])
        return try contents(&db)
    }

    private func contents(_ db: inout Connection) throws -> Rows {
        var found: Rows = [:]
        try db.forEach("SELECT a, b FROM t") { found[$0.int(0)] = $0.bytes(1) }
        return found
    }

    /// Many rows in one statement, of which a beginning can be undone alone.
    private func change(_ db: inout Connection, _ first: Int64, _ value: UInt8) throws {
        try db.run(
            "UPDATE t SET b = ? WHERE a BETWEEN ? AND ?", [UInt8](repeating: value, count: 700),
            first, first + 30)
    }

    @Test(arguments: [false, true])
    func `a transaction of which a page was not written is not committed`(
        isAlone: Bool
    ) throws {
        var failed = 0
        for after in 0..<60 as Range<UInt64> {
            let folder = ScratchFolder()
            let path = folder.file("a.db")
            let disk = FaultDisk([path])
            var db = try Connection.open(
                path, checkpointPages: 0, pages: .small, isAlone: isAlone)
            try db.run("PRAGMA cache_size = 4")
            try db.run("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB NOT NULL) STRICT")
            try db.transaction { db in
                for row in 0..<120 as Range<Int64> {
                    try db.run(
                        "INSERT INTO t VALUES (?, ?)", row, [UInt8](repeating: 1, count: 700))
                }
            }
            let before = try contents(&db)
            var rows = before
            disk.fail(.full, after: after, times: 1)
            let isCommitted: Bool
            do {
                try db.transaction { db in
                    for (index, first) in [0, 31, 62, 89].enumerated() {
                        let value = UInt8(index + 2)
                        do { try change(&db, Int64(first), value) } catch { continue }
                        for row in Int64(first)...Int64(first + 30) {
                            rows[row] = [UInt8](repeating: value, count: 700)
                        }
                    }
                }
                isCommitted = true
            } catch { isCommitted = false }
            let hasFailed = disk.failures > 0
            if hasFailed { failed += 1 }
            disk.repair()
            let expected = isCommitted ? rows : before
            #expect(try contents(&db) == expected, "write \(after)")
            #expect(!hasFailed || !isCommitted, "write \(after)")
            // The next transaction is not affected, and a process that starts after a crash finds both.
            try db.transaction { try change(&$0, 0, 99) }
            let now = try contents(&db)
            let copy = folder.file("copy.db")
            for end in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + end, toPath: copy + end)
            }
            #expect(try contents(copy) == now, "write \(after)")
        }
        #expect(failed > 5)
    }
}
