import Foundation
import MacrologSQLite
import MacrologTestSupport
import Testing

/// Goal: whatever was rolled back, a process that starts after a crash finds each commit.
/// Method: the files are copied after each transaction, and opened as a crash would leave them. The cache is so small that
/// transactions write pages early.
@Suite struct WriteAheadLogTests {
    private struct Undo: Error {}

    private func open(_ path: String, isAlone: Bool = false) throws -> Connection {
        var db = try Connection.open(path, checkpointPages: 60, pages: .small, isAlone: isAlone)
        try db.run("PRAGMA cache_size = 4")
        try db.run("CREATE TABLE IF NOT EXISTS t (a INTEGER PRIMARY KEY, b BLOB NOT NULL) STRICT")
        return db
    }

    private func fill(
        _ db: inout Connection, _ rows: Range<Int64>, _ value: [UInt8]
    ) throws {
        for row in rows { try db.run("INSERT OR REPLACE INTO t VALUES (?, ?)", row, value) }
    }

    private func contents(_ db: inout Connection) throws -> Rows {
        var found: [Int64: [UInt8]] = [:]
        try db.forEach("SELECT a, b FROM t") { found[$0.int(0)] = $0.bytes(1) }
        return found
    }

    /// What a process finds that opens the files as they are now.
    private func found(_ path: String, in folder: ScratchFolder) throws -> Rows {
        let copy = folder.file("copy.db")
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + end) }
        for end in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + end, toPath: copy + end)
        }
        var db = try Connection.open(copy)
        #expect(try db.integrityCheck() == [])
        return try contents(&db)
    }

    @Test func `what was rolled back does not overwrite what another connection commits`() throws {
        let folder = ScratchFolder()
        let path = folder.file("a.db")
        var one = try open(path)
        var two = try open(path)
        #expect(throws: Undo.self) {
            try one.transaction { one in
                try fill(&one, 0..<40, Self.value(1))
                throw Undo()
            }
        }
        try two.transaction { try fill(&$0, 0..<10, Self.value(2)) }
        let expected = try contents(&two)
        try one.transaction { try fill(&$0, 100..<101, Self.value(3)) }
        let all = try found(path, in: folder)
        #expect(all.count == 11)
        #expect(expected.allSatisfy { all[$0] == $1 })
    }

    @Test func `a part that was rolled back does not lose the commit`() throws {
        let folder = ScratchFolder()
        let path = folder.file("a.db")
        var db = try open(path)
        try db.beginJoint(writes: true)
        #expect(throws: Undo.self) {
            try db.transaction { db in
                // The second time what was written early is written over.
                for value in 1...2 { try fill(&db, 0..<40, Self.value(Int64(value))) }
                throw Undo()
            }
        }
        try db.transaction { try fill(&$0, 0..<10, Self.value(3)) }
        try db.endJoint(commits: true)
        #expect(try found(path, in: folder) == contents(&db))
        #expect(try contents(&db).count == 10)
    }

    private static func value(_ byte: Int64, _ count: Int = 700) -> [UInt8] {
        [UInt8](repeating: UInt8(byte), count: count)
    }

    private typealias Rows = [Int64: [UInt8]]

    /// Random changes in the transaction in progress.
    ///
    /// - Returns: The rows after them.
    private func change(
        _ db: inout Connection, _ rows: Rows, _ bytes: Int, _ dice: inout Dice
    ) throws -> Rows {
        var after = rows
        for _ in 0..<dice.roll(1...3) {
            let first = dice.roll(0...80)
            let value = Self.value(dice.roll(1...255), bytes)
            let changed = first..<first + dice.roll(1...50)
            try fill(&db, changed, value)
            for row in changed { after[row] = value }
            // Reads back what was written early.
            if dice.percent(30) { _ = try contents(&db) }
        }
        return after
    }

    /// A transaction of random changes, which may be rolled back.
    ///
    /// - Returns: The rows after it.
    private func play(_ db: inout Connection, _ rows: Rows, _ dice: inout Dice) throws -> Rows {
        do {
            return try db.transaction { db in
                let after = try change(&db, rows, 700, &dice)
                if dice.percent(30) { throw Undo() }
                return after
            }
        } catch is Undo { return rows }
    }

    /// A transaction of several parts, which may be rolled back, each alone or all together. In some the rows are so
    /// long that the cache must be written out between the parts.
    ///
    /// - Returns: The rows after it.
    private func playJointly(
        _ db: inout Connection, _ rows: Rows, _ dice: inout Dice
    ) throws -> Rows {
        let bytes = dice.percent(10) ? 300_000 : 700
        var after = rows
        try db.beginJoint(writes: true)
        for _ in 0..<dice.roll(1...5) {
            let before = after
            do {
                after = try db.transaction { db in
                    var inner = try change(&db, before, bytes, &dice)
                    if dice.percent(30) {
                        try? db.transaction { db in
                            _ = try change(&db, inner, bytes, &dice)
                            throw Undo()
                        }
                        inner = try change(&db, inner, bytes, &dice)
                    }
                    if dice.percent(40) { throw Undo() }
                    return inner
                }
            } catch is Undo { after = before }
        }
        let commits = dice.percent(80)
        try db.endJoint(commits: commits)
        return commits ? after : rows
    }

    @Test(arguments: Dice.seeds(6))
    func `after each transaction the files hold what was committed`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let folder = ScratchFolder()
        let path = folder.file("a.db")
        let isAlone = dice.percent(30)
        var one = try open(path, isAlone: isAlone)
        // One that is open alone is locked, so the other one has a file of its own then.
        var two = try open(isAlone ? folder.file("b.db") : path)
        var rows: Rows = [:]
        for step in 0..<20 {
            switch dice.roll(isAlone ? 1...2 : 1...4) {
            case 1: rows = try play(&one, rows, &dice)
            case 2: rows = try playJointly(&one, rows, &dice)
            case 3: rows = try play(&two, rows, &dice)
            default: rows = try playJointly(&two, rows, &dice)
            }
            if dice.percent(20) { try one.checkpoint() }
            #expect(try found(path, in: folder) == rows, "seed \(seed), step \(step)")
            #expect(try contents(&one) == rows, "seed \(seed), step \(step)")
        }
    }
}
