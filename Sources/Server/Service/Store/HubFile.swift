/// What an operator does with the hub's file as a whole: copy it, put a copy in its place, check it.
import MacrologEvents
import MacrologSQLite

/// The hub's database as a file.
package enum HubFile {
    /// Writes a consistent copy, also while a server is using the file.
    ///
    /// It reads one snapshot over a connection of its own that never writes and never checkpoints,
    /// so the server goes on undisturbed and its write-ahead log is safe; the copy has no such log
    /// and is one file.
    ///
    /// The blobs that the copy names are copied into a folder beside it, `copy.blobs`; a file never
    /// changes under its name, so these need no snapshot. One that is damaged, or missing, is what
    /// ``check(_:)`` then tells.
    ///
    /// - Parameter copy: A file that does not exist yet.
    package static func backUp(_ path: String, to copy: String) throws {
        do {
            var connection = try Connection.open(path, mode: .readOnly)
            try connection.backup(to: copy)
        }
        let (source, target) = (BlobFiles(of: path), BlobFiles(of: copy))
        var gone: [BlobKey] = []
        for (key, bytes) in try blobs(copy) {
            if source.bytes(key) == bytes {
                try source.copy(key, to: target)
            } else {
                gone.append(key)
            }
        }
        try target.settle()
        // What was collected meanwhile is no loss.
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

    /// The blobs that a file names, and their lengths.
    private static func blobs(_ path: String) throws -> [(key: BlobKey, bytes: Int64)] {
        var connection = try Connection.open(path, mode: .readOnly)
        return try connection.blobs()
    }

    /// Makes a copy ready to be served: its log becomes another one, which devices notice and heal.
    ///
    /// Refresh tokens are forgotten: one that was used after the backup would work again, for
    /// whoever has it. Sessions that began after the backup are not in it. A session that was
    /// revoked after the backup can't be known, so it lives on until its access token ends, unless
    /// all are ended.
    ///
    /// - Parameters:
    ///   - epoch: The new epoch, 1 to 2^32 − 1, another than before.
    ///   - endsSessions: Ends all sessions, so that everybody has to sign in again.
    ///   - now: Milliseconds since 1970 UTC.
    package static func renew(
        _ path: String, epoch: UInt32, endsSessions: Bool, now: Int64
    ) throws {
        precondition(epoch > 0, "an epoch is never 0")
        var connection = try Connection.open(path)
        try connection.migrate(Schema.migrations)
        try connection.transaction { db in
            try db.run("UPDATE hub SET epoch = ?", epoch)
            try db.run("DELETE FROM refresh")
            if endsSessions {
                try db.run("UPDATE session SET revoked = ? WHERE revoked IS NULL", now)
            }
        }
        try connection.checkpoint()
    }

    /// Brings everything that was committed into the file itself, where nobody uses it, so that it
    /// can be moved. A file too damaged for that is left as it is.
    package static func settle(_ path: String) {
        do {
            var connection = try Connection.open(path)
            try connection.checkpoint()
        } catch {}
    }

    /// What a file holds.
    package struct Contents: Sendable {
        package var epoch: UInt32 = 0
        package var accounts: Int64 = 0
        package var events: Int64 = 0
        package var blobs: Int64 = 0
        /// What is wrong with it, a line each, at most about 100; empty for a sound file.
        package var problems: [String] = []
    }

    /// Reads the whole file: its structure, every event, every number, every digest; and every blob
    /// beside it.
    package static func check(_ path: String) throws -> Contents {
        var connection = try Connection.open(path, mode: .readOnly)
        return try connection.snapshot { db in
            var contents = Contents()
            contents.problems = try db.integrityCheck()
            guard contents.problems.isEmpty else { return contents }
            contents.epoch = UInt32(
                truncatingIfNeeded: try db.first("SELECT epoch FROM hub") { $0.int(0) } ?? 0)
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
    /// What is wrong with a blob's file; `nil` for a sound one.
    fileprivate func problem(_ key: BlobKey, bytes: Int64) -> String? {
        guard let found = self.bytes(key) else { return "its file is missing" }
        guard found == bytes else { return "its file has another length" }
        guard let hash = try? hash(key) else { return "its file cannot be read" }
        return hash == key.name ? nil : "it is not what its name says"
    }
}

extension Connection {
    /// The blobs of all spaces; none of a time before there were any.
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

/// Follows the logs of all spaces, one after the other.
private struct LogCheck {
    private var space: Space = 0
    private var head = SpaceHead.empty
    private var seqs: [[UInt8]: Seq] = [:]
    private var times: [[UInt8]: SealedTime] = [:]

    /// What is wrong with the next row; `nil` for a sound one.
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
