import Events
import SQLite

/// An event of this device that nobody else has, as it stands in the file, sound or not.
struct UnsealedRow {
    let dot: DotNumber
    /// The event's bytes.
    let held: [UInt8]
    /// What was recorded; `nil` where that can't be told any more.
    let recorded: (body: [UInt8], event: Event)?
    /// Whether what was recorded can be told, although a bit of the row is not as it was.
    let isFlipped: Bool

    init(_ dot: DotNumber, of device: Identifier, held: [UInt8], hash: Int64?) {
        self.dot = dot
        self.held = held
        guard let body = RecordedHash.recorded(held, hash: hash),
            let event = try? Event.decoded(body),
            event.dot == Dot(device: device, seq: dot.seq)
        else {
            (recorded, isFlipped) = (nil, false)
            return
        }
        recorded = (body, event)
        isFlipped = body != held || hash.map { !RecordedHash.isExact($0, of: body) } ?? false
    }

    /// Whether only the skeleton is held, which behind a fork may be.
    var isSkeleton: Bool { held.withUnsafeBytes { (try? Skeleton.decoded($0)) != nil } }
}

extension EventLog {
    /// Lends this device's own events that nobody else has, in order. Missing numbers are left out.
    ///
    /// - Parameter seq: Only this one.
    func forEachUnsealed(
        _ seq: Int64? = nil, in db: inout Connection, _ body: (UnsealedRow) throws -> Void
    ) throws {
        try db.forEach(
            "SELECT dot, body, hash FROM event WHERE dot BETWEEN ? AND ? ORDER BY dot",
            DotNumber(deviceKey, seq ?? sealedSeq + 1),
            seq.map { DotNumber(deviceKey, $0) } ?? .last(of: deviceKey)
        ) { row in
            try body(
                UnsealedRow(
                    row.dotNumber(0), of: device, held: row.bytes(1), hash: row.intOrNull(2)))
        }
    }

    /// The bytes of one of this device's events, as they were recorded where that can be told; `nil`
    /// when it has none of this number.
    func ownBody(_ seq: Int64, in db: inout Connection) throws -> [UInt8]? {
        try db.first("SELECT body, hash FROM event WHERE dot = ?", DotNumber(deviceKey, seq)) {
            let held = $0.bytes(0)
            return RecordedHash.recorded(held, hash: $0.intOrNull(1)) ?? held
        }
    }
}
