import Foundation

/// Waits for what another thread or process does, by looking again and again.
///
/// - Parameters:
///   - milliseconds: How long to wait; what never happens must not hold a test for ever.
///   - interval: Milliseconds between two looks.
/// - Returns: Whether it happened.
@discardableResult
package func eventually(
    within milliseconds: UInt32 = 30_000, every interval: UInt32 = 1,
    _ hasHappened: () throws -> Bool
) rethrows -> Bool {
    for _ in 0..<milliseconds / interval {
        if try hasHappened() { return true }
        usleep(interval * 1_000)
    }
    return try hasHappened()
}
