import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologTestSupport
import Testing

/// Goal: each entry is in the day it says, once, on every device and in whatever order it came.
/// Method: stores in memory that record, receive in shuffled order, and fold again; one entity of each
/// kind that the tables know.
@Suite struct DayTableTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest
    var next: Day { day.advanced(by: 1) }

    private func id(_ low: UInt64) -> Identifier {
        Identifier(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | low)
    }

    private func water(_ low: UInt64, _ day: Day, at time: Int64? = nil) -> Water {
        Water(id: id(low), on: LocalDate(day: day, occurredAt: time), microliters: 250_000)
    }

    private func add(_ entity: some Entity, to device: Device) throws {
        try device.record("added", type(of: entity).kind, entity.id, [.set(entity.fields)])
    }

    private func expectTheSameWhenRefolded(_ device: Device) throws {
        let hash = try device.store.stateHash()
        try device.store.rebuild()
        #expect(try device.store.stateHash() == hash)
    }

    @Test func `an entry is in its day at once, by time, and in no other`() throws {
        let phone = try Device("a")
        try add(water(1, day, at: 2_000), to: phone)
        try add(water(2, day, at: 1_000), to: phone)
        try add(water(3, day), to: phone)
        try add(water(4, next), to: phone)
        #expect(
            try phone.store.entities(Water.self, on: day...day).map(\.id) == [id(3), id(2), id(1)])
        #expect(try phone.store.entities(Water.self, on: day...next).count == 4)
        #expect(try phone.store.entities(Ketone.self, on: day...next).isEmpty)
        try expectTheSameWhenRefolded(phone)
    }

    @Test func `every kind that has a day is found by it, and the others in their list`() throws {
        let phone = try Device("a")
        let date = LocalDate(day: day)
        let ketone = Ketone(id: id(1), on: date, micromoles: 700)
        let fat = BodyFat(id: id(2), on: date, basisPoints: 1_850)
        let waist = BodyMeasure(id: id(3), on: date, of: .waist, millimeters: 840)
        let run = ActivityEntry(id: id(4), on: date, name: "Run")
        let counted = EnergyDay(on: day, source: "watch")
        let checkIn = CheckIn(on: day)
        let plan = PlanEntry(id: id(5), on: date)
        let fast = Fast(id: id(6), startedAt: day.number * 86_400_000)
        let reminder = Reminder(id: id(7), of: .water, atMinute: 600)
        let betaine = CustomNutrient(try #require(Nutrient(key: "x:betaine")), name: "Betaine")
        let batch = ImportBatch(id: id(8), fields: ["kind": "csv"])
        try add(ketone, to: phone)
        try add(fat, to: phone)
        try add(waist, to: phone)
        try add(run, to: phone)
        try add(counted, to: phone)
        try add(checkIn, to: phone)
        try add(plan, to: phone)
        try add(fast, to: phone)
        try add(reminder, to: phone)
        try add(betaine, to: phone)
        try add(try #require(batch), to: phone)
        let span = day...day
        #expect(try phone.store.entities(Ketone.self, on: span) == [ketone])
        #expect(try phone.store.entities(BodyFat.self, on: span) == [fat])
        #expect(try phone.store.entities(BodyMeasure.self, on: span) == [waist])
        #expect(try phone.store.entities(ActivityEntry.self, on: span) == [run])
        #expect(try phone.store.entities(EnergyDay.self, on: span) == [counted])
        #expect(try phone.store.entities(CheckIn.self, on: span) == [checkIn])
        #expect(try phone.store.entities(PlanEntry.self, on: span) == [plan])
        #expect(try phone.store.entities(Fast.self, on: span) == [fast])
        #expect(try phone.store.entities(Reminder.self) == [reminder])
        #expect(try phone.store.entities(CustomNutrient.self) == [betaine])
        #expect(try phone.store.entities(ImportBatch.self) == [batch])
        #expect(try phone.store.entities(Recommendation.self).isEmpty)
        #expect(try phone.store.dayDigests().map(\.day) == [day])
        try expectTheSameWhenRefolded(phone)
    }

    @Test func `only the check-in with the id of its day counts`() throws {
        let phone = try Device("a")
        let checkIn = CheckIn(on: day)
        try phone.record("added", CheckIn.kind, id(1), [.set(checkIn.fields)])
        #expect(try phone.store.entities(CheckIn.self, on: day...day).isEmpty)
        try add(checkIn, to: phone)
        #expect(try phone.store.entities(CheckIn.self, on: day...day) == [checkIn])
        try expectTheSameWhenRefolded(phone)
    }

    @Test func `an entry that is moved, deleted and restored goes from its day and comes back`()
        throws
    {
        let phone = try Device("a")
        try add(water(1, day), to: phone)
        let moved = LocalDate(day: next).value
        try phone.record("water.edited", .water, id(1), [.set(["local_date": moved])])
        #expect(try phone.store.entities(Water.self, on: day...day).isEmpty)
        #expect(try phone.store.entities(Water.self, on: next...next).count == 1)
        try phone.record("water.deleted", .water, id(1), [.delete])
        #expect(try phone.store.entities(Water.self, on: day...next).isEmpty)
        try expectTheSameWhenRefolded(phone)
        try phone.record("water.restored", .water, id(1), [.restore])
        #expect(try phone.store.entities(Water.self, on: next...next).count == 1)
        try expectTheSameWhenRefolded(phone)
    }

    @Test func `a list forgets what is deleted, and learns what is restored`() throws {
        let phone = try Device("a")
        try add(Reminder(id: id(1), of: .water, atMinute: 600), to: phone)
        try phone.record("reminder.deleted", .reminder, id(1), [.delete])
        #expect(try phone.store.entities(Reminder.self).isEmpty)
        try phone.record("reminder.restored", .reminder, id(1), [.restore])
        #expect(try phone.store.entities(Reminder.self).count == 1)
        try expectTheSameWhenRefolded(phone)
    }

    @Test func `a day beyond the calendar is quarantined, and the entry is in none until repaired`()
        throws
    {
        let phone = try Device("a")
        try add(water(1, day), to: phone)
        let broken: Value = [9_999_999, .null, .null, .null]
        try phone.record("water.edited", .water, id(1), [.set(["local_date": broken])])
        #expect(try phone.store.quarantine().map(\.field) == ["local_date"])
        #expect(try phone.store.entities(Water.self, on: .earliest ... .latest).isEmpty)
        try expectTheSameWhenRefolded(phone)
        let repaired = LocalDate(day: day).value
        try phone.record("water.edited", .water, id(1), [.set(["local_date": repaired])])
        #expect(try phone.store.entities(Water.self, on: day...day).count == 1)
        try expectTheSameWhenRefolded(phone)
    }

    @Test func `a fast is listed on the day that the clock on the wall showed when it began`()
        throws
    {
        let phone = try Device("a")
        // 23:30 in UTC is 01:30 of the next day in Helsinki, and 18:30 in New York.
        let start = day.number * 86_400_000 + 23 * 3_600_000 + 1_800_000
        try add(Fast(id: id(1), startedAt: start, offsetMinutes: 120), to: phone)
        try add(Fast(id: id(2), startedAt: start, offsetMinutes: -300), to: phone)
        try add(Fast(id: id(3), startedAt: start), to: phone)
        #expect(try phone.store.entities(Fast.self, on: day...day).map(\.id) == [id(2), id(3)])
        #expect(try phone.store.entities(Fast.self, on: next...next).map(\.id) == [id(1)])
        try phone.record("fast.edited", .fast, id(1), [.set(["offset_min": 841])])
        #expect(try phone.store.entities(Fast.self, on: day...day).count == 3)
        try expectTheSameWhenRefolded(phone)
    }

    /// Three devices write, move, delete and restore apart; a fourth gets their events as one log.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `whatever the order in which entries are told, devices agree on the days`(seed: UInt64)
        throws
    {
        var dice = Dice(seed: seed)
        func below(_ limit: Int) -> UInt64 { UInt64(dice.below(limit)) }
        var server = SyncServer()
        let devices = [try Device("a"), try Device("b"), try Device("c")]
        for low in 1...6 as ClosedRange<UInt64> { try add(water(low, day), to: devices[0]) }
        try add(Fast(id: id(9), startedAt: day.number * 86_400_000), to: devices[0])
        for device in devices { try device.sync(&server) }
        for _ in 0..<60 {
            let device = devices[Int(below(3))]
            let target = id(1 + below(6))
            switch below(6) {
            case 0: try device.record("water.deleted", .water, target, [.delete])
            case 1: try device.record("water.restored", .water, target, [.restore])
            case 2:
                try device.record(
                    "fast.edited", .fast, id(9),
                    [.set(["offset_min": .int(Int64(below(1_600)) - 800)])])
            case 3: try device.sync(&server, eventsMax: 1 + Int(below(7)))
            default:
                let moved = day.advanced(by: Int(below(5)))
                try device.record(
                    "water.edited", .water, target,
                    [.set(["local_date": LocalDate(day: moved).value])])
            }
        }
        for device in devices + devices { try device.sync(&server) }
        let late = try Device("d")
        try late.sync(&server, eventsMax: 3)
        let hash = try late.store.stateHash()
        for device in devices {
            #expect(try device.store.stateHash() == hash, "seed \(seed)")
            try device.store.rebuild()
            #expect(try device.store.stateHash() == hash, "seed \(seed)")
        }
        let span = day...day.advanced(by: 5)
        let shown = try late.store.entities(Water.self, on: span)
        for low in 1...6 as ClosedRange<UInt64> {
            let entity = try late.store.entity(Water.self, id(low))
            #expect(
                shown.filter { $0.id == id(low) } == (entity.map { [$0] } ?? []), "seed \(seed)")
        }
    }
}
