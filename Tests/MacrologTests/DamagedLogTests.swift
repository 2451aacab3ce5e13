import CMacrologSQLite
import MacrologEvents
import MacrologWire
import Foundation
import MacrologLog
import Macrolog
import MacrologNutritionModels
import MacrologReadModels
import MacrologTestSupport
import Testing

/// Goal: whatever a damaged file holds, a replica refuses it or answers with an error: an app that
/// opens it does not end.
/// Method: values of other types and lengths in every column of every table of a small log; then
/// everything that reads. A trap would end the tests.
@Suite struct DamagedLogTests {
    private static let values = [
        "''", "'x'", "X''", "zeroblob(15)", "zeroblob(17)", "X'a10101'",
    ]
    /// Whole numbers at their bounds, and numbers of events at those of a place.
    private static let numbers = [
        "0", "-1", "1", "1 << 31", "(1 << 40) - 1", "1 << 40", "1 << 53",
        "9223372036854775806", "9223372036854775807", "-9223372036854775807 - 1",
        "COLUMN | 0xFFFFFFFFFF", "COLUMN + 1", "-COLUMN",
    ]

    @Test func `a value of another type or length in any column is refused, and never a trap`()
        throws
    {
        try Self.tryEach(Self.values)
    }

    @Test func `a number at its bounds in any column is refused or harmless, and never a trap`()
        throws
    {
        try Self.tryEach(Self.numbers, integersOnly: true)
    }

    private static func tryEach(_ values: [String], integersOnly: Bool = false) throws {
        let folder = ScratchFolder()
        let base = folder.url.appending(path: "base.db")
        try fill(base.path)
        let whole = try Data(contentsOf: base)
        let file = folder.url.appending(path: "log.db")
        var read = 0
        let columns = try columns(base.path, integersOnly: integersOnly)
        #expect(columns.count > (integersOnly ? 25 : 40))
        for (table, column) in columns {
            for value in values.map({ $0.replacing("COLUMN", with: column) }) {
                for end in ["-wal", "-shm", ".instance"] {
                    try? FileManager.default.removeItem(atPath: file.path + end)
                }
                try whole.write(to: file)
                // A rowid is an integer in any file.
                let update = "UPDATE OR IGNORE \(table) SET \(column) = \(value)"
                guard (try? execute(update, file.path)) != nil else { continue }
                read += readEverything(file.path)
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
                    id: replica.newID(), on: LocalDate(day: day), dishName: name, slot: "lunch",
                    nutrients: Nutrients(energy: 400_000))
                try replica.add(meal)
                var edited = try replica.require(Meal.self, meal.id)
                edited[.energy] = 410_000
                try replica.save(edited)
            }
            try seal(replica)
            _ = try replica.undo()
            replica.releaseFile()
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

    /// Lets a server admit all that is here, and an event of another device.
    private static func seal(_ replica: Replica) throws {
        let stranger = Identifier(high: 5, low: 5)
        let change = Change(EntityKey("am", stranger), [.delete])
        let other = Event(
            dot: Dot(device: stranger, seq: 1), base: .none, wall: 0, type: "at", changes: [change]
        ).encoded()
        try replica.withStore { store in
            let reading = ClockSample(wall: 0, monotonic: 0, boot: stranger)
            let own = try store.log.outgoing(
                eventsMax: 100, bytesMax: .max, now: reading, in: &store.db)
            let bodies = own.map(\.body) + [other]
            var (rows, digest) = ([SyncAnswer.Row](), PrefixDigest.empty)
            for (index, body) in bodies.enumerated() {
                let n = Int64(index + 1)
                digest.add(
                    hash: try StoredEvent.hash(of: body),
                    seal: MacrologEvents.Seal(n: n, t: n << 16))
                rows.append(
                    SyncAnswer.Row(
                        t: n << 16, content: index < own.count ? .own(seq: Seq(n)) : .event(body)))
            }
            try store.apply(
                SyncAnswer(
                    epoch: 9, head: Int64(bodies.count), admitted: Int64(own.count), now: 0,
                    rows: rows, digest: digest))
        }
    }

    private static func columns(
        _ path: String, integersOnly: Bool
    ) throws -> [(String, String)] {
        var columns: [(String, String)] = []
        for table in try texts(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
            path)
        where !table.hasPrefix("sqlite_") {
            for column in try texts(
                "SELECT name FROM pragma_table_info('\(table)')"
                    + (integersOnly ? " WHERE type IN ('INTEGER', 'ANY', '')" : ""), path)
            {
                columns.append((table, column))
            }
        }
        return columns
    }

    /// - Returns: How many answers there were.
    private static func readEverything(_ path: String) -> Int {
        guard let replica = try? Replica.open(at: path) else { return 0 }
        defer { replica.releaseFile() }
        var count = 0
        func ask<T>(_ body: () throws -> T) { if (try? body()) != nil { count += 1 } }
        ask { try replica.meals(on: day) }
        ask { try replica.summary(of: day) }
        ask { try replica.read { try $0.stats(over: day...day) } }
        ask { try replica.conflicts() }
        ask { try replica.notation() }
        ask { try replica.read { try $0.weightTrend() } }
        ask { try replica.preferences() }
        ask { try replica.read { try $0.streak() } }
        ask { try replica.syncStatus() }
        ask { try replica.logHealth() }
        ask { try replica.check() }
        ask { try replica.read { try $0.digests() } }
        ask { try replica.read { try $0.statistics() } }
        ask { try verify(replica) }
        ask { try replica.undo() }
        ask {
            try replica.add(
                Meal(
                    id: replica.newID(), on: LocalDate(day: day), dishName: "Tea", slot: "lunch",
                    nutrients: Nutrients(energy: 1_000)))
        }
        ask { try replica.compact(olderThanDays: 60) }
        ask { try replica.rebuild() }
        return count
    }

    /// Looks through the file as every sync does.
    private static func verify(_ replica: Replica) throws {
        var verification = Verification()
        while !verification.isDone {
            try replica.withStore { try $0.verify(&verification, next: replica.newID()) }
        }
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
