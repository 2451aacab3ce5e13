import MacrologEvents
import MacrologWire
import MacrologSQLite

/// The rows of `event` and `seal` that a page adds, until they are written: table by table, in the order of
/// their keys.
struct UnwrittenRows {
    private(set) var events: [(dot: DotNumber, body: [UInt8])] = []
    private var seals: [(seal: Seal, dot: DotNumber, digest: PrefixDigest)] = []

    var isEmpty: Bool { seals.isEmpty }

    mutating func add(_ body: [UInt8], at dot: DotNumber) { events.append((dot, body)) }

    mutating func add(_ seal: Seal, of dot: DotNumber, _ digest: PrefixDigest) {
        seals.append((seal, dot, digest))
    }

    func writeEvents(in db: inout LogConnection) throws(LogError) {
        try db.insert(events.indices, by: Self.eventInsertion) { row, binder in
            events[row].dot.bind(to: &binder)
            events[row].body.bind(to: &binder)
        }
    }

    func writeSeals(in db: inout LogConnection) throws(LogError) {
        try db.insert(seals.indices, by: Self.sealInsertion) { row, binder in
            seals[row].seal.n.bind(to: &binder)
            seals[row].seal.t.bind(to: &binder)
            seals[row].dot.bind(to: &binder)
            seals[row].digest.bind(to: &binder)
        }
    }

    private static let eventInsertion = Insertion(
        "INSERT OR FAIL INTO event (dot, body)", columns: 2)
    private static let sealInsertion = Insertion(
        "INSERT OR FAIL INTO seal (n, t, dot, digest)", columns: 4)
}

extension EventLog {
    /// Adds the seal of an event to the log, to be written with the page.
    ///
    /// - Parameter hash: The SHA-256 of the event's bytes.
    mutating func append(_ seal: Seal, of dot: DotNumber, hash: SHA256.Words) {
        assert(seal.n == cursor + 1, "the log grows by one number at a time")
        digest.add(hash: hash, seal: seal)
        unwritten.add(seal, of: dot, digest)
        cursor = seal.n.rawValue
    }

    /// Writes the rows that the page has added so far, before anything reads them.
    package mutating func writeRows(in db: inout LogConnection) throws(LogError) {
        guard !unwritten.isEmpty else { return }
        assert(db.isInTransaction)
        let rows = unwritten
        unwritten = UnwrittenRows()
        do throws(LogError) { try rows.writeEvents(in: &db) } catch {
            guard error.sqlite?.code == .constraint(.primaryKey) else { throw error }
            // The seal of one was lost here, but the event was not.
            for row in rows.events { try keep(row.body, at: row.dot, in: &db) }
        }
        try rows.writeSeals(in: &db)
    }

    /// Stores the bytes that the server has sealed, where others may be stored.
    private func keep(
        _ body: [UInt8], at dot: DotNumber, in db: inout LogConnection
    ) throws(LogError) {
        guard let old = try storedBody(at: dot, in: &db)?.body else {
            return try insertBody(body, at: dot, in: &db)
        }
        if old != body { try replaceBody(at: dot, old, by: body, in: &db) }
    }
}
