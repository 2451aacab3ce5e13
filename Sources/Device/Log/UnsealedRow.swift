package import MacrologEvents
package import MacrologWire
import MacrologSQLite

/// An unsealed event of this device, as it is stored in the file, sound or not.
package struct UnsealedRow {
    /// Where it is stored.
    package let dot: DotNumber
    /// The event that was recorded, or its skeleton after a fork; `nil` where the row is damaged.
    package let stored: StoredEvent?

    init(_ dot: DotNumber, of device: Identifier, body: UnsafeRawBufferPointer, hash: Int64?) {
        self.dot = dot
        guard hash == nil || RecordedHash.words(of: body, recorded: hash) != nil,
            let stored = try? StoredEvent.decoded(body),
            stored.header.dot == Dot(device: device, seq: dot.seq)
        else {
            self.stored = nil
            return
        }
        self.stored = stored
    }

    /// The event; `nil` where the row is damaged, or holds a skeleton.
    package var event: Event? {
        guard case .whole(let event)? = stored else { return nil }
        return event
    }

    /// Whether only the skeleton is held, which may happen after a fork.
    package var isSkeleton: Bool { stored != nil && event == nil }
}

/// An event of this device as it is stored in the file, sound or not.
package struct OwnRow {
    let dot: DotNumber
    let body: [UInt8]
    /// The first bytes of its hash, as they were recorded.
    let recorded: Int64?

    /// The hash that digests sum up, from bytes that are hashed once; `nil` where they are not what was
    /// recorded.
    func hash() throws(LogError) -> SHA256.Words? {
        let words = body.withUnsafeBytes { RecordedHash.words(of: $0, recorded: recorded) }
        guard let words else { return nil }
        return Skeleton.isSkeleton(body) ? try EventLog.hash(of: body) : words
    }
}

extension EventLog {
    /// The event of a row `dot, n, t, body, hash`: one that is sealed, or an unsealed one of this
    /// device as it was recorded. `nil` for an unsealed one that is not what was recorded:
    /// verification reports it, and no reader uses it.
    func entry(of row: borrowing Row) throws(LogError) -> LogEntry? {
        guard row.isNull(1) else {
            let seal = Seal(n: row.int(1), t: row.int(2))
            return try Self.entry(row, 3, seal)
        }
        return unsealedRow(row, body: 3).stored.map { LogEntry($0, nil) }
    }

    /// The sizes of this device's unsealed events, in bytes.
    package func unsealedSizes(in db: inout LogConnection) throws(LogError) -> [Int] {
        try db.all(
            "SELECT length(body) FROM event WHERE dot > ? AND dot <= ?",
            DotNumber(deviceKey, sealedSeq), DotNumber.last(of: deviceKey)
        ) { row throws(LogError) in Int(row.int(0)) }
    }

    /// Lends this device's unsealed events, in order. Missing numbers are left out.
    ///
    /// - Parameter seq: Only this one.
    package func forEachUnsealed(
        _ seq: Int64? = nil, in db: inout LogConnection,
        _ body: (UnsealedRow) throws(LogError) -> Void
    ) throws(LogError) {
        let first = try DotNumber(deviceKey, seq.map { Seq($0) } ?? Seq(sealedSeq).successor())
        try db.forEach(
            "SELECT dot, body, hash FROM event WHERE dot BETWEEN ? AND ? ORDER BY dot",
            first, seq == nil ? .last(of: deviceKey) : first
        ) { row throws(LogError) in
            try body(unsealedRow(row, body: 1))
        }
    }

    /// A row that begins with the dot, and has a body and after it the recorded hash.
    func unsealedRow(_ row: borrowing Row, body column: Int) -> UnsealedRow {
        let (dot, hash) = (row.dotNumber(0), row.intOrNull(column + 1))
        return row.withBytes(column) { UnsealedRow(dot, of: device, body: $0, hash: hash) }
    }

    /// Whether seals are missing below the last one. An own event may then be sealed although this
    /// file does not say so, and a repair may bring it back.
    package func missesSeals(in db: inout LogConnection) throws(LogError) -> Bool {
        try db.first("SELECT count(*) FROM seal") { $0.int(0) } != cursor
    }

    /// The bytes of one of this device's events; `nil` where there is no event of this number, or
    /// the bytes are not what was recorded.
    package func ownBody(_ seq: Int64, in db: inout LogConnection) throws(LogError) -> [UInt8]? {
        guard let row = try ownRows(from: seq, limit: 1, in: &db).first, row.dot.seq == seq,
            try row.hash() != nil
        else { return nil }
        return row.body
    }

    /// This device's events as they are stored, from a number on.
    func ownRows(
        from seq: Int64, limit: Int, in db: inout LogConnection
    ) throws(LogError) -> [OwnRow] {
        try db.all(
            "SELECT dot, body, hash FROM event WHERE dot BETWEEN ? AND ? ORDER BY dot LIMIT ?",
            try DotNumber(deviceKey, Seq(seq)), DotNumber.last(of: deviceKey), limit
        ) { OwnRow(dot: $0.dotNumber(0), body: $0.bytes(1), recorded: $0.intOrNull(2)) }
    }

    /// The next of the own events that a page seals, as they are stored: all of a page would be 32 MB.
    ///
    /// - Parameter left: How many the page still seals.
    func nextOwnRows(
        _ left: Int, in db: inout LogConnection
    ) throws(LogError) -> ArraySlice<OwnRow> {
        try ownRows(from: sealedSeq + 1, limit: min(left, 64), in: &db)[...]
    }

    /// The hash that digests sum up, of an event's bytes or its skeleton's.
    static func hash(of body: [UInt8]) throws(LogError) -> SHA256.Words {
        do throws(CBORError) { return try StoredEvent.hash(of: body) } catch {
            throw LogError(.damaged(error))
        }
    }

    /// The base of this device's last event that is as it was recorded; 0 for none.
    func lastOwnBase(in db: inout LogConnection) throws(LogError) -> Int64 {
        var base: Int64 = 0
        try db.forEachWhile(
            "SELECT body, hash FROM event WHERE dot BETWEEN ? AND ? ORDER BY dot DESC",
            DotNumber(deviceKey, 0), DotNumber.last(of: deviceKey)
        ) { row in
            let body = row.bytes(0)
            guard RecordedHash.fits(body, hash: row.intOrNull(1)),
                let header = body.withUnsafeBytes({ try? EventHeader.peeked($0) })
            else { return true }
            base = header.base.n.rawValue
            return false
        }
        return base
    }
}
