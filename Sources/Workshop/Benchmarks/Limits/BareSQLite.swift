import CMacrologSQLite
import MacrologEvents

/// SQLite called as directly as C can: the limit that our own figures stand beside. The same
/// journal, the same flushing, statements prepared once, values bound in place.
final class BareSQLite {
    private var handle: OpaquePointer?
    private var statements: [OpaquePointer] = []
    private let begin: OpaquePointer
    private let commit: OpaquePointer
    private let insertEvent: OpaquePointer
    private let insertMeal: OpaquePointer

    init(_ path: String) {
        sqlite3_open_v2(
            path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
        let setUp = """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            CREATE TABLE IF NOT EXISTS event (
                device INTEGER NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL,
                PRIMARY KEY (device, seq)
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS meal (
                id BLOB PRIMARY KEY, name TEXT, day INTEGER, energy INTEGER, protein INTEGER,
                carbs INTEGER, fat INTEGER
            ) STRICT, WITHOUT ROWID;
            """
        let code = sqlite3_exec(handle, setUp, nil, nil, nil)
        precondition(code == SQLITE_OK, "bare SQLite opens")
        begin = Self.prepare(handle, "BEGIN IMMEDIATE")
        commit = Self.prepare(handle, "COMMIT")
        insertEvent = Self.prepare(handle, "INSERT INTO event VALUES (?, ?, ?)")
        insertMeal = Self.prepare(
            handle, "INSERT OR REPLACE INTO meal VALUES (?, ?, ?, ?, ?, ?, ?)")
        statements = [begin, commit, insertEvent, insertMeal]
    }

    deinit {
        for statement in statements { sqlite3_finalize(statement) }
        sqlite3_close(handle)
    }

    static func prepare(_ handle: OpaquePointer?, _ sql: String) -> OpaquePointer {
        var statement: OpaquePointer?
        sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard let statement else { preconditionFailure("bare SQL is right") }
        return statement
    }

    func transaction(_ body: () -> Void) {
        Self.step(begin)
        body()
        Self.step(commit)
    }

    /// One row of the log.
    func event(_ seq: Int, _ body: [UInt8]) {
        body.withUnsafeBytes { bytes in
            sqlite3_bind_int64(insertEvent, 1, 1)
            sqlite3_bind_int64(insertEvent, 2, Int64(seq))
            sqlite3_bind_blob(insertEvent, 3, bytes.baseAddress, Int32(bytes.count), nil)
            Self.step(insertEvent)
        }
    }

    /// One row of a read model as plain as one can be: the fields, by id.
    func meal(_ meal: SampleMeal) {
        var name = meal.name
        withUnsafeBytes(of: (meal.id.high.bigEndian, meal.id.low.bigEndian)) { id in
            name.withUTF8 { name in
                sqlite3_bind_blob(insertMeal, 1, id.baseAddress, 16, nil)
                name.withMemoryRebound(to: CChar.self) {
                    _ = sqlite3_bind_text(
                        insertMeal, 2, $0.baseAddress, Int32($0.count), nil)
                }
                sqlite3_bind_int64(insertMeal, 3, meal.day)
                sqlite3_bind_int64(insertMeal, 4, meal.energy)
                sqlite3_bind_int64(insertMeal, 5, meal.protein)
                sqlite3_bind_int64(insertMeal, 6, meal.carbs)
                sqlite3_bind_int64(insertMeal, 7, meal.fat)
                Self.step(insertMeal)
            }
        }
    }

    /// Reads every event once, and returns the bytes seen.
    func scan() -> Int {
        let scan = Self.prepare(handle, "SELECT body FROM event ORDER BY device, seq")
        defer { sqlite3_finalize(scan) }
        var bytes = 0
        while sqlite3_step(scan) == SQLITE_ROW { bytes += Int(sqlite3_column_bytes(scan, 0)) }
        return bytes
    }

    func empty(_ table: StaticString) {
        sqlite3_exec(handle, "DELETE FROM \(table)", nil, nil, nil)
    }

    static func step(_ statement: OpaquePointer) {
        let code = sqlite3_step(statement)
        precondition(code == SQLITE_DONE, "bare SQLite runs")
        sqlite3_reset(statement)
    }
}
