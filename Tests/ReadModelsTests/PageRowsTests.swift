import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import Testing

/// Goal: a page's rows, which are written together, end as if they were written one by one.
/// Method: pages of more rows than a statement inserts, into files that hold some of them already.
@Suite struct PageRowsTests {
    private let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private func meal(_ low: UInt64) -> Identifier {
        Identifier(high: 0x0190_0000_0000_7000, low: low)
    }

    private func add(_ low: UInt64, to device: Device) throws {
        let fields: ValueMap = [
            "local_date": LocalDate(day: day).value, "consumed": true, "dish_name": "Oats",
            "energy": .int(Int64(low) * 1_000),
        ]
        try device.record("meal.added", .meal, meal(low), [.set(fields)])
    }

    /// The phone has taken 40 events of the laptop. It loses the seals from the 21st on, and some events.
    @Test(arguments: [21...40, 21...21, 30...34, 37...37, 21...36] as [ClosedRange<Int64>])
    func `a page is taken though some of its events are held, one of them damaged`(
        held: ClosedRange<Int64>
    ) throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("b", isOnDisk: true), try Device("a"))
        for index in 1...40 as ClosedRange<UInt64> { try add(index, to: laptop) }
        try laptop.sync(&server)
        try phone.sync(&server)
        try phone.unlock()
        try phone.store.db.run(
            """
            DELETE FROM event WHERE dot IN (
                SELECT dot FROM seal WHERE n > 20 AND n NOT BETWEEN ? AND ?)
            """, held.lowerBound, held.upperBound)
        try phone.store.db.run(
            """
            UPDATE event SET body = CAST(x'A0' || substr(body, 2) AS BLOB)
            WHERE dot = (SELECT dot FROM seal WHERE n = ?)
            """, held.upperBound)
        try phone.store.db.run("DELETE FROM seal WHERE n > 20")
        try phone.reopen()
        #expect(phone.store.log.cursor == 20)
        try add(41, to: laptop)
        for device in [laptop, phone] { try device.sync(&server) }
        #expect(phone.store.log.digest == server.prefixes.last)
        try phone.store.rebuild()
        #expect(try phone.store.stateHash() == laptop.store.stateHash())
        #expect(try phone.store.latest(100).count == 41)
    }

    @Test func `a page seals more own events than are read at once`() throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("b"), try Device("a"))
        for index in 1...200 as ClosedRange<UInt64> {
            try add(index, to: phone)
            if index.isMultiple(of: 3) { try add(1_000 + index, to: laptop) }
        }
        try laptop.sync(&server)
        try phone.sync(&server)
        try laptop.sync(&server)
        #expect(phone.store.log.sealedSeq == 200)
        #expect(phone.store.log.digest == server.prefixes.last)
        #expect(try phone.store.stateHash() == laptop.store.stateHash())
    }

    @Test(arguments: [1, 63, 64, 65, 130] as [Int64])
    func `no other event is sealed in the place of an own one that is missing`(seq: Int64) throws {
        var server = SyncServer()
        let phone = try Device("b")
        for index in 1...140 as ClosedRange<UInt64> { try add(index, to: phone) }
        let request = try phone.store.syncRequest(eventsMax: 500, admitted: 0, now: phone.reading)
        let answer = try server.exchange(request)
        try phone.unlock()
        try phone.store.db.run("DELETE FROM event WHERE dot & 0xFFFFFFFFFF = ?", seq)
        let error = #expect(throws: LogError.self) { try phone.store.apply(answer) }
        #expect(error?.code == .rolledBack(seq: seq))
        #expect(phone.store.log.cursor == 0)
    }

    /// An unsealed write is shown as the latest. Its seal says that it was recorded before the other's.
    @Test func `a seal by which another write wins changes what is shown`() throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("b"), try Device("a"))
        try add(400, to: laptop)
        for device in [laptop, phone] { try device.sync(&server) }
        try phone.record("meal.edited", .meal, meal(400), [.set(["energy": 500_000])])
        laptop.reading.wall += 60_000
        laptop.reading.monotonic += 60_000
        try laptop.record("meal.edited", .meal, meal(400), [.set(["energy": 600_000])])
        try laptop.sync(&server)
        // The answer to its push is lost; what the laptop recorded comes first.
        phone.reading.wall += 120_000
        phone.reading.monotonic += 120_000
        server.now = phone.reading.wall
        let request = try phone.store.syncRequest(eventsMax: 500, admitted: 0, now: phone.reading)
        _ = try server.exchange(request)
        for energy in [500_000, 600_000] as [Int64] {
            let page = try phone.store.syncRequest(
                eventsMax: 1, pushMax: 0, admitted: 0, now: phone.reading)
            try phone.store.apply(try server.exchange(page))
            #expect(try phone.store.summary(of: day, today: day).totals[.energy] == energy)
        }
        #expect(try phone.store.conflicts().count == 1)
    }
}
