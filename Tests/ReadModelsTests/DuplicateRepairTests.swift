import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import Testing

/// Goal: of events with the same content the first sealed counts on every device, whichever of their
/// rows a disk damages, and whenever.
/// Method: devices and a small server; rows are damaged by hand between the arrival of an event and
/// that of its duplicate, repaired, and compared with a device that no one touched.
@Suite struct DuplicateRepairTests {
    private let day = Day(year: 2026, month: 11, day: 20) ?? .earliest
    private let next = Identifier(high: 0xB, low: 1)

    /// Damage to the sealed event with the number 1.
    enum Damage: CaseIterable {
        case noSeal, noEvent, neither, anotherDish

        func strike(_ device: Device, n: Int64 = 1) throws {
            let row = try #require(
                try device.store.db.first(
                    "SELECT event.dot, body FROM seal JOIN event ON event.dot = seal.dot WHERE n = ?",
                    n
                ) { (dot: $0.int(0), body: $0.bytes(1)) })
            if self == .anotherDish {
                var event = try Event.decoded(row.body)
                event.wall += 1
                try device.store.db.run(
                    "UPDATE event SET body = ? WHERE dot = ?", event.encoded(), row.dot)
            }
            if [.noEvent, .neither].contains(self) {
                try device.store.db.run("DELETE FROM event WHERE dot = ?", row.dot)
            }
            if [.noSeal, .neither].contains(self) {
                try device.store.db.run("DELETE FROM seal WHERE n = ?", n)
            }
            try device.reopen()
        }
    }

    private func add(_ low: UInt64, to device: Device) throws {
        try device.record(
            "meal.added", .meal, Identifier(high: 0x0190_0000_0000_7000, low: low),
            [
                .set([
                    "local_date": LocalDate(day: day).value, "consumed": true,
                    "dish_name": "Oats", "energy": 1_000,
                ])
            ])
    }

    /// One exchange, whatever waits after it.
    private func exchange(_ device: Device, _ server: inout SyncServer) throws {
        let request = try device.store.syncRequest(
            eventsMax: 500, admitted: 0, now: device.reading)
        try device.store.apply(try server.exchange(request))
    }

    private func expectRepaired(
        _ device: Device, like sound: Device, _ server: inout SyncServer, meals: Int64
    ) throws {
        for _ in 0..<2 {
            #expect(device.store.log.digest == sound.store.log.digest)
            #expect(try device.store.stateHash() == sound.store.stateHash())
            #expect(
                try device.store.summary(of: day, today: day).totals[.energy] == meals * 1_000)
            #expect(try device.store.latest(100).map(\.seal) == sound.store.latest(100).map(\.seal))
            #expect(try device.store.conflicts().isEmpty)
            #expect(try device.look(next: next).refolded == 0)
            try device.store.rebuild()
        }
    }

    /// A meal that a phone and its copy recorded; the phone's is the first sealed, and a meal of a
    /// tablet the second. The copy reissues it when it next syncs.
    private func copied(_ server: inout SyncServer) throws -> (phone: Device, copy: Device) {
        let (phone, copy) = (try Device("a", isOnDisk: true), try Device("a"))
        let tablet = try Device("t")
        for device in [phone, copy] { try add(1, to: device) }
        try phone.sync(&server)
        try add(2, to: tablet)
        try tablet.sync(&server)
        try phone.sync(&server)
        try copy.store.beginRotation(to: next)
        try add(3, to: copy)
        return (phone, copy)
    }

    @Test(arguments: [Damage.noSeal, .neither])
    func `an own event that was set aside, and that the server had, counts after a repair`(
        damage: Damage
    ) throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a", isOnDisk: true), try Device("b"))
        try phone.unlock()
        try add(1, to: phone)
        try phone.sync(&server)
        try add(2, to: phone)
        // The server admits it, its answer is lost, and the disk flips a bit.
        _ = try server.exchange(
            phone.store.syncRequest(eventsMax: 500, admitted: 0, now: phone.reading))
        try phone.store.db.run("UPDATE event SET hash = hash + 1 WHERE dot & 255 = 2")
        try add(3, to: phone)
        #expect(try phone.look(next: next).lost == 1)
        try phone.sync(&server)
        try laptop.sync(&server)
        try expectRepaired(phone, like: laptop, &server, meals: 3)
        try damage.strike(phone, n: 2)
        #expect(try phone.repair(from: server, as: next).rows == 1)
        try expectRepaired(phone, like: laptop, &server, meals: 3)
    }

    @Test(arguments: Damage.allCases)
    func `a duplicate that came while the first was damaged is void after the repair`(
        damage: Damage
    ) throws {
        var server = SyncServer()
        let (phone, copy) = try copied(&server)
        let laptop = try Device("b", isOnDisk: true)
        try laptop.sync(&server)
        try laptop.unlock()
        try damage.strike(laptop)
        for device in [copy, phone, laptop] { try device.sync(&server) }
        #expect(try !laptop.look(next: next).isSound)
        #expect(try laptop.repair(from: server, as: next).rows == 1)
        try expectRepaired(laptop, like: phone, &server, meals: 3)
    }

    @Test(arguments: ["repair", "another sync"])
    func `an own event that became void while its seal was missing counts again`(
        by way: String
    ) throws {
        var server = SyncServer()
        let (phone, copy) = try copied(&server)
        try phone.unlock()
        try Damage.noSeal.strike(phone)
        #expect(phone.store.log.unsealedCount == 1)
        try copy.sync(&server)
        try exchange(phone, &server)
        #expect(phone.store.log.isDuplicate(Dot(device: phone.store.log.device, seq: 1)))
        if way == "repair" {
            #expect(try !phone.look(next: next).isSound)
            #expect(try phone.repair(from: server, as: next).rows == 1)
        } else {
            try phone.store.db.run("DELETE FROM seal")
            try phone.reopen()
            try phone.sync(&server)
            _ = try phone.look(next: next)
        }
        let laptop = try Device("b")
        try laptop.sync(&server)
        try expectRepaired(phone, like: laptop, &server, meals: 3)
    }

    @Test(arguments: [false, true])
    func `an own event that lost its seal, was reissued and comes back counts once`(
        isSent: Bool
    ) throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a", isOnDisk: true), try Device("b"))
        try add(1, to: phone)
        try phone.sync(&server)
        try add(2, to: laptop)
        for device in [laptop, phone] { try device.sync(&server) }
        try phone.unlock()
        try Damage.noSeal.strike(phone)
        try phone.store.beginRotation(to: Identifier(high: 0xB, low: 2))
        try add(3, to: phone)
        #expect(phone.store.log.unsealedCount == 2)
        if isSent { try phone.sync(&server) }
        #expect(try phone.repair(from: server, as: next).rows == 1)
        for device in [phone, laptop] { try device.sync(&server) }
        #expect(server.rows.count == 4)
        try expectRepaired(phone, like: laptop, &server, meals: 3)
    }

    @Test func `an event counts again only where that was put aside first`() throws {
        var server = SyncServer()
        let (phone, copy) = try copied(&server)
        for device in [copy, phone] { try device.sync(&server) }
        #expect(throws: LogError.self) { try phone.store.db.run("DELETE FROM void") }
        try phone.store.db.run("INSERT INTO aside (dot) SELECT dot FROM void")
        try phone.store.db.run("DELETE FROM void")
    }
}
