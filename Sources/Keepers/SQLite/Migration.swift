import CMacrologSQLite

/// One named step of a schema's history. Once released it never changes.
package struct Migration: Sendable {
    /// The name under which the database records that it was applied.
    package let name: String
    let sql: StaticString
    let appendOnly: [StaticString]

    /// Describes a step.
    ///
    /// - Parameters:
    ///   - name: Unique among the migrations of one file, such as `"1 events"`.
    ///   - sql: Statements separated by semicolons.
    ///   - appendOnly: Tables that refuse `UPDATE`, `DELETE` and `REPLACE` from this step on.
    package init(name: String, _ sql: StaticString, appendOnly: [StaticString] = []) {
        self.name = name
        self.sql = sql
        self.appendOnly = appendOnly
    }
}

extension SQLiteConnection {
    /// Applies, in order, each migration that has not been applied yet, each in one transaction
    /// with the record that it was applied.
    ///
    /// Pass all migrations of the file at once.
    ///
    /// - Throws: An error of SQLite with code `earlier` if the first recorded migration is not the
    ///   first of the list, or with code `newer`, naming the first recorded migration that is not
    ///   in the list. Nothing has been changed then.
    package mutating func migrate(_ migrations: [Migration]) throws(Failure) {
        let known = Set(migrations.map { Array($0.name.utf8) })
        precondition(known.count == migrations.count, "each migration has a name of its own")

        let isNew =
            try first(
                "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'"
            ) { _ in true } == nil
        if isNew, !migrations.isEmpty {
            try execute(
                """
                CREATE TABLE IF NOT EXISTS migration (
                    ordinal INTEGER PRIMARY KEY,  -- 1, 2, 3 … in the order in which they ran
                    name TEXT NOT NULL UNIQUE
                ) STRICT
                """)
        }
        let recorded = isNew && migrations.isEmpty ? [] : try recordedMigrations()
        try check(recorded, migrations)

        let done = Set(recorded)
        for migration in migrations where !done.contains(Array(migration.name.utf8)) {
            try apply(migration)
        }
    }

    /// Checks what ``migrate(_:)`` checks, and changes nothing; for files that are only read.
    ///
    /// - Throws: An error of SQLite with code `earlier` or `newer`, as ``migrate(_:)``.
    package mutating func checkMigrations(_ migrations: [Migration]) throws(Failure) {
        try check(try recordedMigrations(), migrations)
    }

    /// The names of the migrations that a file has not had yet.
    ///
    /// - Throws: An error of SQLite with code `earlier` or `newer`, as ``migrate(_:)``.
    package mutating func pendingMigrations(_ migrations: [Migration]) throws(Failure) -> [String] {
        let recorded = try recordedMigrations()
        try check(recorded, migrations)
        return migrations.map { $0.name }.filter { !recorded.contains(Array($0.utf8)) }
    }

    private mutating func recordedMigrations() throws(Failure) -> [[UInt8]] {
        try all("SELECT name FROM migration ORDER BY ordinal") { $0.bytes(0) }
    }

    private func check(
        _ recorded: [[UInt8]], _ migrations: [Migration]
    ) throws(Failure) {
        let known = Set(migrations.map { Array($0.name.utf8) })
        if let first = recorded.first, let expected = migrations.first,
            !first.elementsEqual(expected.name.utf8)
        {
            let name = String(decoding: first, as: UTF8.self)
            throw Failure(
                SQLiteError(
                    code: .earlier(migration: name), extendedCode: 0, operation: "migrate",
                    detail:
                        "made by an earlier build, or by another program: it begins with \"\(name)\""
                ))
        }
        if let unknown = recorded.first(where: { !known.contains($0) }) {
            let name = String(decoding: unknown, as: UTF8.self)
            throw Failure(
                SQLiteError(
                    code: .newer(migration: name), extendedCode: 0, operation: "migrate",
                    detail: "made by a newer version: it has \"\(name)\""))
        }
    }

    private mutating func apply(_ migration: Migration) throws(Failure) {
        try transaction { db throws(Failure) in
            try db.execute(migration.sql)
            for table in migration.appendOnly { try db.guardAppendOnly(table) }
            try db.run(
                """
                INSERT INTO migration (ordinal, name)
                SELECT COALESCE(MAX(ordinal), 0) + 1, ? FROM migration
                """, migration.name)
        }
    }

    /// Makes a table refuse `UPDATE`, `DELETE` and `REPLACE` from every connection of this module.
    /// (`open` turns on `recursive_triggers`; without it `REPLACE` would not fire the guard.)
    private mutating func guardAppendOnly(_ table: StaticString) throws(Failure) {
        let sql = """
            CREATE TRIGGER \(table)_refuses_update BEFORE UPDATE ON \(table)
            BEGIN SELECT RAISE(ABORT, '\(table) is append-only'); END;
            CREATE TRIGGER \(table)_refuses_delete BEFORE DELETE ON \(table)
            BEGIN SELECT RAISE(ABORT, '\(table) is append-only'); END;
            """
        // The text consists of literals only, and is NUL-terminated for the call.
        let text = sql.utf8CString
        try text.withUnsafeBufferPointer { bytes throws(Failure) in
            guard let start = bytes.baseAddress else { return }
            try execute(start, byteCount: bytes.count - 1)
        }
    }
}
