/// How long to wait after consecutive failures: full jitter, so that devices that failed together
/// do not return together (M. Brooker, "Exponential Backoff And Jitter", 2015).
package enum Backoff {
    /// The upper bound after the first failure, in milliseconds.
    package static let base: Int64 = 500
    /// The upper bound after many, in milliseconds. Small enough that a device is in sync within
    /// 30 seconds of the network's return.
    package static let ceiling: Int64 = 16_000

    /// Milliseconds to wait before attempt number `failures` + 1.
    package static func delay(
        failures: Int, atLeast minimum: Int64, random: inout some RandomNumberGenerator
    ) -> Int64 {
        let bound = min(ceiling, base << Int64(min(max(failures - 1, 0), 10)))
        let jitter = Int64.random(in: 0...bound, using: &random)
        return minimum > 0 ? minimum + jitter : jitter
    }
}
