import Testing

import MacrologEngine
import MacrologTestSupport

/// Goal: devices that failed together do not come back together, and none waits for ever.
/// Method: many draws for each number of failures, from one seed.
@Suite struct BackoffTests {
    private static func waits(failures: Int, atLeast minimum: Int64 = 0) -> [Int64] {
        var dice = Dice(seed: UInt64(failures))
        return (0..<2_000).map { _ in
            Backoff.delay(failures: failures, atLeast: minimum, random: &dice)
        }
    }

    @Test(arguments: [0, 1, 2, 3, 5, 6, 7, 30, 64, 1_000_000, Int.max])
    func `a wait lies between nothing and a bound that doubles up to its ceiling`(failures: Int)
        throws
    {
        let doublings = min(max(failures, 1) - 1, 5)
        let bound = min(Backoff.base << Int64(doublings), Backoff.ceiling)
        let waits = Self.waits(failures: failures)
        #expect(waits.allSatisfy { (0...bound).contains($0) })
        // Spread over all of it: no quarter holds much more or less than a quarter of them.
        for quarter in 0..<4 as Range<Int64> {
            let part = bound * quarter / 4...bound * (quarter + 1) / 4
            #expect((400...600).contains(waits.count { part.contains($0) }), "quarter \(quarter)")
        }
    }

    @Test func `what the server asks for is waited in full, and the spread comes on top`() throws {
        let waits = Self.waits(failures: 3, atLeast: 60_000)
        #expect(waits.allSatisfy { (60_000...62_000).contains($0) })
        #expect(Set(waits).count > 500)
    }
}
