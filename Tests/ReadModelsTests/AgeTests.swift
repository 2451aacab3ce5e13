import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import Testing

/// Goal: a clock that was set does no harm (`protocol.md` §5).
/// Method: one event, sent after its device's clocks have moved in every way.
@Suite struct AgeTests {
    private func age(after change: (inout ClockSample) -> Void) throws -> Int64? {
        let device = try Device("a")
        try device.record(
            "meal.added", .meal, Identifier(high: 7, low: 7), [.set(["energy": 1])])
        var now = device.reading
        change(&now)
        return try device.store.syncRequest(eventsMax: 500, admitted: 0, now: now).pushed.first?
            .age.rawValue
    }

    @Test func `within one boot an age is measured by the clock that no one sets`() throws {
        for jump in [0, 315_360_000_000, -315_360_000_000] as [Int64] {
            let age = try age {
                $0.wall += jump
                $0.monotonic += 5_000
            }
            #expect(age == 5_000)
        }
    }

    @Test func `over a restart an age is the difference on the wall`() throws {
        let age = try age {
            $0.boot = Identifier(high: 2, low: 2)
            $0.wall += 60_000
            $0.monotonic = 10
        }
        #expect(age == 60_000)
    }

    @Test func `events of one boot keep their ages whatever was set between them`() throws {
        let device = try Device("a")
        for jump in [0, 1_000_000_000, -3_000_000_000] as [Int64] {
            device.reading.wall += jump
            try device.record(
                "meal.added", .meal, Identifier(high: 7, low: 7), [.set(["energy": 1])])
        }
        var now = device.reading
        now.wall += 77_000_000
        now.monotonic += 500
        let pushed = try device.store.syncRequest(eventsMax: 500, admitted: 0, now: now).pushed
        #expect(pushed.map(\.age.rawValue) == [2_500, 1_500, 500])
    }
}
