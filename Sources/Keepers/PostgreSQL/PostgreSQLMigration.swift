/// Schema changes, applied in order, each exactly once, no matter how many programs start together.

/// One step from an older schema to a newer one.
///
/// A step whose name begins with `+ ` only adds: programs that do not know it run on the database beside those
/// that do, while a service is upgraded node by node. It must not remove, rename or narrow what is there, nor
/// demand a value that an earlier program does not write.
package struct PostgreSQLMigration: Sendable {
    /// What the name of a step that only adds begins with.
    static let additiveStart = "+ "
    /// The name that the database keeps. Never changed once released.
    package let name: String
    /// Its statements, each ended by a semicolon and an empty line.
    package let sql: StaticString

    /// Memberwise initializer.
    package init(name: String, _ sql: StaticString) {
        self.name = name
        self.sql = sql
    }
}

extension PostgreSQLConnection {
    /// Applies what the database lacks, all of it in one transaction: either all of it is there
    /// afterwards, or nothing. Programs that start together wait for each other.
    ///
    /// - Returns: The names of the steps that were made.
    /// - Throws: ``PostgreSQLError`` with code `migrations` for a database of a newer program whose steps do
    ///   more than add, or one whose steps are others.
    @discardableResult
    package mutating func migrate(_ migrations: [PostgreSQLMigration]) throws -> [String] {
        do {
            return try transaction { try $0.applyMissing(migrations) }
        } catch let error as PostgreSQLError
            where ["23505", "42P07", "42710"].contains(error.state)
        {
            // Another program made the table of migrations at the same moment: its row in a catalogue, the table
            // or its row type is there.
            return try transaction { try $0.applyMissing(migrations) }
        }
    }

    /// The names of the steps that the database lacks, without making them.
    ///
    /// - Throws: As ``migrate(_:)``.
    package mutating func pendingMigrations(
        _ migrations: [PostgreSQLMigration]
    ) throws(PostgreSQLError) -> [String] {
        let exists = try first("SELECT to_regclass('migration') IS NOT NULL") { $0.int(0) == 1 }
        guard exists == true else { return migrations.map(\.name) }
        return try missing(of: migrations).map(\.name)
    }

    private mutating func applyMissing(
        _ migrations: [PostgreSQLMigration]
    ) throws(PostgreSQLError) -> [String] {
        try run(
            """
            CREATE TABLE IF NOT EXISTS migration (number bigint PRIMARY KEY, name text NOT NULL)
            """)
        // Its first row is what programs that start together wait for.
        try run("INSERT INTO migration VALUES (0, 'lock') ON CONFLICT DO NOTHING")
        try run("UPDATE migration SET name = name WHERE number = 0")
        let missing = try missing(of: migrations)
        for (index, migration) in missing.enumerated() {
            try execute(migration.sql)
            try run(
                "INSERT INTO migration VALUES (?, ?)",
                migrations.count - missing.count + index + 1, migration.name)
        }
        return missing.map(\.name)
    }

    /// The steps that the database lacks.
    private mutating func missing(
        of migrations: [PostgreSQLMigration]
    ) throws(PostgreSQLError) -> ArraySlice<PostgreSQLMigration> {
        let applied = try all("SELECT name FROM migration WHERE number > 0 ORDER BY number") {
            $0.text(0)
        }
        for (name, migration) in zip(applied, migrations) where name != migration.name {
            throw PostgreSQLError(
                .migrations, operation: "comparing the migrations",
                detail: "the database has the step \"\(name)\" where this program has "
                    + "\"\(migration.name)\"",
                hint: "use the program that made it, or another database")
        }
        let unknown = applied.dropFirst(migrations.count)
        if let step = unknown.first(where: { !$0.hasPrefix(PostgreSQLMigration.additiveStart) }) {
            throw PostgreSQLError(
                .migrations, operation: "comparing the migrations",
                detail: "the database has the step \"\(step)\", which this program does not know",
                hint: "install the newer version of this program that made it")
        }
        return migrations.dropFirst(applied.count)
    }

    /// Runs each statement of a text. No bindings, no rows.
    private mutating func execute(_ sql: StaticString) throws(PostgreSQLError) {
        let text = "\(sql)"
        var rest = text[...]
        while let end = rest.firstRange(of: ";\n\n") {
            try send(script: String(rest[..<end.lowerBound]), of: sql)
            rest = rest[end.upperBound...]
        }
        try send(script: String(rest), of: sql)
        try flush()
    }
}
