/// Recovery: restores the events that a log has lost, with the same seals, at its end only.
import MacrologEvents
import MacrologSQLite

extension SQLiteHubStore {
    package func heal(_ heal: Heal, then done: @escaping Done<HealOutcome>) {
        change({ db, overlay in try Healing(heal, &db, &overlay).run(&db, &overlay) }, then: done)
    }
}

/// One step of recovery inside the writer's transaction.
private struct Healing {
    let heal: Heal
    let before: SpaceHead

    init(_ heal: Heal, _ db: inout Connection, _ overlay: inout LogOverlay) throws(SQLiteError) {
        self.heal = heal
        if let head = overlay.space(heal.space) {
            before = head
        } else {
            before = try db.head(of: heal.space)
        }
    }

    func run(_ db: inout Connection, _ overlay: inout LogOverlay) throws(SQLiteError) -> HealOutcome
    {
        let agreed = try agreed(&db)
        guard !heal.rows.isEmpty, agreed == before.n, agreed == heal.marks.last?.n ?? .zero else {
            return .compared(head: before.n, agreed: agreed)
        }
        // Validates everything before the first write.
        guard let sealed = try sealed(&db, &overlay) else { return .contradiction }
        let fitting = heal.quota.fitting(
            heal.rows.lazy.map(\.body.count), besides: before.n, try db.eventBytes(of: heal.space))
        guard fitting == heal.rows.count else { return .overQuota }
        var (head, own) = (before, [DeviceKey: DeviceHead]())
        for (row, after) in zip(heal.rows, sealed) {
            let dot = row.header.dot
            let place = try Place.of(heal.space, after.n)
            try db.run(
                """
                INSERT INTO event (place, space, t, t_max, device, seq, hash, digest, body)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, place, heal.space, row.t.rawValue, after.t.rawValue,
                dot.device.bytes, dot.seq.rawValue, SHA256.bytes(row.hash), after.digest.bytes,
                row.body)
            try db.note(row.mentions, in: heal.space, place: place, now: heal.now)
            own[DeviceKey(space: heal.space, device: dot.device)] =
                DeviceHead(seq: dot.seq, t: row.t, base: row.header.base.n)
            head = after
        }
        try db.addEventBytes(heal.rows.reduce(0) { $0 + $1.body.count }, to: heal.space)
        overlay.set(head, of: heal.space)
        for (key, device) in own { overlay.set(device, of: key) }
        return .compared(head: head.n, agreed: head.n)
    }

    /// The greatest mark that this log has too; 0 for none.
    private func agreed(_ db: inout Connection) throws(SQLiteError) -> LogNumber {
        for mark in heal.marks.reversed() where mark.n <= before.n {
            let ours: PrefixDigest?
            if mark.n == before.n {
                ours = before.digest
            } else {
                ours = try db.first(
                    "SELECT digest FROM event WHERE place = ?",
                    try Place.of(heal.space, mark.n)
                ) { $0.digest(0) }
            }
            if ours == mark.digest { return mark.n }
        }
        return .zero
    }

    /// The head of the log after each row; `nil` if no server can have sealed these rows this way.
    private func sealed(
        _ db: inout Connection, _ overlay: inout LogOverlay
    ) throws(SQLiteError) -> [SpaceHead]? {
        var heads = [before]
        heads.reserveCapacity(heal.rows.count + 1)
        var devices: [Identifier: DeviceHead] = [:]
        for row in heal.rows {
            var head = heads[heads.count - 1]
            let (dot, base) = (row.header.dot, row.header.base.n)
            let device: DeviceHead
            if let known = devices[dot.device] {
                device = known
            } else {
                let key = DeviceKey(space: heal.space, device: dot.device)
                if let known = overlay.device(key) {
                    device = known
                } else {
                    device = try db.head(of: key)
                }
            }
            guard dot.seq == device.seq.successor(), base >= device.base, base <= head.n,
                head.n < Place.numberMax, let n = head.n.successor(),
                let given = base.distance(from: before.n)
            else { return nil }
            let seen =
                given < 0
                ? try db.greatestTime(heal.space, upTo: base) : heads[Int(given)].t
            guard row.t > max(seen, device.t), row.t.milliseconds <= Sealing.latest else {
                return nil
            }
            head.n = n
            head.t = max(head.t, row.t)
            head.digest.add(hash: row.hash, seal: Seal(n: head.n, t: row.t))
            devices[dot.device] = DeviceHead(seq: dot.seq, t: row.t, base: base)
            heads.append(head)
        }
        guard heads[heads.count - 1].digest == heal.digest else { return nil }
        return Array(heads.dropFirst())
    }
}
