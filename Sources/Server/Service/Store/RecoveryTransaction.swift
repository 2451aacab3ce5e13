/// Recovery: restores the events that a log has lost, with the same seals, at its end only.
import MacrologEvents
import MacrologWire

extension SQLServerStore {
    package func recover(_ recover: Recover, then done: @escaping Done<RecoveryOutcome>) {
        let cipher: AccountCipher
        do throws(StoreError) { cipher = try atRest.cipher(of: recover.space) } catch {
            return done(.failure(error))
        }
        change(
            .events(recover.rows.count, of: recover.space),
            { db, overlay in
                try RecoveryTransaction(recover, cipher, &db, &overlay).run(&db, &overlay)
            }, then: done)
    }
}

/// One step of recovery inside the writer's transaction.
private struct RecoveryTransaction {
    let recover: Recover
    let cipher: AccountCipher
    let before: SpaceHead

    init<Database: SQLDatabase & ~Copyable>(
        _ recover: Recover, _ cipher: AccountCipher, _ db: inout Database,
        _ overlay: inout LogOverlay
    ) throws(Database.Failure) {
        self.recover = recover
        self.cipher = cipher
        if let head = overlay.space(recover.space) {
            before = head
        } else {
            before = try db.head(of: recover.space)
        }
    }

    func run<Database: SQLDatabase & ~Copyable>(
        _ db: inout Database, _ overlay: inout LogOverlay
    ) throws(Database.Failure) -> RecoveryOutcome {
        guard recover.after == before.n else { return .ended(before) }
        // Validates everything before the first write.
        guard let sealed = try sealed(&db, &overlay) else { return .contradiction }
        let fitting = recover.quota.fitting(
            recover.rows.lazy.map(\.body.count), besides: before.n,
            try db.eventBytes(of: recover.space))
        let firsts = recover.rows.count { $0.header.dot.seq.rawValue == 1 }
        guard fitting == recover.rows.count,
            try db.hasRoom(for: firsts, in: recover.quota, of: recover.space)
        else { return .overQuota }
        var (head, own) = (before, [DeviceKey: DeviceHead]())
        var added: [NewEvent] = []
        added.reserveCapacity(recover.rows.count)
        for (row, after) in zip(recover.rows, sealed) {
            let dot = row.header.dot
            let place = try db.place(recover.space, after.n)
            added.append(
                NewEvent(
                    place: place, t: row.t, greatest: after.t, device: dot.device.bytes,
                    seq: dot.seq, hash: SHA256.bytes(row.hash), digest: after.digest.bytes,
                    stored: cipher.stored(row.body, at: place), bytes: row.body.count,
                    mentions: row.mentions))
            own[DeviceKey(space: recover.space, device: dot.device)] =
                DeviceHead(seq: dot.seq, t: row.t, base: row.header.base.n)
            head = after
        }
        try db.add(added, to: recover.space, now: recover.now, &overlay)
        overlay.set(head, of: recover.space)
        for (key, device) in own { overlay.set(device, of: key) }
        return .ended(head)
    }

    /// The head of the log after each row; `nil` if no server can have sealed these rows this way.
    private func sealed<Database: SQLDatabase & ~Copyable>(
        _ db: inout Database, _ overlay: inout LogOverlay
    ) throws(Database.Failure) -> [SpaceHead]? {
        var heads = [before]
        heads.reserveCapacity(recover.rows.count + 1)
        var devices: [Identifier: DeviceHead] = [:]
        for row in recover.rows {
            var head = heads[heads.count - 1]
            let (dot, base) = (row.header.dot, row.header.base.n)
            let device: DeviceHead
            if let known = devices[dot.device] {
                device = known
            } else {
                let key = DeviceKey(space: recover.space, device: dot.device)
                if let known = overlay.device(key) {
                    device = known
                } else {
                    device = try db.head(of: key, cipher)
                }
            }
            guard dot.seq == device.seq.successor(), base >= device.base, base <= head.n,
                head.n < Place.numberMax, let n = head.n.successor(),
                let given = base.distance(from: before.n)
            else { return nil }
            let seen =
                given < 0
                ? try db.greatestTime(recover.space, upTo: base) : heads[Int(given)].t
            guard row.t > max(seen, device.t), row.t.milliseconds <= Sealing.latest else {
                return nil
            }
            head.n = n
            head.t = max(head.t, row.t)
            head.digest.add(hash: row.hash, seal: Seal(n: head.n, t: row.t))
            devices[dot.device] = DeviceHead(seq: dot.seq, t: row.t, base: base)
            heads.append(head)
        }
        guard heads[heads.count - 1].digest == recover.digest else { return nil }
        return Array(heads.dropFirst())
    }
}
