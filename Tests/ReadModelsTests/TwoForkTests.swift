import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import Testing

/// Goal: a server that is put back twice loses nothing of what a device holds, and every event comes
/// back once, at the time it had (`protocol.md` §6.7).
/// Method: three devices and a small server that takes no base that goes back; it is put back to an old
/// beginning, another device continues there, and that twice.
@Suite struct TwoForkTests {
    private let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private final class Names {
        private var count: UInt64 = 0
        func next() -> Identifier {
            count += 1
            return Identifier(high: 0xB, low: count)
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

    private func expectEqual(_ devices: [Device], meals: Int64) throws {
        for device in devices {
            #expect(device.store.log.unsealedCount == 0 && device.store.log.orphans == 0)
            #expect(device.store.log.digest == devices[0].store.log.digest)
            #expect(try device.store.stateHash() == devices[0].store.stateHash())
            #expect(
                try device.store.summary(of: day, today: day).totals[.energy] == meals * 1_000)
            let before = try device.store.stateHash()
            try device.store.rebuild()
            #expect(try device.store.stateHash() == before)
        }
    }

    @Test(arguments: [2, 3, 4, 6, 8])
    func `after two forks a device's events come back under as many names as it had`(
        kept: Int
    ) throws {
        let names = Names()
        let (phone, laptop, tablet) = (try Device("a"), try Device("b"), try Device("c"))
        var first = SyncServer()
        try add(1, to: phone)
        try add(2, to: laptop)
        for device in [phone, laptop, tablet] { try device.sync(&first) }
        for low in 3...5 as ClosedRange<UInt64> {
            try add(low, to: laptop)
            try laptop.sync(&first)
            try phone.sync(&first)
            try add(low + 10, to: phone)
            try phone.sync(&first)
        }
        // The server is put back, and a device that had seen none of that continues.
        var second = first.restored(to: 2, epoch: 8)
        try add(20, to: tablet)
        try tablet.recoverAndSync(&second) { names.next() }
        try phone.recoverAndSync(&second) { names.next() }
        #expect(second.rows.count == 9)
        // More under the name that came last, and once more it is put back.
        for low in [21, 22] as [UInt64] {
            try add(low, to: phone)
            try phone.sync(&second)
        }
        var third = second.restored(to: kept, epoch: 9)
        let other = try Device("d")
        try other.sync(&third)
        try add(30, to: other)
        try other.sync(&third)
        try phone.recoverAndSync(&third) { names.next() }
        for device in [laptop, tablet] { try device.recoverAndSync(&third) { names.next() } }
        for device in [phone, laptop, tablet, other] { try device.sync(&third) }
        try expectEqual([phone, laptop, tablet, other], meals: 12)
    }

    @Test func `where a base would go back, the rest of an author waits for one more name`() throws
    {
        let names = Names()
        let (phone, laptop, tablet) = (try Device("a"), try Device("b"), try Device("c"))
        var first = SyncServer()
        for low in [1, 2] as [UInt64] { try add(low, to: tablet) }
        for device in [tablet, laptop] { try device.sync(&first) }
        try add(3, to: laptop)
        for device in [laptop, phone] { try device.sync(&first) }
        // The laptop's event, which had seen two, waits on the phone to be reissued.
        var second = first.restored(to: 2, epoch: 8)
        try add(4, to: tablet)
        try tablet.recoverAndSync(&second) { names.next() }
        try add(5, to: phone)
        try phone.recover(&second) { names.next() }
        #expect(phone.store.log.orphans == 1 && phone.store.log.unsealedCount == 0)
        // A copy of the laptop that had seen nothing records under the same name.
        let copy = try Device("b")
        try add(6, to: copy)
        let event = try #require(try copy.store.latest(1).first?.event)
        second.admit(event, Seal(n: 5, t: second.now << 16))
        try phone.sync(&second)
        // That is lost, too: of one author there is an event that has seen two, then one of nothing.
        var third = second.restored(to: 3, epoch: 9)
        try add(7, to: tablet)
        try tablet.recoverAndSync(&third) { names.next() }
        try phone.recoverAndSync(&third) { names.next() }
        try tablet.sync(&third)
        try expectEqual([phone, tablet], meals: 7)
        #expect(Set(third.rows.dropFirst(4).map(\.dot.device)).count == 3)
    }

    @Test func `what is reissued for others has the time that the server had given it`() throws {
        let names = Names()
        let (phone, laptop, tablet) = (try Device("a"), try Device("b"), try Device("c"))
        var first = SyncServer()
        // The author's clock is in 1990, and no one minds.
        laptop.reading.wall = 631_152_000_000
        try add(1, to: laptop)
        laptop.reading.monotonic += 60_000
        try laptop.sync(&first)
        // The phone's was, when it recorded; then it was set, and the phone began again.
        phone.reading.wall = 631_152_000_000
        try add(2, to: phone)
        try phone.sync(&first)
        phone.reading = ClockSample(
            wall: first.now + 5_000_000, monotonic: 10, boot: Identifier(high: 2, low: 2))
        let times = first.rows.map { $0.t >> 16 }
        #expect(times == [first.now - 60_000, first.now])
        var second = first.restored(to: 0, epoch: 8)
        second.now += 9_000_000
        try add(3, to: tablet)
        try tablet.sync(&second)
        try phone.recoverAndSync(&second) { names.next() }
        #expect(second.rows.dropFirst().map { $0.t >> 16 } == [times[1], times[0]])
        try tablet.sync(&second)
        try expectEqual([phone, tablet], meals: 3)
    }

    @Test func `what waited before the fork keeps the age that its own clock tells`() throws {
        let names = Names()
        let (phone, tablet) = (try Device("a"), try Device("c"))
        var first = SyncServer()
        try add(1, to: phone)
        try phone.sync(&first)
        phone.reading.wall += 50_000_000
        try add(2, to: phone)
        phone.reading.wall -= 900_000_000
        phone.reading.monotonic += 7_000
        var second = first.restored(to: 0, epoch: 8)
        second.now += 9_000_000
        try add(3, to: tablet)
        try tablet.sync(&second)
        try phone.recoverAndSync(&second) { names.next() }
        let times = second.rows.dropFirst().map { $0.t >> 16 }
        #expect(times == [first.rows[0].t >> 16, second.now - 7_000])
    }
}
