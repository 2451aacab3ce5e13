package import MacrologEvents
package import MacrologWire
import MacrologSQLite

/// How a damaged row is replaced. The old bytes are always set aside first; the tables' triggers
/// refuse anything else. `Recovery` decides which rows are damaged.
extension EventLog {
    /// Replaces the bytes of an event.
    package func replaceBody(
        at dot: DotNumber, _ old: [UInt8], by body: [UInt8], in db: inout LogConnection
    ) throws(LogError) {
        assert(db.isInTransaction)
        assert(old != body, "what is right is not replaced")
        try db.run("INSERT INTO aside (dot, body) VALUES (?, ?)", dot, old)
        try body.withBytes { body throws(LogError) in
            try db.run(
                "UPDATE event SET body = ?, hash = ? WHERE dot = ?", body, RecordedHash(of: body),
                dot)
        }
    }

    /// Stores the bytes of an event whose row is missing.
    package func insertBody(
        _ body: [UInt8], at dot: DotNumber, in db: inout LogConnection
    ) throws(LogError) {
        assert(db.isInTransaction)
        try body.withBytes { body throws(LogError) in
            try db.run("INSERT INTO event (dot, body) VALUES (?, ?)", dot, body)
        }
    }

    /// The stored bytes of an event, and the hash beside them; `nil` where its row is missing.
    package func storedBody(
        at dot: DotNumber, in db: inout LogConnection
    ) throws(LogError) -> (body: [UInt8], hash: Int64?)? {
        try db.first("SELECT body, hash FROM event WHERE dot = ?", dot) {
            (body: $0.bytes(0), hash: $0.intOrNull(1))
        }
    }

    /// Replaces a row of `seal`, or inserts it where it is missing.
    ///
    /// - Parameter held: The row as stored; `nil` where it is missing.
    package func replaceSeal(
        _ held: StoredRow?, by seal: Seal, of dot: DotNumber, _ digest: PrefixDigest,
        in db: inout LogConnection
    ) throws(LogError) {
        assert(db.isInTransaction)
        assert(held == nil || held?.n == seal.n.rawValue, "a row keeps its number")
        guard let held else {
            return try db.run(
                "INSERT INTO seal (n, t, dot, digest) VALUES (?, ?, ?, ?)", seal.n, seal.t, dot,
                digest)
        }
        try setAside(held, in: &db)
        try db.run(
            "UPDATE seal SET t = ?, dot = ?, digest = ? WHERE n = ?", seal.t, dot, digest, seal.n)
    }

    /// Removes a damaged row of `seal`, which names an event that another row names rightly.
    package func removeSeal(_ held: StoredRow, in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction)
        try setAside(held, in: &db)
        try db.run("DELETE FROM seal WHERE n = ?", held.n)
    }

    private func setAside(_ held: StoredRow, in db: inout LogConnection) throws(LogError) {
        try db.run("INSERT INTO aside (n, t, dot) VALUES (?, ?, ?)", held.n, held.t, held.dot)
    }

    /// Another row than `n` that names an event; `nil` for none.
    package func seal(
        of dot: DotNumber, besides n: LogNumber, in db: inout LogConnection
    ) throws(LogError) -> StoredRow? {
        let other = try db.first("SELECT n FROM seal WHERE dot = ? AND n <> ?", dot, n) {
            $0.int(0)
        }
        return try other.flatMap { n throws(LogError) in try StoredRow.at(n, in: &db) }
    }

    /// Corrects a stored digest, which anybody can compute from the rows.
    package func storeDigest(
        _ digest: PrefixDigest, at n: Int64, in db: inout LogConnection
    ) throws(LogError) {
        assert(db.isInTransaction)
        try db.run("UPDATE seal SET digest = ? WHERE n = ?", digest, n)
    }

    /// The place of a dot in this file. If this device once was that device, it has two keys: the
    /// neighbouring rows decide between them.
    package mutating func place(
        toRestore dot: Dot, in db: inout LogConnection
    ) throws(LogError) -> DotNumber {
        let found = try db.first(
            """
            SELECT key FROM device WHERE id = ?1 ORDER BY
                EXISTS (SELECT 1 FROM seal WHERE dot IN
                    ((key << 40 | ?2) - 1, (key << 40 | ?2) + 1)) DESC,
                EXISTS (SELECT 1 FROM event WHERE dot = key << 40 | ?2) DESC, key DESC
            LIMIT 1
            """, dot.device, dot.seq
        ) { $0.int(0) }
        if let found { return try DotNumber(found, dot.seq) }
        return try DotNumber(try key(of: dot.device, in: &db), dot.seq)
    }

    /// Reads again what this value mirrors of the seals, after rows were replaced.
    package mutating func reload(in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction)
        lastSealedSeqByKey = [:]
        sealedSeq = try Self.lastSealedSeq(of: deviceKey, in: &db)
        lastSeq = try Self.lastSeq(of: deviceKey, in: &db)
        cursor = try Self.checkedCursor(
            try db.first("SELECT max(n) FROM seal") { $0.intOrNull(0) ?? 0 } ?? 0)
        digest = try StoredRow.digest(upTo: cursor, in: &db) ?? .empty
    }
}
