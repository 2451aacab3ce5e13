/// Operator commands on the server's database file as a whole: back up, restore, check.
import MacrologEvents
import MacrologSQLite

/// The server's database as a file.
package enum ServerFile {
    /// Writes a consistent copy, even while a server is using the file.
    ///
    /// It reads one snapshot over a separate connection that never writes and never checkpoints, so
    /// the server continues undisturbed and its write-ahead log stays intact. The copy is a single
    /// file without a write-ahead log.
    ///
    /// The blobs that the copy names are copied into a folder next to it, `copy.blobs`. A blob file
    /// never changes under its name, so blobs need no snapshot. ``check(_:)`` reports blobs that
    /// are damaged or missing.
    ///
    /// - Parameter copy: A file that does not exist yet.
    /// - Throws: ``SQLiteError`` with code `earlier` or `newer` for a file of another build, before
    ///   anything is written.
    package static func backUp(_ path: String, to copy: String) throws {
        try copyDatabase(path, to: copy)
        let (source, target) = (BlobFiles(of: path), BlobFiles(of: copy))
        var gone: [BlobKey] = []
        for (key, bytes) in try blobs(copy) {
            if source.bytes(key) == bytes {
                try source.copy(key, to: target)
            } else {
                gone.append(key)
            }
        }
        try target.syncToDisk()
        // A blob that was collected meanwhile is not missing.
        let known = gone.isEmpty ? [] : Set(try blobs(path).map(\.key))
        gone.removeAll { known.contains($0) }
        guard !gone.isEmpty else { return }
        var connection = try Connection.open(copy)
        for key in gone {
            try connection.run(
                "DELETE FROM blob WHERE space = ? AND name = ?", key.space, key.name)
        }
        try connection.checkpoint()
    }

    /// Writes a consistent copy of the database alone, as ``backUp(_:to:)``.
    package static func copyDatabase(_ path: String, to copy: String) throws {
        var connection = try Connection.open(path, mode: .readOnly)
        try connection.checkMigrations(Schema.migrations)
        try connection.backup(to: copy)
    }

    /// The names of the steps that a file lacks to be one of this version.
    ///
    /// - Throws: ``SQLiteError`` with code `earlier` or `newer` for a file of another build.
    package static func pendingUpgrades(_ path: String) throws -> [String] {
        var connection = try Connection.open(path, mode: .readOnly)
        return try connection.pendingMigrations(Schema.migrations)
    }

    /// Makes the missing steps. The file must not be in use.
    package static func upgrade(_ path: String) throws {
        var connection = try Connection.open(path)
        try connection.migrate(Schema.migrations)
        try connection.checkpoint()
    }

    /// The blobs that a file names, and their lengths.
    private static func blobs(_ path: String) throws -> [(key: BlobKey, bytes: Int64)] {
        var connection = try Connection.open(path, mode: .readOnly)
        return try connection.blobs()
    }

    /// Prepares a copy to be served: gives its log a new epoch, which makes devices start recovery.
    ///
    /// Deletes all refresh tokens: a token that was used after the backup would otherwise be valid
    /// again. Sessions that began after the backup are not in the copy. A session that was revoked
    /// after the backup cannot be identified, so it stays valid until its access token expires,
    /// unless all sessions are ended.
    ///
    /// - Parameters:
    ///   - epoch: The new epoch, 1 to 2^32 − 1, different from the old one.
    ///   - endsSessions: Ends all sessions, so that every user must log in again.
    ///   - deletions: Accounts that were deleted after the backup, and are deleted again; `nil` for
    ///     the ledger beside the file.
    ///   - now: Milliseconds since 1970 UTC.
    package static func renew(
        _ path: String, epoch: UInt32, endsSessions: Bool, deletions: DeletionLedger? = nil,
        now: Int64
    ) throws {
        precondition(epoch > 0, "an epoch is never 0")
        var connection = try Connection.open(path)
        try connection.migrate(Schema.migrations)
        try connection.overwriteDeleted()
        try connection.transaction { db in
            try db.replay(deletions ?? DeletionLedger(of: path))
            let gone = try db.removeDeleted(atMost: .max).gone
            for space in gone { BlobFiles(of: path).removeAll(of: space) }
            try db.run("UPDATE server SET epoch = ?", epoch)
            try db.run("DELETE FROM refresh")
            if endsSessions {
                try db.run("UPDATE session SET revoked = ? WHERE revoked IS NULL", now)
            }
        }
        try connection.checkpoint()
    }

    /// Checkpoints the write-ahead log into the database file, which must not be in use, so that it
    /// can be moved. A file too damaged for that is left unchanged.
    package static func checkpoint(_ path: String) {
        do {
            var connection = try Connection.open(path)
            try connection.checkpoint()
        } catch {}
    }

    /// The contents of a file.
    package struct Contents: Sendable {
        package var epoch: UInt32 = 0
        package var accounts: Int64 = 0
        package var events: Int64 = 0
        package var blobs: Int64 = 0
        /// The problems found, one line each, about 100 at most; empty for a sound file.
        package var problems: [String] = []
    }

    /// Reads the whole file and checks its structure, every event, number and digest, and every
    /// blob next to it.
    ///
    /// - Throws: ``SQLiteError`` with code `earlier` or `newer` for a file of another build.
    package static func check(_ path: String) throws -> Contents {
        var connection = try Connection.open(path, mode: .readOnly)
        return try connection.snapshot { db in
            var contents = Contents()
            contents.problems = try db.integrityCheck()
            guard contents.problems.isEmpty else { return contents }
            try db.checkMigrations(Schema.migrations)
            contents.epoch = UInt32(
                truncatingIfNeeded: try db.first("SELECT epoch FROM server") { $0.int(0) } ?? 0)
            if contents.epoch == 0 { contents.problems.append("the log has no epoch") }
            contents.accounts = try db.first("SELECT count(*) FROM account") { $0.int(0) } ?? 0
            var log = LogCheck()
            try db.forEach(
                """
                SELECT place, space, t, t_max, device, seq, hash, digest, body FROM event
                ORDER BY place
                """
            ) { row in
                contents.events += 1
                guard contents.problems.count < 100 else { return }
                if let problem = log.problem(
                    place: row.int(0), space: row.int(1), t: SealedTime(row.int(2)),
                    greatest: SealedTime(row.int(3)), device: row.bytes(4),
                    seq: Seq(row.int(5)), hash: row.bytes(6),
                    digest: row.bytes(7), body: row.bytes(8))
                {
                    contents.problems.append(
                        "event \(Place.number(row.int(0))) of space \(row.int(1)): \(problem)")
                }
            }
            let files = BlobFiles(of: path)
            for (key, bytes) in try db.blobs() {
                contents.blobs += 1
                guard contents.problems.count < 100 else { break }
                if let problem = files.problem(key, bytes: bytes) {
                    contents.problems.append("blob \(key.digits) of space \(key.space): \(problem)")
                }
            }
            return contents
        }
    }
}

