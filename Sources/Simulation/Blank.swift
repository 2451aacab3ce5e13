import Log
import Projections
import SQLite
import Service

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Files with every table and nothing in them, put where a device or a hub begins. Making the tables
/// would take a third of a world's time, and is proved by the scripts of `Disk`.
enum Blank {
    private static let replica = file(EventLog.migrations + ReadModels.migrations, .small)
    private static let hub = file(SQLiteHubStore.migrations, .large)

    /// Puts a replica where none is.
    static func putReplica(at path: String) throws { try put(replica, at: path) }

    /// Puts a hub's file where none is.
    static func putHub(at path: String) throws { try put(hub, at: path) }

    private static func put(_ file: Result<Data, any Error>, at path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        try file.get().write(to: URL(filePath: path))
    }

    private static func file(
        _ migrations: [Migration], _ pages: Connection.PageSize
    ) -> Result<Data, any Error> {
        Result {
            try ScratchFolder.lend { folder in
                let path = "\(folder)/blank.db"
                var connection = try Connection.open(path, pages: pages)
                try connection.migrate(migrations)
                _ = try connection.checkpoint()
                return try Data(contentsOf: URL(filePath: path))
            }
        }
    }
}
