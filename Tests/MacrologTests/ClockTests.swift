import MacrologEvents
import Foundation
import MacrologLog
import Macrolog
import Synchronization
import MacrologTestSupport
import Testing

/// Goal: a system that was restarted between recording and syncing has lost its monotonic clock, and
/// still gets a fair time, whatever its wall clock says.
/// Method: the library with clocks that the test reads out to it, and a real server on sockets.
@Suite struct ClockTests {
    static let year: Int64 = 31_557_600_000
    static let hour: Int64 = 3_600_000

    /// What the test lets the device read.
    private final class Clocks: Sendable {
        let reading = Mutex(
            ClockSample(wall: 0, monotonic: 0, boot: Identifier(high: 0, low: 0)))

        func set(_ wall: Int64, monotonic: Int64, boot: UInt64) {
            reading.withLock {
                $0 = ClockSample(
                    wall: wall, monotonic: monotonic, boot: Identifier(high: boot, low: 1))
            }
        }

        var clock: DeviceClock { DeviceClock { self.reading.withLock { $0 } } }
    }

    @Test func `a clock that is off by centuries is refused, and records nothing`() throws {
        let clocks = Clocks()
        clocks.set(40_000_000_000_000, monotonic: 1, boot: 1)
        let folder = ScratchFolder()
        defer { folder.remove() }
        let replica = try Replica.open(at: folder.file("log.db"), clock: clocks.clock)
        #expect(throws: EntryError(.noSuchTime)) { try replica.localDate() }
        #expect(throws: EntryError(.noSuchTime)) {
            try replica.logWeight(grams: 70_000, on: LocalDate(day: .latest))
        }
        #expect(try replica.withStore { $0.log.lastSeq } == 0)
        clocks.set(1_700_000_000_000, monotonic: 2, boot: 1)
        #expect(try replica.localDate().day == Day("2023-11-14"))
    }

    private func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    private func device(_ clocks: Clocks, at server: RealServer) async throws -> Macrolog.Account {
        let path = "\(server.folder)/phone.db"
        let account = Macrolog.Account(
            of: try Replica.open(at: path, clock: clocks.clock),
            session: SessionFile(path: path + ".session"))
        let email = "ana@example.org"
        try await account.register(
            email: email, password: RealServer.password, at: server.address)
        try await account.logIn(
            email: email, password: RealServer.password, at: server.address, deviceName: "phone")
        return account
    }

    private func record(_ replica: Replica) throws {
        let day = try replica.localDate().day
        try replica.logWeight(grams: 70_000, on: LocalDate(day: day))
    }

    /// Milliseconds at which each event was sealed, oldest first.
    private func times(_ replica: Replica) throws -> [Int64] {
        try replica.latestEvents(100).reversed().map { try #require($0.seal).milliseconds }
    }

    @Test(arguments: [-20 * year, -3 * hour, 0, 4 * year] as [Int64])
    func
        `an event is as old as the wall clock says, however wrong, when the system restarted since`(
            lead: Int64
        ) async throws
    {
        let server = try RealServer()
        let clocks = Clocks()
        let start = now()
        // An hour ago, in a run of the system that is over.
        clocks.set(start - Self.hour + lead, monotonic: 5_000_000, boot: 1)
        let phone = try await device(clocks, at: server)
        try record(phone.replica)
        clocks.set(start + lead, monotonic: 60_000, boot: 2)
        try record(phone.replica)
        try await phone.sync()
        let end = now()
        let sealed = try times(phone.replica)
        #expect(sealed.count == 2 && sealed[0] < sealed[1])
        #expect((start - Self.hour...end - Self.hour).contains(sealed[0]))
        #expect((start...end).contains(sealed[1]))
        let status = try phone.replica.syncStatus()
        let told = try #require(status.clock)
        // The invented clock stands still while the test runs.
        #expect((told.lead - lead).magnitude <= end - start + 1_000)
        // On a machine so slow that the test itself takes a minute, the invented clock is late.
        #expect(told.isNotable == (lead != 0) || end - start > 30_000)
    }

    /// What a clock is off by before and after.
    static let settings: [(Int64, Int64)] = [
        (-56 * year, 0), (4 * year, 0), (0, -56 * year), (0, 100 * year),
    ]

    /// No clock can tell how old the event is; it only must not be later than now.
    @Test(arguments: settings)
    func `a wall clock that was set while the system was off leads to no error and no future`(
        before: Int64, after: Int64
    ) async throws {
        let server = try RealServer()
        let clocks = Clocks()
        let start = now()
        clocks.set(start - Self.hour + before, monotonic: 5_000_000, boot: 1)
        let phone = try await device(clocks, at: server)
        try record(phone.replica)
        clocks.set(start + after, monotonic: 60_000, boot: 2)
        try record(phone.replica)
        try await phone.sync()
        try record(phone.replica)
        let done = try await phone.sync()
        #expect(done.unsealed == 0 && done.cursor == 3)
        let sealed = try times(phone.replica)
        #expect(sealed == sealed.sorted() && sealed.allSatisfy { (0...now()).contains($0) })
        // The second was recorded in this run of the system, and is fair again.
        #expect((start...now()).contains(sealed[1]))
    }

    @Test func `how long ago a sync was does not change when the clock is set`() async throws {
        let server = try RealServer()
        let clocks = Clocks()
        clocks.set(now(), monotonic: 1_000_000, boot: 1)
        let phone = try await device(clocks, at: server)
        try record(phone.replica)
        try await phone.sync()
        clocks.set(now() - 9 * Self.year, monotonic: 1_000_000 + 2 * Self.hour, boot: 1)
        let status = try phone.replica.syncStatus()
        #expect(status.sinceSuccess == 2 * Self.hour)
        #expect(status.receipts?.age == 2 * Self.hour)
        let lead = try #require(status.clock?.lead)
        // The real clock has run on meanwhile, and this one by two hours.
        #expect((lead + 9 * Self.year + 2 * Self.hour).magnitude < 600_000)
        clocks.set(now() + Self.year, monotonic: 10, boot: 2)
        #expect((try phone.replica.syncStatus().sinceSuccess ?? 0) > 360 * 24 * Self.hour)
    }
}
