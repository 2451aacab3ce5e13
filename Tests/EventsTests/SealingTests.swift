import MacrologEvents
import Testing

/// Goal: no clock, however wrong, can put an event before what it had seen, or into the future.
/// Method: random histories whose devices state wild ages to a server whose own clock jumps.
@Suite struct SealingTests {
    static let ages: [Int64] = [
        .min, .min + 1, -1 << 47, -5 * 365 * 86_400_000, -1, 0, 1, 5_000, 86_400_000, 1 << 41,
        1 << 47, .max - 1, .max,
    ]

    @Test(arguments: ages)
    func `any age is sealed neither in the future nor before the floor`(age: Int64) {
        for now in [Int64.min, -1, 0, 1, 1_790_000_000_000, 1 << 46, .max] {
            for floor in [0, 1, 1_790_000_000_000 << 16, 1 << 62, .max - 1] as [Int64] {
                let t = Sealing.time(age: age, now: now, floor: floor)
                #expect(t > floor)
                #expect(t == floor + 1 || t >> 16 <= min(max(now, 0), 1 << 46))
            }
            #expect(Sealing.time(age: age, now: now, floor: .max) == .max, "no trap")
        }
    }

    @Test func `a right clock is believed, an early one held at now, an age before 1970 at 0`() {
        let now: Int64 = 1_790_000_000_000
        #expect(Sealing.time(age: 5_000, now: now, floor: 0) == (now - 5_000) << 16)
        #expect(Sealing.time(age: -5_000, now: now, floor: 0) == now << 16)
        #expect(Sealing.time(age: .min, now: now, floor: 0) == now << 16)
        #expect(Sealing.time(age: .max, now: now, floor: 0) == 1)
        #expect(Sealing.time(age: 5_000, now: now, floor: now << 16) == now << 16 + 1)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `the sealed time extends causality and grows on each device`(seed: UInt64) throws {
        var world = ServerHistory(seed: seed, clocks: .wild)
        for _ in 0..<200 { world.step() }
        world.converge()
        for later in world.rows {
            for earlier in world.rows where earlier.seen(by: later) {
                try #require(earlier.seal.t < later.seal.t, "seed \(seed)")
            }
        }
    }

    /// Greater times than the server's clock come from counting on above what an event had seen.
    @Test(arguments: 0..<30 as Range<UInt64>)
    func `with a server whose clock is steady nothing is sealed later than its now`(seed: UInt64) {
        var world = ServerHistory(seed: seed, clocks: .wildButSteadyServer)
        for _ in 0..<200 { world.step() }
        world.converge()
        for row in world.rows {
            #expect(row.seal.milliseconds <= row.now, "seed \(seed)")
        }
    }
}
