import CMacrologSQLite
import MacrologEvents
import Foundation
import Macrolog
import Testing

/// Goal: whatever a damaged file holds, a replica refuses it or answers with an error: an app that
/// opens it does not end.
/// Method: values of other types and lengths in every column of every table of a small log; then
/// everything that reads. A trap would end the tests.
@Suite struct DamagedLogTests {
    private static let values = [
        "''", "'x'", "X''", "zeroblob(15)", "zeroblob(17)", "X'a10101'",
    ]

    @Test func `a value of another type or length in any column is refused, and never a trap`()
        throws
    {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "macrolog-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let base = folder.appending(path: "base.db")
        try Self.fill(base.path)
        let whole = try Data(contentsOf: base)
        let file = folder.appending(path: "log.db")
        var read = 0
        let columns = try Self.columns(base.path)
        #expect(columns.count > 40)
        for (table, column) in columns {
            for value in Self.values {
                for end in ["-wal", "-shm", ".instance"] {
                    try? FileManager.default.removeItem(atPath: file.path + end)
                }
                try whole.write(to: file)
                // A rowid is an integer in any file.
                let update = "UPDATE OR IGNORE \(table) SET \(column) = \(value)"
                guard (try? Self.execute(update, file.path)) != nil else { continue }
                read += Self.readEverything(file.path)
            }
        }
        #expect(read > columns.count)
    }

    private static let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private static func fill(_ path: String) throws {
        do {
            let replica = try Replica.open(at: path)
            for name in ["Oats", "Soup"] {
                let meal = Meal(
                    id: replica.newID(), on: LocalDate(day: day), dishName: name, type: "lunch",
                    nutrients: Nutrients(energy: 400_000))
                try replica.add(meal)
                var edited = try replica.require(Meal.self, meal.id)
                edited[.energy] = 410_000
                try replica.save(edited)
            }
            _ = try replica.undo()
            replica.letGo()
        }
        for trigger in try texts("SELECT name FROM sqlite_schema WHERE type = 'trigger'", path) {
            try execute("DROP TRIGGER \"\(trigger)\"", path)
        }
        try execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(replace(sql, 'STRICT, WITHOUT', 'WITHOUT'),
                'STRICT', '') WHERE type = 'table';
            PRAGMA wal_checkpoint(TRUNCATE);
            """, path)
    }

    private static func columns(_ path: String) throws -> [(String, String)] {
        var columns: [(String, String)] = []
        for table in try texts(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
            path)
        where !table.hasPrefix("sqlite_") {
            for column in try texts("SELECT name FROM pragma_table_info('\(table)')", path) {
                columns.append((table, column))
            }
        }
        return columns
    }

    /// - Returns: How many answers there were.
    private static func readEverything(_ path: String) -> Int {
        guard let replica = try? Replica.open(at: path) else { return 0 }
        defer { replica.letGo() }
        var count = 0
        func ask<T>(_ body: () throws -> T) { if (try? body()) != nil { count += 1 } }
        ask { try replica.meals(on: day) }
        ask { try replica.summary(of: day) }
        ask { try replica.stats(over: day...day) }
        ask { try replica.disagreements() }
        ask { try replica.notation() }
        ask { try replica.weightTrend() }
        ask { try replica.preferences() }
        ask { try replica.streak() }
        ask { try replica.undo() }
        ask {
            try replica.add(
                Meal(
                    id: replica.newID(), on: LocalDate(day: day), dishName: "Tea", type: "lunch",
                    nutrients: Nutrients(energy: 1_000)))
        }
        return count
    }

    private struct Wrong: Error { let what: String }

    private static func open(_ path: String) throws -> OpaquePointer? {
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Wrong(what: "open") }
        sqlite3_exec(handle, "PRAGMA ignore_check_constraints = ON", nil, nil, nil)
        return handle
    }

    private static func execute(_ sql: String, _ path: String) throws {
        let handle = try open(path)
        defer { sqlite3_close(handle) }
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw Wrong(what: String(cString: sqlite3_errmsg(handle)) + " in " + sql)
        }
    }

    private static func texts(_ sql: String, _ path: String) throws -> [String] {
        let handle = try open(path)
        defer { sqlite3_close(handle) }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw Wrong(what: sql)
        }
        defer { sqlite3_finalize(statement) }
        var texts: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            if let text = sqlite3_column_text(statement, 0) { texts.append(String(cString: text)) }
        }
        return texts
    }
}
