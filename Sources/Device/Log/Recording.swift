package import MacrologEvents
import MacrologWire
import MacrologSQLite

extension EventLog {
    /// Records drafts as events, in order, and folds them: the events and everything derived from
    /// them become durable together.
    ///
    /// - Throws: ``LogError`` when a draft is malformed or too large, or when SQLite fails; the
    ///   caller then rolls its transaction back.
    @discardableResult
    package mutating func record(
        _ drafts: [Draft], at reading: ClockSample, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) -> [Event] {
        assert(db.isInTransaction)
        assert(nextDevice == nil, "nothing is recorded under an ID that is given up")
        assert(stale.isEmpty, "the transaction before has folded everything")
        var fold = Fold(capacity: drafts.count)
        var events: [Event] = []
        var rows: [(dot: DotNumber, end: Int)] = []
        var bodies = CBORWriter(capacity: 192 * drafts.count)
        events.reserveCapacity(drafts.count)
        rows.reserveCapacity(drafts.count)
        for draft in drafts {
            let event = try next(draft, at: reading, into: &bodies, in: &db)
            fold.add(
                event.changes, stamp: Stamp(dot: event.dot, base: event.base, seal: nil),
                refusesDeleted: draft.refusesDeleted)
            rows.append((try DotNumber(deviceKey, event.dot.seq), bodies.count))
            events.append(event)
        }
        try bodies.withBytes { bodies throws(LogError) in
            try db.insert(rows.indices, by: Self.insertion) { row, binder in
                let body = UnsafeRawBufferPointer(
                    rebasing: bodies[(row == 0 ? 0 : rows[row - 1].end)..<rows[row].end])
                rows[row].dot.bind(to: &binder)
                binder.lentBytes(body)
                RecordedHash(of: body).bind(to: &binder)
            }
        }
        try fold.flush(in: &db, keys: keys, updating: &readModels)
        try readModels.flush(in: &db)
        return events
    }

    private static let insertion = Insertion(
        "INSERT OR FAIL INTO event (dot, body, hash)", columns: 3)

    /// The next event; appends the bytes that are to be stored of it.
    private mutating func next(
        _ draft: Draft, at reading: ClockSample, into bodies: inout CBORWriter,
        in db: inout LogConnection
    ) throws(LogError) -> Event {
        var base = base
        if base.n < lastBase { base = Base(epoch: base.epoch, n: lastBase) }
        let event = Event(
            dot: Dot(device: device, seq: lastSeq + 1), base: base, wall: reading.wall,
            type: draft.type, version: draft.version, changes: draft.changes, group: draft.group)
        let before = bodies.count
        event.encode(into: &bodies)
        try draft.check(bodyBytes: bodies.count - before)
        (lastSeq, lastBase) = (event.dot.seq.rawValue, base.n.rawValue)
        if segment?.holds(for: reading) != true {
            let next = ClockSegment(
                seq: lastSeq, boot: reading.boot, offset: reading.wall &- reading.monotonic)
            try db.run(
                "INSERT INTO clock (seq, boot, offset) VALUES (?, ?, ?)", next.seq, next.boot,
                next.offset)
            segment = next
        }
        return event
    }
}
