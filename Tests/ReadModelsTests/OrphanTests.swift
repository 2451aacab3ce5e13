import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import Testing

/// Goal: events of others that wait to be reissued are what was sealed, or are said to be lost.
/// Method: a laptop's events on a phone, a server that is put back, and a tablet that continued there;
/// the phone's disk changes what it holds, before the fork is found or after it.
@Suite struct OrphanTests {
    private let meal = Identifier(high: 0x0190_0000_0000_7000, low: 1)

    private final class Names {
        private var count: UInt64 = 0
        func next() -> Identifier {
            count += 1
            return Identifier(high: 0xB, low: count)
        }
    }

    private struct World {
        var server = SyncServer()
        let phone: Device
        let laptop: Device
        let tablet: Device
        let names = Names()

        init() throws {
            (phone, laptop, tablet) = (try Device("a"), try Device("b"), try Device("c"))
        }
    }

    /// Three edits of the laptop, which the phone holds, too; then the server loses all of it,
    /// and the tablet continues there.
    private func world(_ change: (Device) throws -> Void = { _ in }) throws -> World {
        var world = try World()
        for energy in [1, 2, 3] as [Int64] {
            try world.laptop.record(
                "meal.edited", .meal, meal,
                [.set(["dish_name": "Oats", "energy": .int(energy)])])
            try world.laptop.sync(&world.server)
        }
        try world.phone.sync(&world.server)
        try change(world.phone)
        world.server = world.server.restored(to: 0, epoch: 8)
        try world.tablet.record("meal.edited", .meal, meal, [.set(["note": "went on otherwise"])])
        try world.tablet.sync(&world.server)
        return world
    }

    private func flip(_ seq: Int64, on phone: Device) throws {
        try phone.unlock()
        let sql: StaticString = "SELECT body FROM event WHERE dot & 0xFFFFFFFFFF = ?"
        var body = try #require(try phone.store.db.first(sql, seq) { $0.bytes(0) })
        let name = try #require(body.firstRange(of: Array("Oats".utf8)))
        body[name.lowerBound] ^= 1
        _ = try StoredEvent.decoded(body)
        try phone.store.db.run(
            "UPDATE event SET body = ? WHERE dot & 0xFFFFFFFFFF = ?", body, seq)
    }

    /// How often the server holds an edit of the energy, by its value.
    private func energies(_ server: SyncServer) throws -> [Int64] {
        try server.rows.compactMap { row in
            guard case .whole(let event) = try StoredEvent.decoded(row.body),
                case .set(let fields)? = event.changes.first?.operations.first
            else { return nil }
            return fields.entries.first { $0.name == "energy" }?.value.int
        }
    }

    private func expectEqual(_ devices: Device...) throws {
        for device in devices {
            #expect(device.store.log.orphans == 0 && device.store.log.unsealedCount == 0)
            #expect(try device.store.stateHash() == devices[0].store.stateHash())
        }
    }

    @Test func `what is altered while it waits is not reissued, and is reported`() throws {
        var world = try world()
        // The phone has gone back to the fork, and reissues its own first.
        try world.phone.record("meal.edited", .meal, meal, [.set(["comment": "own"])])
        try world.phone.recover(&world.server) { world.names.next() }
        #expect(world.phone.store.log.orphans == 3)
        try flip(2, on: world.phone)
        try world.phone.store.beginRotation(to: world.names.next())
        try world.phone.sync(&world.server)
        #expect(try energies(world.server) == [1, 3])
        #expect(try world.phone.look(next: world.names.next()).lost == 1)
        #expect(try world.phone.look(next: world.names.next()).lost == 0)
        // Its author has it.
        try world.laptop.recoverAndSync(&world.server) { world.names.next() }
        for device in [world.phone, world.tablet] { try device.sync(&world.server) }
        #expect(try Set(energies(world.server)) == [1, 2, 3])
        try expectEqual(world.phone, world.laptop, world.tablet)
    }

