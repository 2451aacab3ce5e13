import MacrologService
import Testing

/// Goal: a clock of the database that is set makes no node leave, and a clock of a node that is set makes that one leave.
/// Method: comparisons as a node takes them, in milliseconds.
@Suite struct ClockDifferenceTests {
    @Test func `only what a steady clock sees change is the database's`() {
        var clock = ClockDifference()
        clock.take(100, base: 1_000)
        #expect(clock.own == 100)
        // This machine's clock is set, and set right.
        clock.take(90_100, base: 91_000)
        #expect(clock.own == 90_100)
        clock.take(100, base: 1_000)
        #expect(clock.own == 100)
        // The database's is set, and set right.
        clock.take(-90_000, base: 1_000)
        #expect(clock.own == 100 && clock.found == -90_000)
        clock.take(100, base: 1_000)
        #expect(clock.own == 100 && clock.found == 100)
        // This machine slept: its clock continues where the others are.
        clock.take(160, base: 3_600_000)
        #expect(clock.own == 160)
    }

    @Test func `a clock of the database that is brought back little by little ends as right`() {
        var clock = ClockDifference()
        clock.take(0, base: 7)
        for found in stride(from: Int64(-90_000), through: 0, by: 4_000) {
            clock.take(found, base: 7)
            #expect(min(abs(found), abs(clock.own ?? .max)) <= 60_000, "\(found)")
        }
        clock.take(0, base: 7)
        #expect(clock.own == 0)
    }

    @Test func `a clock that drifts away is this machine's`() {
        var clock = ClockDifference()
        for minute in 0...100 { clock.take(Int64(minute) * 1_000, base: 7) }
        #expect(clock.own == 100_000)
    }
}
