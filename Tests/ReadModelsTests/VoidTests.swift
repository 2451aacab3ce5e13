import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import MacrologWire
import Testing

/// Goal: a table of void events that is wrong is noticed, and corrected from the seals.
/// Method: a device that holds an event and its duplicate; rows of that table are added and removed by hand.
@Suite struct VoidTests {
    private func meal(_ low: UInt64) -> Identifier {
        Identifier(high: 0x0190_0000_0000_7000, low: low)
    }

    private func add(_ low: UInt64, to device: Device) throws -> Event {
        try device.record(
            "meal.added", .meal, meal(low), [.set(["dish_name": "Oats", "energy": 300_000])])
        return try #require(try device.store.latest(1).first?.event)
    }

    /// A device with an event that a copy of it reissued before the server sealed its own, and with another.
    private func begin() throws -> Device {
        var server = SyncServer()
        let phone = try Device("a", isOnDisk: true)
        let first = try add(1, to: phone)
        let copied = first.reissued(as: Dot(device: Identifier(high: 0xC, low: 1), seq: 1))
        server.admit(copied, Seal(n: 1, t: server.now << 16))
        _ = try add(2, to: phone)
        try phone.sync(&server)
        #expect(phone.store.log.isDuplicate(first.dot))
        return phone
    }

    private func wrong(_ device: Device) throws -> Int {
        let log = device.store.log
        return try log.wrongVoids(in: &device.store.db).count
    }

    @Test func `what the table says rightly is left as it is`() throws {
        let phone = try begin()
        let before = try phone.store.stateHash()
        #expect(try wrong(phone) == 0)
        try phone.store.rebuild()
        #expect(try phone.store.stateHash() == before)
        #expect(try phone.store.latest(10).count == 2)
    }

    @Test func `a duplicate that counts is made void again`() throws {
        let phone = try begin()
        let before = try phone.store.stateHash()
        try phone.store.db.run("DROP TRIGGER void_refuses_delete")
        try phone.store.db.run("DELETE FROM void")
        try phone.reopen()
        #expect(try phone.store.latest(10).count == 3)
        #expect(try wrong(phone) == 1)
        try phone.store.rebuild()
        #expect(try wrong(phone) == 0)
        #expect(try phone.store.latest(10).count == 2)
        #expect(try phone.store.stateHash() == before)
    }

    @Test func `an event that is void for no reason counts again, also one that is yet to come`()
        throws
    {
        let phone = try begin()
        let before = try phone.store.stateHash()
        let key = try #require(
            try phone.store.db.first("SELECT device FROM replica") { $0.int(0) })
        for seq: Int64 in [2, 3] {
            try phone.store.db.run("INSERT INTO void (dot) VALUES (?)", key << 40 | seq)
        }
        try phone.reopen()
        #expect(try phone.store.latest(10).count == 1)
        #expect(try wrong(phone) == 2)
        try phone.store.rebuild()
        #expect(try wrong(phone) == 0)
        #expect(try phone.store.latest(10).count == 2)
        #expect(try phone.store.stateHash() == before)
        _ = try add(3, to: phone)
        #expect(try phone.store.latest(10).count == 3)
    }
}
