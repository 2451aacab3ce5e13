/// Where snapshots lie: in a file of their own beside the hub's, for they can be built anew at any
/// time and belong into no backup.
import Events
import SQLite
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

final class SnapshotShelf: Sendable {
    /// What lies there of a space.
    struct Kept: Sendable {
        /// How many events were folded.
        let n: Int64
        /// `nil` where the log can't be made a snapshot of.
        let manifest: SnapshotManifest?
    }

    private let path: String
    private let connection = Mutex<Connection?>(nil)

    /// - Parameter path: The file, which is made when the first snapshot is.
    init(_ path: String) {
        self.path = path
    }

    private static let tables = Migration(
        name: "1 snapshots",
        """
        CREATE TABLE snapshot (
            space INTEGER PRIMARY KEY,
            n INTEGER NOT NULL,
            manifest BLOB               -- NULL: the log can't be made a snapshot of
        ) STRICT;
        CREATE TABLE part (
            space INTEGER NOT NULL,
            hash BLOB NOT NULL,         -- SHA-256 of body
            body BLOB NOT NULL,
            PRIMARY KEY (space, hash)
        ) STRICT;
        """)

    private func use<T: Sendable>(
        _ body: @Sendable (inout Connection) throws -> T
    ) throws(StoreError) -> T {
        let result = connection.withLock { held in
            Result<T, any Error> {
                do {
                    var db = try Self.opened(held.take(), path)
                    let result = Result { try body(&db) }
                    held = consume db
                    return try result.get()
                } catch let error as SQLiteError where error.reason == .notFlushed {
                    // Nobody knows what of it is on the disk, and nobody has to: it is built anew.
                    held = nil
                    for end in ["", "-wal", "-shm"] { unlink(path + end) }
                    throw error
                }
            }
        }
        do { return try result.get() } catch { throw StoreError(error) }
    }

    private static func opened(
        _ held: consuming Connection?, _ path: String
    ) throws -> Connection {
        if let held { return held }
        var new = try Connection.open(path)
        try new.migrate([tables])
        return new
    }

    /// What lies there of a space; `nil` for nothing.
    func kept(of space: Space) throws(StoreError) -> Kept? {
        try use { db in
            try db.first("SELECT n, manifest FROM snapshot WHERE space = ?", space) { row in
                Kept(
                    n: row.int(0),
                    manifest: row.isNull(1) ? nil : try? SnapshotManifest.decoded(row.bytes(1)))
            }
        }
    }

    /// A part of a space's snapshot; `nil` where there is none, or none that has this hash any more.
    func part(_ hash: [UInt8], of space: Space) throws(StoreError) -> [UInt8]? {
        try use { db in
            let body = try db.first(
                "SELECT body FROM part WHERE space = ? AND hash = ?", space, hash
            ) { $0.bytes(0) }
            guard let body else { return nil }
            guard SHA256.hash(body) == hash else {
                // The disk has let go of it: the snapshot is built anew when it is asked for.
                try db.transaction { db in
                    try db.run("DELETE FROM snapshot WHERE space = ?", space)
                    try db.run("DELETE FROM part WHERE space = ?", space)
                }
                return nil
            }
            return body
        }
    }

    /// Lays a part down. It belongs to nothing before ``finish(_:at:of:)``.
    func put(_ body: [UInt8], hash: [UInt8], of space: Space) throws(StoreError) {
        try use { db in
            try db.run(
                "INSERT OR IGNORE INTO part (space, hash, body) VALUES (?, ?, ?)", space, hash, body
            )
        }
    }

    /// Puts a snapshot in the place of the one before, whose parts are thrown away unless the new
    /// one has them, too.
    func finish(_ manifest: SnapshotManifest?, at n: Int64, of space: Space) throws(StoreError) {
        try use { db in
            let kept = Set((manifest?.parts ?? []).map(\.hash))
            try db.transaction { db in
                let held = try db.all("SELECT hash FROM part WHERE space = ?", space) {
                    $0.bytes(0)
                }
                for hash in held where !kept.contains(hash) {
                    try db.run("DELETE FROM part WHERE space = ? AND hash = ?", space, hash)
                }
                try db.run(
                    "INSERT OR REPLACE INTO snapshot (space, n, manifest) VALUES (?, ?, ?)", space,
                    n, manifest?.encoded())
            }
        }
    }

    /// How many parts lie there of a space.
    func partCount(of space: Space) throws(StoreError) -> Int64 {
        try use { db in
            try db.first("SELECT count(*) FROM part WHERE space = ?", space) { $0.int(0) } ?? 0
        }
    }
}

extension StoreError {
    /// Whatever went wrong, as the store says it.
    init(_ error: any Error) {
        if let error = error as? StoreError {
            self = error
        } else if let error = error as? SQLiteError {
            switch error.reason {
            case .full: self = .full
            case .busy: self = .busy
            default: self = .failed("\(error)")
            }
        } else {
            self = .failed("\(error)")
        }
    }
}
