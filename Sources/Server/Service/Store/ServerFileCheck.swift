/// Checks a server's file: its structure, every event, every blob, and what is stored for webhooks.
import MacrologEvents
import MacrologWire
import MacrologSQLite
package import MacrologCryptography

extension ServerFile {
    /// Reads the whole file and checks its structure, every event, number and digest, every row of
    /// a webhook, and every blob next to it.
    ///
    /// - Parameters:
    ///   - keys: The keys of encryption at rest.
    ///   - hasBlobs: Whether the bytes of blobs are there to be checked.
    /// - Throws: ``SQLiteError`` with code `earlier` or `newer` for a file of another build.
    package static func check(
        _ path: String, keys: [DataKey] = [], hasBlobs: Bool = true
    ) throws -> Contents {
        var connection = try Connection.open(path, mode: .readOnly)
        return try connection.snapshot { db in
            let wrapped = try db.wrappedKeys()
            let atRest = AtRest(keys) { wrapped[$0] }
            var contents = Contents()
            contents.problems = try db.integrityCheck()
            guard contents.problems.isEmpty else { return contents }
            try db.checkMigrations(Schema.migrations)
            contents.epoch = UInt32(
                truncatingIfNeeded: try db.first("SELECT epoch FROM server") { $0.int(0) } ?? 0)
            if contents.epoch == 0 { contents.problems.append("the log has no epoch") }
            contents.accounts = try db.first("SELECT count(*) FROM account") { $0.int(0) } ?? 0
            let keyless = try db.checkLogs(atRest, wrapped, &contents)
            let files = BlobFiles(of: path, atRest)
            for (key, bytes) in try db.blobs() {
                contents.blobs += 1
                guard hasBlobs, contents.problems.count < 100, !keyless.contains(key.space) else {
                    continue
                }
                if let problem = files.problem(key, bytes: bytes) {
                    contents.problems.append("blob \(key.digits) of space \(key.space): \(problem)")
                }
            }
            contents.problems += try db.damagedShares(atRest, besides: keyless)
            contents.problems += try db.damagedWebhooks()
            for space in keyless {
                let name = try db.first("SELECT name FROM account WHERE space = ?", space) {
                    $0.identifier(0)
                }
                if let name { contents.keyless.append(name) }
            }
            return contents
        }
    }
}

extension SQLDatabase where Self: ~Copyable {
    /// Reads every event of all logs, and checks them; see ``ServerFile/Contents``.
    ///
    /// - Parameter wrapped: The keys of all accounts as they are stored.
    /// - Returns: The spaces whose events are encrypted, and that have no key.
    mutating func checkLogs(
        _ atRest: AtRest, _ wrapped: [Space: [UInt8]], _ contents: inout ServerFile.Contents
    ) throws(Failure) -> Set<Space> {
        var log = LogCheck()
        var all = SHA256Stream()
        var keyless: Set<Space> = []
        var (last, isMore): (Int64, Bool) = (0, true)
        while isMore {
            isMore = false
            // A page at a time: PostgreSQL's answer is in memory as a whole.
            try forEach(
                """
                SELECT place, space, t, t_max, device, seq, hash, digest, body FROM event
                WHERE place > ? ORDER BY place LIMIT 500
                """, last
            ) { row in
                (last, isMore) = (row.int(0), true)
                contents.events += 1
                row.withBytes(7) { all.add($0) }
                guard contents.problems.count < 100 else { return }
                let space = row.space(1)
                let cipher = (try? atRest.cipher(of: space)) ?? AccountCipher(key: nil)
                let body = cipher.body(row.bytes(8), at: row.int(0))
                if body == nil, wrapped[space] == nil { keyless.insert(space) }
                guard !keyless.contains(space) else { return }
                if let problem = log.problem(
                    place: row.int(0), space: row.int(1), t: SealedTime(row.int(2)),
                    greatest: SealedTime(row.int(3)), device: row.bytes(4),
                    seq: Seq(row.int(5)), hash: row.bytes(6),
                    digest: row.bytes(7), body: body)
                {
                    contents.problems.append(
                        "event \(Place.number(row.int(0))) of space \(row.int(1)): \(problem)")
                }
            }
        }
        contents.digest = all.finish()
        return keyless
    }
}

extension BlobFiles {
    /// The problem with a blob's file; `nil` for a sound one.
    func problem(_ key: BlobKey, bytes: Int64) -> String? {
        guard let found = self.bytes(key) else { return "its file is missing" }
        guard found == bytes else { return "its file has another length" }
        guard let hash = try? hash(key) else { return "its file cannot be read" }
        return hash == key.name ? nil : "it is not what its name says"
    }
}

/// Checks the logs of all spaces, one after the other.
private struct LogCheck {
    private var space: Space = 0
    private var (n, digest) = (LogNumber.zero, PrefixDigest.empty)
    private var greatest = SealedTime.zero
    private var seqs: [[UInt8]: Seq] = [:]
    private var times: [[UInt8]: SealedTime] = [:]

    /// The problem with the next row; `nil` for a sound one.
    mutating func problem(
        place: Int64, space: Space, t: SealedTime, greatest: SealedTime, device: [UInt8], seq: Seq,
        hash: [UInt8], digest: [UInt8], body: [UInt8]?
    ) -> String? {
        if space != self.space {
            self = LogCheck()
            self.space = space
        }
        defer {
            seqs[device] = seq
            times[device] = t
        }
        guard place == Place.of(space, n.successor()) else {
            n = Place.number(place)
            return "the one before it is missing"
        }
        n = Place.number(place)
        self.greatest = max(self.greatest, t)
        guard let body else { return "it cannot be decrypted" }
        guard let words = try? StoredEvent.hash(of: body) else {
            return "it is not the event that its row says"
        }
        self.digest.add(hash: words, seal: Seal(n: n, t: t))
        guard SHA256.bytes(words) == hash else { return "it is not what its hash says" }
        guard self.digest.bytes == digest else { return "the digest is another one" }
        guard self.greatest == greatest else { return "the greatest time is another one" }
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
