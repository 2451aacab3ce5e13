package import MacrologEvents
import MacrologSQLite

/// Which events are void: part of the log, but without effect. `Recovery` decides which.
extension EventLog {
    /// Whether an event is void, because an event that was sealed earlier has the same content.
    package func isDuplicate(_ dot: Dot) -> Bool {
        guard !voids.isEmpty, let key = keys[dot.device],
            let number = try? DotNumber(key, dot.seq)
        else { return false }
        return voids.contains(number)
    }

    /// Makes an event void. Its entities have to be folded again.
    package mutating func void(_ dot: DotNumber, in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction)
        guard voids.insert(dot).inserted else { return }
        try db.run("INSERT INTO void (dot) VALUES (?)", dot)
    }

    /// Makes a void event count again. Its entities have to be folded again.
    package mutating func reinstate(_ dot: DotNumber, in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction)
        assert(voids.contains(dot), "only a void event can count again")
        voids.remove(dot)
        try db.run("INSERT INTO aside (dot) VALUES (?)", dot)
        try db.run("DELETE FROM void WHERE dot = ?", dot)
    }

    /// Stores under which dot an event was first recorded.
    package mutating func store(
        origin: Dot, of dot: DotNumber, in db: inout LogConnection
    ) throws(LogError) {
        assert(db.isInTransaction)
        hasReissues = true
        try db.run(
            "INSERT OR IGNORE INTO reissue (origin, origin_seq, dot) VALUES (?, ?, ?)",
            origin.device, origin.seq, dot)
    }

    /// The places of the events that were first recorded under a dot: of that event, and of those
    /// that reissue it.
    package func places(
        ofOrigin origin: Dot, in db: inout LogConnection
    ) throws(LogError) -> [DotNumber] {
        try db.all(
            """
            SELECT key << 40 | ?2 FROM device WHERE id = ?1
            UNION
            SELECT dot FROM reissue WHERE origin = ?1 AND origin_seq = ?2
            """, origin.device, origin.seq
        ) { $0.dotNumber(0) }
    }
}
