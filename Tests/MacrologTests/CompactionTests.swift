import MacrologEvents
import Foundation
import MacrologLog
import Macrolog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import Synchronization
import Testing

/// Goal: after a compaction whatever was done since can be undone, done again and looked back at as
/// before, and what can't is refused with a reason.
/// Method: a real server over real sockets; devices whose clocks the test sets.
@Suite struct ReplicaCompactionTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest
    let meal = Identifier(high: 0x0190_0000_0000_7000, low: 1)

    func edit(_ replica: Replica, _ energy: Int64, _ note: String = "as it was") throws {
        var meal = try replica.require(Meal.self, meal)
        meal[.energy] = energy
        meal.note = note
        try replica.save(meal)
    }

    func energy(_ replica: Replica) throws -> Int64? { try replica.meal(meal)?.meal[.energy] }

    /// Drops all that can be, up to now.
    func compact(_ account: Macrolog.Account) throws {
        _ = try account.replica.withStore { store in
            try store.compact(before: store.newestSeal() + 1)
        }
    }

    /// Two devices that have synced: a meal, edited thrice, of which the last was undone.
    func begin() async throws -> (
        server: RealServer, phone: Macrolog.Account, laptop: Macrolog.Account
    ) {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let laptop = try await server.device("laptop", of: "ana@example.org")
        try phone.replica.add(
            Meal(
                id: meal, on: LocalDate(day: day), dishName: "Oats", slot: "lunch",
                nutrients: Nutrients(energy: 100_000)))
        for energy in [200_000, 300_000, 400_000] as [Int64] {
            try await phone.sync()
            try edit(phone.replica, energy)
        }
        try await phone.sync()
        try phone.replica.undo()
        for account in [phone, laptop] { try await account.sync() }
        return (server, phone, laptop)
    }

    @Test func `what was done since is undone to what was there, though that was written over`()
        async throws
    {
        let (server, phone, laptop) = try await begin()
        try compact(phone)
        #expect(try phone.replica.read { try $0.statistics() }.compactedEvents >= 2)
        #expect(try energy(phone.replica) == 300_000)
        for (account, value) in [(phone, 500_000), (laptop, 600_000)] as [(Macrolog.Account, Int64)]
        {
            try edit(account.replica, value)
            try account.replica.undo()
            #expect(try energy(account.replica) == 300_000)
            try account.replica.redo()
            #expect(try energy(account.replica) == value)
            try account.replica.undo()
            #expect(try energy(account.replica) == 300_000)
            for account in [phone, laptop, phone] { try await account.sync() }
        }
        let hashes = try [phone, laptop].map { account in
            try account.replica.withStore { try $0.stateHash(touches: false) }
        }
        #expect(hashes[0] == hashes[1])
        withExtendedLifetime(server) {}
    }

    @Test func `a photo goes with the history that named it, and stays while an entry can have it`()
        async throws
    {
        let (server, phone, _) = try await begin()
        let (replica, folder) = (phone.replica, phone.replica.blobs)
        let removed = try replica.attachPhoto(PhotoTests.png(900), to: meal).name
        let held = try replica.attachPhoto(PhotoTests.png(900, salt: 1), to: meal).name
        let unsaved = try folder.keep([1, 2, 3])
        try await phone.sync()
        try replica.removePhoto(removed, from: meal)
        // What is deleted can be restored.
        try replica.write { try $0.delete(Meal.self, meal) }
        try await phone.sync()
        func tidy() throws {
            try replica.withStore { try Replica.removeUnnamedPhotos(in: folder, &$0) }
        }
        try tidy()
        #expect(folder.bytes(of: removed) != nil && folder.bytes(of: held) != nil)
        #expect(folder.bytes(of: unsaved) == nil)
        try compact(phone)
        try tidy()
        #expect(folder.bytes(of: removed) == nil && folder.bytes(of: held) != nil)
        withExtendedLifetime(server) {}
    }

    @Test func `a value that was said again, and undone, is still what was there`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        try phone.replica.add(
            Meal(
                id: meal, on: LocalDate(day: day), dishName: "Oats", slot: "lunch",
                nutrients: Nutrients(energy: 100_000)))
        for energy in [200_000, 300_000] as [Int64] {
            try edit(phone.replica, energy)
            try await phone.sync()
        }
        // As keeping a value does, of which nothing needs to be set back.
        let again = Draft(
            "meal.edited", [Change(EntityKey("meal", meal), [.set(["energy": 300_000])])])
        _ = try phone.replica.withStore { try $0.record([again], at: DeviceClock.system.read()) }
        try phone.replica.undo()
        try await phone.sync()
        try compact(phone)
        #expect(try phone.replica.read { try $0.statistics() }.compactedEvents == 1)
        try edit(phone.replica, 500_000)
        try phone.replica.undo()
        #expect(try energy(phone.replica) == 300_000)
    }

    @Test func `another device undoes what lies before the cutoff, and all go on from there`()
        async throws
    {
        let (server, phone, laptop) = try await begin()
        // The third event of the phone wrote 300,000; the laptop has all of history.
        let third = try phone.replica.latestEvents(99).map(\.event.dot).filter { $0.seq == 3 }[0]
        try compact(phone)
        #expect(throws: HistoryError(.compacted)) { try phone.replica.undo(third) }
        try laptop.replica.undo(third)
        #expect(try energy(laptop.replica) == 200_000)
        for account in [laptop, phone] { try await account.sync() }
        #expect(try energy(phone.replica) == 200_000)
        try edit(phone.replica, 700_000)
        try phone.replica.undo()
        #expect(try energy(phone.replica) == 200_000)
        withExtendedLifetime(server) {}
    }

    @Test func `before the cutoff nothing is undone or shown, and the reason is given`()
        async throws
    {
        let (server, phone, _) = try await begin()
        let before = try phone.replica.latestEvents(99)
        try compact(phone)
        #expect(throws: HistoryError(.compacted)) { try phone.replica.undo() }
        #expect(throws: HistoryError(.compacted)) {
            try phone.replica.snapshot(asOf: .event(before[3].event.dot))
        }
        #expect(throws: HistoryError(.compacted)) { try phone.replica.snapshot(asOf: .time(0)) }
        let past = try phone.replica.snapshot(asOf: .event(before[0].event.dot))
        #expect(try energy(past) == 300_000)
        #expect(try energy(phone.replica.snapshot(asOf: .time(.max))) == 300_000)
        let history = try phone.replica.read { try $0.history(of: Meal.self, meal) }
        #expect(history.count == 5)
        #expect(history.map(\.isCompacted).contains(true) && !history[0].isCompacted)
        #expect(history.filter(\.isCompacted).allSatisfy { $0.event.type == "compacted" })
        #expect(history.map(\.clock) == before.map(\.clock).reversed())
        #expect(try phone.replica.check().isEmpty)
        withExtendedLifetime(server) {}
    }

    @Test func `thirty days are the least that is kept, counted from the newest seal`() async throws
    {
        let (server, phone, _) = try await begin()
        #expect(try phone.replica.compact(olderThanDays: 0).events == 0)
        #expect(try phone.replica.compact(olderThanDays: .max).events == 0)
        #expect(try phone.replica.compactedBefore() == nil)
        withExtendedLifetime(server) {}
    }

    @Test func `a new device that gets skeletons from a recovered server continues as the others`()
        async throws
    {
        let (server, phone, _) = try await begin()
        try compact(phone)
        let other = try RealServer()
        _ = try await other.logIn(phone.replica, "phone", of: "ana@example.org", moves: true)
        try await phone.sync()
        let tablet = try await other.device("tablet", of: "ana@example.org")
        try await tablet.sync()
        #expect(try tablet.replica.read { try $0.statistics() }.compactedEvents >= 2)
        #expect(
            try tablet.replica.compactedBefore() == phone.replica.compactedBefore())
        try edit(tablet.replica, 800_000)
        try tablet.replica.undo()
        #expect(try energy(tablet.replica) == 300_000)
        for account in [tablet, phone] { try await account.sync() }
        let hashes = try [phone, tablet].map { account in
            try account.replica.withStore { try $0.stateHash(touches: false) }
        }
        #expect(hashes[0] == hashes[1])
        withExtendedLifetime(server) {}
    }

    @Test func `where the person has set it, syncing compacts by itself, once a day`() async throws
    {
        let calendar = Calendar()
        let server = try RealServer(clock: { calendar.reading.wall })
        let replica = try Replica.open(
            at: server.folder + "/phone.db", clock: DeviceClock { calendar.reading })
        let phone = try await server.logIn(replica, "phone", of: "ana@example.org")
        func count() throws -> Int64 { try replica.read { try $0.statistics() }.compactedEvents }
        try replica.add(Meal(id: meal, on: LocalDate(day: day), dishName: "Oats", slot: "lunch"))
        for energy in [1, 2, 3] as [Int64] {
            try edit(replica, energy)
            try await phone.sync()
        }
        calendar.pass(days: 40)
        try edit(replica, 4)
        try await phone.sync()
        // No one has set anything.
        #expect(try count() == 0)
        var preferences = try replica.preferences()
        preferences.historyDays = 35
        try replica.save(preferences)
        // A clock that runs ahead drops nothing more than the server's does.
        try await phone.sync()
        #expect(try count() == 1)
        for energy in [5, 6] as [Int64] {
            try edit(replica, energy)
            try await phone.sync()
        }
        calendar.pass(days: 40)
        try edit(replica, 7)
        try await phone.sync()
        #expect(try count() > 1)
        let before = try count()
        try edit(replica, 8)
        try await phone.sync()
        #expect(try count() == before)
        #expect(try energy(replica) == 8)
    }
}

/// A clock that the test sets forward.
private final class Calendar: Sendable {
    private let now = Mutex<Int64>(1_800_000_000_000)

    var reading: ClockSample {
        let now = now.withLock { now in
            now += 1_000
            return now
        }
        return ClockSample(wall: now, monotonic: now, boot: Identifier(high: 1, low: 1))
    }

    func pass(days: Int64) { now.withLock { $0 += days * 86_400_000 } }
}
