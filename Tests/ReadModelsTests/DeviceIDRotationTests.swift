import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import Testing

/// Goal: a device that rotates its ID loses nothing and doubles nothing, whatever other device has what it
/// had not seen sealed.
/// Method: two stores of one name that record the same are what a copied file is.
@Suite struct DeviceIDRotationTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest
    let next = Identifier(high: 0xB, low: 1)

    func meal(_ low: UInt64) -> Identifier { Identifier(high: 0x0190_0000_0000_7000, low: low) }

    func add(_ low: UInt64, to device: Device, energy: Int64 = 400_000) throws {
        try device.record(
            "meal.added", .meal, meal(low),
            [
                .set([
                    "local_date": LocalDate(day: day).value, "consumed": true,
                    "dish_name": "Oats", "energy": .int(energy),
                ])
            ])
    }

    func expectEqual(_ devices: Device..., events: Int, energy: Int64) throws {
        for device in devices {
            #expect(device.store.log.unsealedCount == 0)
            #expect(device.store.log.digest == devices[0].store.log.digest)
            #expect(try device.store.stateHash() == devices[0].store.stateHash())
            #expect(try device.store.latest(100).count == events)
            #expect(try device.store.summary(of: day, today: day).totals[.energy] == energy)
            #expect(try device.store.conflicts().isEmpty)
            let before = try device.store.stateHash()
            try device.store.rebuild()
            #expect(try device.store.stateHash() == before)
        }
    }

    @Test func `what was unsealed is reissued, in order, with nothing lost`() throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a"), try Device("b"))
        try add(1, to: phone)
        try phone.sync(&server)
        try laptop.sync(&server)
        try add(2, to: phone)
        try phone.record("meal.edited", .meal, meal(1), [.set(["energy": 100_000])])
        try phone.record("meal.deleted", .meal, meal(2), [.delete])
        let before = try phone.store.summary(of: day, today: day)
        try phone.store.beginRotation(to: next)
        #expect(try phone.store.summary(of: day, today: day) == before)
        try add(3, to: phone)
        #expect(phone.store.log.device == next)
        #expect(phone.store.log.lastSeq == 4)
        let types = try phone.store.latest(4).map(\.event.type)
        #expect(types == ["meal.added", "meal.deleted", "meal.edited", "meal.added"])
        #expect(try phone.store.latest(4).allSatisfy { $0.event.base.n == 1 })
        try phone.sync(&server)
        try laptop.sync(&server)
        try expectEqual(phone, laptop, events: 5, energy: 500_000)
        #expect(try laptop.store.devices().contains(next))
    }

    @Test func `what the server has is taken from it and not reissued`() throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a"), try Device("b"))
        try add(1, to: phone)
        try add(2, to: phone)
        // The server admits both, and its answer is lost.
        _ = try server.exchange(
            phone.store.syncRequest(eventsMax: 500, admitted: 0, now: phone.reading))
        try add(3, to: phone)
        try phone.store.beginRotation(to: next)
        let request = try phone.store.syncRequest(eventsMax: 1, admitted: 0, now: phone.reading)
        #expect(request.pushed.isEmpty)
        #expect(request.device == next)
        try phone.sync(&server, eventsMax: 1)
        #expect(server.rows.map(\.dot.seq.rawValue) == [1, 2, 1])
        #expect(server.rows[2].dot.device == next)
        try laptop.sync(&server)
        try expectEqual(phone, laptop, events: 3, energy: 1_200_000)
    }

    @Test(arguments: [true, false])
    func `of an event and its copy under another name the first sealed counts`(
        copyFirst: Bool
    ) throws {
        var server = SyncServer()
        let (phone, copy, laptop) = (try Device("a"), try Device("a"), try Device("b"))
        for device in [phone, copy] {
            try add(1, to: device)
            try device.record("meal.edited", .meal, meal(1), [.set(["energy": 300_000])])
        }
        try copy.store.beginRotation(to: next)
        try add(2, to: copy)
        try add(3, to: phone)
        for device in copyFirst ? [copy, laptop, phone] : [phone, laptop, copy] {
            try device.sync(&server)
        }
        for device in [phone, copy, laptop] { try device.sync(&server) }
        #expect(server.rows.count == 6)
        try expectEqual(phone, copy, laptop, events: 4, energy: 1_100_000)
        // Both may go on.
        try add(4, to: phone)
        try add(5, to: copy)
        // To another device all of them come in one page.
        let tablet = try Device("c")
        for device in [phone, copy, phone, laptop, tablet] { try device.sync(&server) }
        try expectEqual(phone, copy, laptop, tablet, events: 6, energy: 1_900_000)
    }

    @Test func `other events under the same numbers are the copy's own`() throws {
        var server = SyncServer()
        let (phone, copy) = (try Device("a"), try Device("a"))
        try add(1, to: phone)
        try add(2, to: copy, energy: 200_000)
        try phone.sync(&server)
        // The server answers a push of it with dot_reuse; the device then leaves.
        try copy.store.beginRotation(to: next)
        try copy.sync(&server)
        try phone.sync(&server)
        try expectEqual(phone, copy, events: 2, energy: 600_000)
        let first = Dot(device: phone.store.log.device, seq: 1)
        #expect(try copy.store.event(first) == phone.store.event(first))
    }

    @Test func `a device that has nothing unsealed takes its next name at once`() throws {
        var server = SyncServer()
        let phone = try Device("a")
        try add(1, to: phone)
        try phone.sync(&server)
        try phone.store.beginRotation(to: next)
        #expect(phone.store.log.device == next)
        try add(2, to: phone)
        try phone.sync(&server)
        try expectEqual(phone, events: 2, energy: 800_000)
    }

    @Test func `a later step of the schema runs on a log with events, and its guards stay`() throws
    {
        var db = try LogConnection.inMemory()
        try db.migrate(EventLog.migrations)
        try db.run("INSERT INTO device (id) VALUES (?)", next)
        try db.run("INSERT INTO event (dot, body) VALUES (1 << 40 | 1, x'00')")
        try db.run("INSERT INTO replica (one, device, epoch) VALUES (1, 1, 0)")
        let later = Migration(name: "later", "ALTER TABLE event ADD COLUMN later INTEGER")
        try db.migrate(EventLog.migrations + [later])
        #expect(try db.first("PRAGMA foreign_key_check") { _ in true } == nil)
        let log = try EventLog.open(in: &db, newDevice: meal(1))
        #expect(log.device == next)
        #expect(log.lastSeq == 1)
        #expect(throws: LogError.self) { try db.run("DELETE FROM device") }
        #expect(throws: LogError.self) { try db.run("DELETE FROM event") }
        // This program does not know that step, so it refuses the file.
        let error = #expect(throws: LogError.self) { try db.migrate(EventLog.migrations) }
        #expect(error?.sqlite?.code == .newer(migration: "later"))
    }

    @Test func `a name that is refused a reservation records nothing`() throws {
        let refused = LogError(.notReserved(reason: "the disk is full"))
        let phone = try Device("a")
        phone.store.reserve = { _, _, _ throws(LogError) in throw refused }
        #expect(throws: refused) { try add(1, to: phone) }
        #expect(phone.store.log.lastSeq == 0)
    }

    /// Records an event with texts of 64,000 bytes and another one.
    ///
    /// - Returns: How many bytes it has.
    private func record(rest: Int, on device: Device) throws -> Int {
        let text = Value.text(UTF8Text(String(repeating: "x", count: 16_000)))
        let rest = Value.text(UTF8Text(String(repeating: "x", count: rest)))
        try device.record(
            "note", .meal, meal(1),
            [.set(["a": text, "b": text, "c": text, "d": text, "e": rest])])
        return try #require(try device.store.latest(1).first).event.encoded().count
    }

    /// The text with which ``record(rest:on:)`` makes the largest event.
    private func largestRest() throws -> Int {
        1_000 + Limits.eventBytesMax - (try record(rest: 1_000, on: Device("c")))
    }

    @Test func `an event too large to say its first name is reissued without it`() throws {
        var server = SyncServer()
        let phone = try Device("a")
        #expect(try record(rest: largestRest(), on: phone) == Limits.eventBytesMax)
        try phone.store.beginRotation(to: next)
        try phone.sync(&server)
        #expect(server.rows.count == 1)
        #expect(try phone.store.latest(1).first?.event.reissuedFrom == nil)
    }

    @Test func `what is left under an old ID is counted no more`() throws {
        var server = SyncServer()
        let phone = try Device("a")
        try add(1, to: phone)
        try phone.store.beginRotation(to: next)
        try phone.sync(&server)
        let log = phone.store.log
        #expect(try log.devices(in: &phone.store.db) == [next])
        #expect(try log.eventCount(in: &phone.store.db) == 1)
    }

    @Test func `an event too large for the number of a new epoch is reissued in its own`() throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a"), try Device("b"))
        for index: UInt64 in 2...3 { try add(index, to: phone) }
        try phone.sync(&server)
        #expect(try record(rest: largestRest(), on: phone) == Limits.eventBytesMax)
        // The epoch takes five bytes instead of one.
        var other = server.restored(to: 1, epoch: 4_000_000_000)
        try add(4, to: laptop)
        try laptop.sync(&other)
        #expect(try phone.recover(from: &other, as: next).fork == 1)
        for device in [phone, laptop, phone] { try device.sync(&other) }
        for device in [phone, laptop] {
            #expect(device.store.log.unsealedCount == 0)
            let notes = try device.store.latest(10).filter { $0.event.type == "note" }
            #expect(notes.map { $0.event.encoded().count } == [Limits.eventBytesMax])
            #expect(notes.first?.seal != nil)
        }
        #expect(phone.store.log.digest == laptop.store.log.digest)
        #expect(try phone.store.stateHash() == laptop.store.stateHash())
    }
}
