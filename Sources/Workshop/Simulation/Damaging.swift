import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import MacrologTestSupport

/// Disks that corrupt stored bytes while programs use them.
extension World {
    /// Applies one kind of damage to a device's disk.
    func damage(_ index: Int) throws {
        if dice.percent(faults.flippedBit) { try flipBit(index) }
        if dice.percent(faults.deletedRow) { try deleteRow(index) }
        if dice.percent(faults.editedProjection) { try editProjection(index) }
        // The row may have been the last that held an event which a restored server has lost.
        if faults.losesFiles { try writeOff(of: owners[index]) }
    }

    /// Flips a bit of a sealed event, of its seal, or of the stored digest; or of an unsealed
    /// event.
    private func flipBit(_ index: Int) throws {
        let device = devices[index]
        let log = device.store.log
        let last = log.cursor + log.unsealedCount
        guard let n = try damageable(device, through: last) else { return }
        let bit = dice.roll(0...7)
        if n > log.cursor { return try flipBit(bit, ofUnsealed: n - log.cursor, on: index) }
        switch dice.roll(0...2) {
        case 0:
            let body = try device.store.db.first(
                """
                SELECT body FROM event JOIN seal USING (dot) WHERE n = ?
                """, n
            ) { $0.bytes(0) }
            guard var body, !body.isEmpty else { return }
            body[Int(dice.roll(0...Int64(body.count - 1)))] ^= 1 << UInt8(bit)
            try device.store.db.run(
                """
                UPDATE event SET body = ?
                WHERE dot = (SELECT dot FROM seal WHERE n = ?)
                """, body, n)
        case 1:
            let t = try device.store.db.first("SELECT t FROM seal WHERE n = ?", n) { $0.int(0) }
            try device.store.db.run("UPDATE seal SET t = ? WHERE n = ?", (t ?? 0) ^ 1 << bit, n)
        default:
            let digest = try device.store.db.first("SELECT digest FROM seal WHERE n = ?", n) {
                $0.bytes(0)
            }
            guard var digest else { return }
            digest[Int(bit)] ^= 1
            try device.store.db.run("UPDATE seal SET digest = ? WHERE n = ?", digest, n)
        }
        strike("flipped bit", "a bit of \(n) flips on \(device.name)'s disk")
    }

    /// Flips a bit of one of the last events that a device has recorded, or of its stored hash. An
    /// event that the server does not have, and is not about to get, is lost; the device must
    /// report it.
    private func flipBit(_ bit: Int64, ofUnsealed last: Int64, on index: Int) throws {
        let (device, owner) = (devices[index], owners[index])
        let seq = device.store.log.lastSeq + 1 - last
        let row = try device.store.db.first(
            """
            SELECT event.dot, body, hash FROM event JOIN replica ON event.dot = device << 40 | ?
            """, seq
        ) { (dot: $0.int(0), body: $0.bytes(1), hash: $0.intOrNull(2)) }
        let dot = Dot(device: device.store.log.device, seq: seq)
        guard var row, device.spoiled[dot] == nil, let event = try? Event.decoded(row.body),
            accounts[owner].must.remove(Fact(event)) != nil
        else { return }
        accounts[owner].lost.insert(Fact(event))
        device.spoiled[dot] = Fact(event)
        let place = Int(dice.roll(0...Int64(row.body.count)))
        if place < row.body.count {
            row.body[place] ^= 1 << UInt8(bit)
        } else {
            row.hash = row.hash.map { $0 ^ 1 << bit }
        }
        try device.store.db.run(
            "UPDATE event SET body = ?, hash = ? WHERE dot = ?", row.body, row.hash, row.dot)
        strike("flipped bit", "a bit of an event that waits flips on \(device.name)'s disk")
    }

    /// Deletes a sealed event, or its seal, from a disk.
    private func deleteRow(_ index: Int) throws {
        let device = devices[index]
        guard let n = try damageable(device, through: device.store.log.cursor) else { return }
        if dice.percent(50) {
            try device.store.db.run(
                """
                DELETE FROM event
                WHERE dot = (SELECT dot FROM seal WHERE n = ?)
                """, n)
        } else {
            try device.store.db.run("DELETE FROM seal WHERE n = ?", n)
        }
        strike("deleted row", "\(n) is gone from \(device.name)'s disk")
    }

    /// Edits or deletes a row of a read model directly.
    private func editProjection(_ index: Int) throws {
        let device = devices[index]
        let edits: [StaticString] = [
            "DELETE FROM entity WHERE id = (SELECT max(id) FROM entity)",
            "DELETE FROM touch WHERE dot = (SELECT max(dot) FROM touch)",
            "UPDATE meal SET consumed = 1 - consumed",
            "DELETE FROM meal WHERE id = (SELECT min(id) FROM meal)",
            "DELETE FROM meal_item WHERE id = (SELECT max(id) FROM meal_item)",
            "UPDATE weigh_in SET grams = grams + 1",
            "INSERT OR IGNORE INTO meal SELECT day + 1, id, slot, consumed, totals FROM meal",
            "INSERT OR IGNORE INTO conflict SELECT id, kind FROM entity LIMIT 1",
            "DELETE FROM day_log",
            "DELETE FROM consumed_day",
            "INSERT OR IGNORE INTO consumed_day SELECT day + 1 FROM consumed_day",
        ]
        guard let edit = dice.pick(edits) else { return }
        try device.store.db.run(edit)
        strike("edited projection", "a person edits \(device.name)'s tables")
    }

    /// The location of an event on a device's disk, which counts as faulty from now on; `nil` if
    /// there is none.
    private func damageable(_ device: SimulatedDevice, through last: Int64) throws -> Int64? {
        guard last > 0 else { return nil }
        for sql in [
            "DROP TRIGGER IF EXISTS event_refuses_update",
            "DROP TRIGGER IF EXISTS event_refuses_delete",
            "DROP TRIGGER IF EXISTS seal_refuses_update",
            "DROP TRIGGER IF EXISTS seal_refuses_delete",
        ] as [StaticString] {
            try device.store.db.run(sql)
        }
        return dice.roll(1...last)
    }
}

extension LogError {
    /// Whether it reports that a stored row can't be read, or differs from what was recorded.
    var isDamage: Bool {
        switch code {
        case .damaged, .altered: true
        default: false
        }
    }
}
