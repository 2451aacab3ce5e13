import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import Testing

/// Goal: an event that no one else has yet is sent as it was recorded or not at all, whatever a disk
/// makes of it; what is damaged is set aside with its bytes, said, and in no one's way.
/// Method: the row of such an event is edited by hand, bit by bit and wholly.
@Suite struct WaitingEventTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest
    let next = Identifier(high: 0xA, low: 0x1000)

    private func meal(_ index: Int) -> Identifier {
        Identifier(high: 0x0190_0000_0000_7000, low: UInt64(index))
    }

    private func add(_ index: Int, to device: Device) throws {
        try device.record(
            "meal.added", .meal, meal(index),
            [
                .set([
                    "local_date": LocalDate(day: day).value, "consumed": true,
                    "meal_type": "lunch", "dish_name": "Oats",
                    "energy": .int(Int64(index) * 1_000),
                ])
            ])
    }

    /// A device that has recorded one meal, and no one else has it.
    private func waiting() throws -> (phone: Device, body: [UInt8], hash: Int64) {
        let phone = try Device("b")
        try add(1, to: phone)
        try phone.unlock()
        let row = try phone.store.db.first("SELECT body, hash FROM event") {
            (body: $0.bytes(0), hash: $0.int(1))
        }
        let (body, hash) = try #require(row)
        return (phone, body, hash)
    }

    /// What a device would send now.
    private func outgoing(_ phone: Device) throws -> [[UInt8]] {
        try phone.store.syncRequest(eventsMax: 500, admitted: 0, now: phone.reading).pushed
            .map(\.body)
    }

    /// Whether the bytes stay in the file.
    private func isKept(_ body: [UInt8], by phone: Device) throws -> Bool {
        try phone.store.db.first("SELECT 1 FROM event WHERE body = ?", body) { _ in true } ?? false
    }

    @Test
    func `an event that waits and of which any bit has flipped is not sent, and that is said`()
        throws
    {
        let (phone, body, hash) = try waiting()
        func expectDamage(_ what: String) throws {
            #expect(throws: LogError(.altered(seq: 1)), "\(what)") { try outgoing(phone) }
            let found = try phone.store.log.verifyUnsealed(in: &phone.store.db)
            #expect(found.unreadableCount == 1 && found.isInTheWay, "\(what)")
        }
        for place in body.indices {
            for bit in 0..<8 where place < 16 || bit == place % 8 {
                var spoiled = body
                spoiled[place] ^= 1 << UInt8(bit)
                try phone.store.db.run("UPDATE event SET body = ?", spoiled)
                try expectDamage("bit \(bit) of byte \(place)")
            }
        }
        try phone.store.db.run("UPDATE event SET body = ?", body)
        for bit in 0..<64 {
            try phone.store.db.run("UPDATE event SET hash = ?", hash ^ 1 << Int64(bit))
            try expectDamage("bit \(bit) of the hash")
        }
        try phone.store.db.run("UPDATE event SET hash = ?", hash)
        #expect(try outgoing(phone) == [body])
        #expect(try !phone.store.log.verifyUnsealed(in: &phone.store.db).isInTheWay)
    }

    @Test
    func `an event of which a bit has flipped is set aside with its bytes, and syncing continues`()
        throws
    {
        // The first byte of an event, one bit off, is that of a skeleton.
        for place in 0..<40 {
            var server = SyncServer()
            let (phone, body, _) = try waiting()
            try add(2, to: phone)
            var spoiled = body
            spoiled[place] ^= 1
            try phone.store.db.run("UPDATE event SET body = ? WHERE body = ?", spoiled, body)
            #expect(try phone.look(next: next).lost == 1)
            #expect(try phone.look(next: next).lost == 0)
            try phone.sync(&server)
            #expect(server.rows.map(\.dot.device) == [next])
            #expect(try phone.store.meal(meal(1)) == nil)
            #expect(try phone.store.meal(meal(2)) != nil)
            #expect(try isKept(spoiled, by: phone))
            let state = try phone.store.stateHash()
            try phone.store.rebuild()
            #expect(try phone.store.stateHash() == state)
        }
    }

    @Test func `that events are set aside is remembered in the same transaction, or they are not`()
        throws
    {
        let noRoom = LogError(.file(SQLiteError.number("room")))
        let (phone, body, _) = try waiting()
        var spoiled = body
        spoiled[20] ^= 1
        try phone.store.db.run("UPDATE event SET body = ?", spoiled)
        var verification = Verification()
        #expect(throws: noRoom) {
            try phone.store.verify(&verification, next: next) { _, _ throws(LogError) in
                throw noRoom
            }
        }
        #expect(try phone.store.log.verifyUnsealed(in: &phone.store.db).unreadableCount == 1)
        var told: [Int64] = []
        for _ in 0..<2 {
            verification = Verification()
            try phone.store.verify(&verification, next: next) { lost, _ in told.append(lost) }
        }
        #expect(told == [1])
    }

    @Test func `what is folded again is what was recorded or nothing, whatever bit has flipped`()
        throws
    {
        let (phone, body, _) = try waiting()
        let name = try #require(body.firstRange(of: Array("Oats".utf8)))
        for place in [name.lowerBound, name.upperBound - 1] {
            var spoiled = body
            spoiled[place] ^= 1
            try phone.store.db.run("UPDATE event SET body = ?", spoiled)
            try phone.store.rebuild()
            #expect(try phone.store.meal(meal(1)) == nil)
        }
        try phone.store.db.run("UPDATE event SET body = ?", body)
        try phone.store.rebuild()
        #expect(try phone.store.meal(meal(1)) != nil)
    }

    @Test
    func `an event that is damaged while its answer is on its way comes back from the server`()
        throws
    {
        for spoiled in ["bit", "body"] {
            var server = SyncServer()
            let (phone, body, _) = try waiting()
            try add(2, to: phone)
            let request = try phone.store.syncRequest(
                eventsMax: 500, admitted: 0, now: phone.reading)
            let answer = try server.exchange(request)
            var other = spoiled == "bit" ? body : [0]
            if spoiled == "bit" { other[8] ^= 1 }
            try phone.store.db.run("UPDATE event SET body = ? WHERE body = ?", other, body)
            #expect(throws: LogError(.rolledBack(seq: 1))) { try phone.store.apply(answer) }
            try phone.store.beginRotation(to: next)
            try phone.sync(&server)
            #expect(phone.store.log.device == next)
            #expect(try phone.store.meal(meal(1)) != nil)
            #expect(try phone.store.meal(meal(2)) != nil)
            // The second was reissued, and counts once.
            #expect(try phone.store.latest(.max).count == 2)
            #expect(try phone.look(next: next).lost == 1)
            #expect(try isKept(other, by: phone))
        }
    }

    @Test func `an event that waits and of which a word was changed is not sent, and that is said`()
        throws
    {
        var server = SyncServer()
        let (phone, body, _) = try waiting()
        try add(2, to: phone)
        var spoiled = body
        let name = try #require(body.firstRange(of: Array("Oats".utf8)))
        spoiled.replaceSubrange(name, with: "Eggs".utf8)
        try phone.store.db.run("UPDATE event SET body = ? WHERE body = ?", spoiled, body)
        #expect(throws: LogError(.altered(seq: 1))) { try outgoing(phone) }
        let found = try phone.look(next: next)
        #expect(found.lost == 1)
        try phone.sync(&server)
        #expect(phone.store.log.device == next)
        #expect(server.rows.count == 1)
        #expect(try phone.store.meal(meal(1)) == nil)
        #expect(try phone.store.meal(meal(2)) != nil)
        #expect(try isKept(spoiled, by: phone))
    }

    /// What is done between the damage and the sync of a device that is to rotate its ID.
    static let leaving = ["recording", "looking"]

    @Test(arguments: leaving)
    func `a device that rotates its ID leaves what it can't read, and continues`(
        first: String
    ) throws {
        var server = SyncServer()
        let (phone, body, _) = try waiting()
        try add(2, to: phone)
        try phone.store.db.run("UPDATE event SET body = x'00' WHERE body = ?", body)
        try phone.store.beginRotation(to: next)
        if first == "recording" { try add(3, to: phone) }
        #expect(try phone.look(next: next).lost == 1)
        #expect(try phone.look(next: next).lost == 0)
        if first == "looking" { try add(3, to: phone) }
        try phone.sync(&server)
        #expect(server.rows.count == 2)
        #expect(try phone.look(next: next).lost == 0)
        #expect(try phone.store.meal(meal(1)) == nil)
        #expect(try phone.store.meal(meal(2)) != nil)
        #expect(try phone.store.meal(meal(3)) != nil)
    }

    @Test func `a device that rotates its ID does not reissue what has a flipped bit`()
        throws
    {
        // The first byte of an event, one bit off, is that of a skeleton.
        for place in 0..<8 {
            var server = SyncServer()
            let (phone, body, _) = try waiting()
            try add(2, to: phone)
            var spoiled = body
            spoiled[place] ^= 1
            try phone.store.db.run("UPDATE event SET body = ? WHERE body = ?", spoiled, body)
            try phone.store.beginRotation(to: next)
            try phone.sync(&server)
            #expect(server.rows.map(\.dot.device) == [next])
            #expect(try phone.store.meal(meal(1)) == nil)
            #expect(try phone.store.meal(meal(2)) != nil)
            try phone.store.rebuild()
            let found = try phone.look(next: next)
            #expect(found.lost == 1 && found.refolded == 0)
            #expect(try isKept(spoiled, by: phone))
        }
    }

    @Test func `what no longer counts and can't be read is not in the way`() throws {
        for spoiled in [[0x00], [0xA7, 0x00]] as [[UInt8]] {
            var server = SyncServer()
            let phone = try Device("b", isOnDisk: true)
            for index in 1...3 {
                try add(index, to: phone)
            }
            try phone.unlock()
            try phone.store.db.run("INSERT INTO void (dot) SELECT min(dot) + 1 FROM event")
            try phone.store.db.run(
                "UPDATE event SET body = ? WHERE dot = (SELECT dot FROM void)", spoiled)
            try phone.reopen()
            try phone.store.rebuild()
            #expect(try phone.look(next: next).lost == 0)
            try phone.sync(&server)
            #expect(server.rows.count == 2)
            #expect(try phone.store.meal(meal(2)) == nil)
            #expect(try phone.store.meal(meal(3)) != nil)
        }
    }

    @Test func `what the next event says to have seen is not read from a flipped bit`() throws {
        var server = SyncServer()
        let phone = try Device("b", isOnDisk: true)
        try add(1, to: phone)
        try phone.sync(&server)
        try phone.unlock()
        for place in 0..<60 {
            try phone.record("meal.edited", .meal, meal(1), [.set(["energy": .int(Int64(place))])])
            let last = try phone.store.db.first("SELECT dot, body FROM event ORDER BY dot DESC") {
                (dot: $0.int(0), body: $0.bytes(1))
            }
            var (dot, body) = try #require(last)
            body[place] ^= 8
            try phone.store.db.run("UPDATE event SET body = ? WHERE dot = ?", body, dot)
            try phone.reopen()
        }
        try phone.record("meal.edited", .meal, meal(1), [.set(["energy": .int(60)])])
        #expect(try phone.store.latest(1).allSatisfy { $0.event.base.n == 1 })
        #expect(try phone.look(next: next).lost == 60)
        try phone.sync(&server)
        #expect(server.rows.count == 2)
    }

    @Test func `an event says no less than the last sound one before a damaged one`() throws {
        var server = SyncServer()
        let phone = try Device("b", isOnDisk: true)
        for index in 1...3 { try add(index, to: phone) }
        try phone.sync(&server)
        for index in 4...5 { try add(index, to: phone) }
        try phone.unlock()
        // The disk loses the last seal, and a bit of the last event.
        try phone.store.db.run("DELETE FROM seal WHERE n = 3")
        try phone.store.db.run(
            "UPDATE event SET hash = hash + 1 WHERE dot = (SELECT max(dot) FROM event)")
        try phone.reopen()
        #expect(phone.store.log.cursor == 2)
        try add(6, to: phone)
        #expect(try phone.store.latest(1).map(\.event.base.n.rawValue) == [3])
    }
}