    @Test func `what was damaged before the fork was found does not wait, and is reported`() throws
    {
        var world = try world { try flip(1, on: $0) }
        try world.phone.recoverAndSync(&world.server) { world.names.next() }
        #expect(try energies(world.server) == [2, 3])
        #expect(try world.phone.look(next: world.names.next()).lost == 1)
        try world.laptop.recoverAndSync(&world.server) { world.names.next() }
        for device in [world.phone, world.tablet] { try device.sync(&world.server) }
        try expectEqual(world.phone, world.laptop, world.tablet)
    }

    @Test(arguments: 1...2 as ClosedRange<Int64>)
    func `a damaged digest loses no event`(n: Int64) throws {
        var world = try world { phone in
            try phone.unlock()
            try phone.store.db.run("UPDATE seal SET digest = zeroblob(16) WHERE n = ?", n)
        }
        try world.phone.recoverAndSync(&world.server) { world.names.next() }
        #expect(try energies(world.server) == [1, 2, 3])
        #expect(try world.phone.look(next: world.names.next()).lost == 0)
    }

    @Test func `a row that is missing does not keep a rotation busy for ever`() throws {
        var world = try world { phone in
            try phone.unlock()
            try phone.store.db.run("DELETE FROM event WHERE dot & 0xFFFFFFFFFF = 3")
        }
        try world.phone.recoverAndSync(&world.server) { world.names.next() }
        #expect(try energies(world.server) == [1, 2])
        #expect(try world.phone.look(next: world.names.next()).lost == 1)
    }

    @Test func `what the server lost after a damaged row is reissued, and that row is reported`()
        throws
    {
        var world = try World()
        for energy in [1, 2, 3, 4] as [Int64] {
            try world.laptop.record(
                "meal.edited", .meal, meal,
                [.set(["dish_name": "Oats", "energy": .int(energy)])])
            try world.laptop.sync(&world.server)
        }
        try world.phone.sync(&world.server)
        let rows = world.server.rows
        try flip(3, on: world.phone)
        // The server's log is a beginning of the phone's, and the phone can't give all of the rest back.
        world.server = world.server.restored(to: 1, epoch: 8)
        let done = try world.phone.recover(from: &world.server, as: world.names.next())
        #expect(done.given == 1 && done.fork == 2)
        #expect(world.server.rows.map(\.body) == rows.prefix(2).map(\.body))
        try world.phone.sync(&world.server)
        while world.phone.store.log.owesOrphans {
            try world.phone.store.beginRotation(to: world.names.next())
            try world.phone.sync(&world.server)
        }
        #expect(try energies(world.server) == [1, 2, 4])
        #expect(try world.phone.look(next: world.names.next()).lost == 1)
        try world.laptop.recoverAndSync(&world.server) { world.names.next() }
        try world.phone.sync(&world.server)
        #expect(try Set(energies(world.server)) == [1, 2, 3, 4])
        try expectEqual(world.phone, world.laptop)
    }

    /// Three faults at once: the payload of an event is given up, because another overwrote it; the
    /// server loses both; and the disk changes the other.
    @Test(arguments: [false, true])
    func `compacted here, lost by the server, and what overwrote it damaged: reported`(
        isAuthorBack: Bool
    ) throws {
        var world = try world { phone in
            let cutoff = try phone.store.newestSeal() + 1
            #expect(try phone.store.compact(before: cutoff).events == 2)
            try flip(3, on: phone)
        }
        try world.phone.recoverAndSync(&world.server) { world.names.next() }
        #expect(try energies(world.server) == [])
        #expect(try world.phone.look(next: world.names.next()).lost == 1)
        if isAuthorBack {
            // It holds all three whole.
            try world.laptop.recoverAndSync(&world.server) { world.names.next() }
            #expect(try energies(world.server) == [1, 2, 3])
            try world.phone.sync(&world.server)
        }
        try world.tablet.sync(&world.server)
        for device in [world.phone, world.tablet] {
            #expect(try device.store.stateHash() == world.tablet.store.stateHash())
            let before = try device.store.stateHash()
            try device.store.rebuild()
            #expect(try device.store.stateHash() == before)
        }
    }
}
