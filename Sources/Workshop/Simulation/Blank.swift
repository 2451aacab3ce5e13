import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import MacrologService
import MacrologTestSupport

/// Empty files with every table, from which a device or a server starts. Creating the tables would
/// take a third of a world's time, and is tested by the scripts of `Disk`.
enum Blank {
    private static let replica = file(.small) { (db: inout LogConnection) in
        try db.migrate(EventLog.migrations)
        try db.transaction { try ReadModels.nutrition.makeTables(in: &$0) }
    }
    private static let server = file(.large) { (db: inout Connection) in
        try db.migrate(SQLiteServerStore.migrations)
    }

    /// Creates an empty replica if none exists.
    static func putReplica(at path: String) throws { try put(replica, at: path) }

    /// Creates an empty server file if none exists.
    static func putServer(at path: String) throws { try put(server, at: path) }

    private static func put(_ file: Result<Data, any Error>, at path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        try file.get().write(to: URL(filePath: path))
    }

    private static func file<Failure>(
        _ pages: SQLiteConnection<Failure>.PageSize,
        _ make: (inout SQLiteConnection<Failure>) throws -> Void
    ) -> Result<Data, any Error> {
        Result {
            try ScratchFolder.lend { folder in
                let path = "\(folder)/blank.db"
                var connection = try SQLiteConnection<Failure>.open(path, pages: pages)
                try make(&connection)
                _ = try connection.checkpoint()
                return try Data(contentsOf: URL(filePath: path))
            }
        }
    }
}
