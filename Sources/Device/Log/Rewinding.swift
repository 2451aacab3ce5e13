package import MacrologEvents
package import MacrologWire
import MacrologSQLite

/// How this log follows another log of the server. `Recovery` decides where both are equal.
extension EventLog {
    /// Adopts the server's epoch, once all of this log is known to be in the server's log.
    package mutating func adopt(_ epoch: UInt32, in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction)
        assert(epoch != 0, "0 is no server's epoch")
        try db.run("UPDATE replica SET epoch = ?", epoch)
        self.epoch = epoch
    }

    /// Removes the seals after a number, where the server's log forked from this one. The events
    /// stay: this device's are unsealed again; each other device gets another key, so that the
    /// server's events of the same dots have a place.
    ///
    /// - Parameters:
    ///   - fork: The number up to which both logs are equal.
    ///   - next: The device ID that this device takes next.
    package mutating func rewind(
        to fork: Int64, epoch: UInt32, as next: Identifier, in db: inout LogConnection
    ) throws(LogError) {
        assert(db.isInTransaction)
        let digest = try digest(upTo: fork, in: &db)
        nextDevice = nextDevice ?? next
        self.fork = min(self.fork ?? .max, fork)
        (self.epoch, self.digest) = (epoch, digest)
        try db.run(
            "UPDATE replica SET epoch = ?, next = ?, fork = ?", epoch, nextDevice, self.fork)
        let others = try db.all(
            """
            SELECT DISTINCT id FROM seal JOIN device ON device.key = seal.dot >> 40
            WHERE n > ? AND device.key <> ?
            """, fork, deviceKey
        ) { $0.identifier(0) }
        try keepTimes(after: fork, in: &db)
        try db.run("DELETE FROM seal WHERE n > ?", fork)
        for id in others { try addKey(of: id, in: &db) }
        lastSealedSeqByKey = [:]
        cursor = fork
        sealedSeq = try Self.lastSealedSeq(of: deviceKey, in: &db)
        assert(nextDevice != nil, "what lost its seal is reissued under another ID")
    }

    /// Forgets the fork, once nothing waits to be reissued because of it.
    package mutating func endFork(in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction)
        assert(orphans == 0 && nextDevice == nil, "what is lost on the server is reissued first")
        guard fork != nil else { return }
        try db.run("UPDATE replica SET fork = NULL")
        fork = nil
    }

    /// Counts the events of other devices that wait to be reissued, after some were added or removed.
    package mutating func countOrphans(in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction)
        orphans = try Self.orphanCount(in: &db)
    }

    /// p(n), for a number up to the cursor.
    ///
    /// - Throws: The error for a gap, where the file or the asker names a number without a row.
    package func digest(
        upTo n: Int64, in db: inout LogConnection
    ) throws(LogError) -> PrefixDigest {
        if n == cursor { return digest }
        guard n < cursor, let digest = try StoredRow.digest(upTo: n, in: &db) else {
            throw LogError(.gap(expected: n))
        }
        return digest
    }
}
