/// The result of a recovery.
package struct RecoveryResult: Hashable, Sendable {
    /// How many rows were replaced or put back.
    package var rows: Int64 = 0
    /// The number of the first of them.
    package var first: Int64 = 0
    /// The number of the last of them.
    package var last: Int64 = 0
    /// How many stored digests were wrong although their rows were right.
    package var digests: Int64 = 0
    /// How many sealed events the server got back.
    package var given: Int64 = 0
    /// The last number up to which this log and the server's are equal, where this log is sound and
    /// the server's continues differently; `nil` where both are one log.
    package var fork: Int64?
    /// Whether this log follows another log of the server from now on.
    package var isMoved = false

    /// A recovery that changed nothing.
    package init() {}

    /// Whether damage in this file was repaired.
    package var hasRepaired: Bool { rows > 0 || digests > 0 }
}