extension BlobFiles {
    /// The problem with a blob's file; `nil` for a sound one.
    fileprivate func problem(_ key: BlobKey, bytes: Int64) -> String? {
        guard let found = self.bytes(key) else { return "its file is missing" }
        guard found == bytes else { return "its file has another length" }
        guard let hash = try? hash(key) else { return "its file cannot be read" }
        return hash == key.name ? nil : "it is not what its name says"
    }
}

extension Connection {
    /// The blobs of all spaces; empty for a schema without blobs.
    fileprivate mutating func blobs() throws(SQLiteError) -> [(key: BlobKey, bytes: Int64)] {
        let hasBlobs = try first("SELECT 1 FROM sqlite_schema WHERE name = 'blob'") { _ in true }
        guard hasBlobs == true else { return [] }
        return try all("SELECT space, name, bytes FROM blob ORDER BY space, name") {
            (
                BlobKey(space: $0.space(0), name: $0.bytes(1, count: BlobMention.nameBytes)),
                $0.int(2)
            )
        }
    }
}

/// Checks the logs of all spaces, one after the other.
private struct LogCheck {
    private var space: Space = 0
    private var head = SpaceHead.empty
    private var seqs: [[UInt8]: Seq] = [:]
    private var times: [[UInt8]: SealedTime] = [:]

    /// The problem with the next row; `nil` for a sound one.
    mutating func problem(
        place: Int64, space: Space, t: SealedTime, greatest: SealedTime, device: [UInt8], seq: Seq,
        hash: [UInt8], digest: [UInt8], body: [UInt8]
    ) -> String? {
        if space != self.space {
            self = LogCheck()
            self.space = space
        }
        defer {
            seqs[device] = seq
            times[device] = t
        }
        guard place == (try? Place.of(space, head.n.successor())) else {
            head.n = Place.number(place)
            return "the one before it is missing"
        }
        head.n = Place.number(place)
        head.t = max(head.t, t)
        guard let words = try? StoredEvent.hash(of: body) else {
            return "it is not the event that its row says"
        }
        head.digest.add(hash: words, seal: Seal(n: head.n, t: t))
        guard SHA256.bytes(words) == hash else { return "it is not what its hash says" }
        guard head.digest.bytes == digest else { return "the digest is another one" }
        guard head.t == greatest else { return "the greatest time is another one" }
        guard seq == (seqs[device] ?? .zero).successor() else {
            return "its device's events have a gap"
        }
        guard t > times[device] ?? .zero else { return "its device's times go back" }
        guard let header = try? StoredEvent.decoded(body).header, header.dot.device.bytes == device,
            header.dot.seq == seq
        else { return "it is not the event that its row says" }
        return nil
    }
}
