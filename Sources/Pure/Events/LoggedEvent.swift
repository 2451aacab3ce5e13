/// An event as this replica holds it, with its full vector clock.
public struct LoggedEvent: Hashable, Sendable {
    /// The event that was recorded.
    public let event: Event
    /// The seal that the server gave it; `nil` while it is unsealed.
    package let seal: Seal?
    /// How many events of each device its device had seen, itself included.
    public let clock: VectorClock
    /// Whether compaction has dropped its payload, long after other events had overwritten it.
    public let isCompacted: Bool

    /// An event that the log holds.
    package init(event: Event, seal: Seal?, clock: VectorClock, isCompacted: Bool) {
        self.event = event
        self.seal = seal
        self.clock = clock
        self.isCompacted = isCompacted
    }

    /// The number that the server gave it, 1, 2, 3 …; `nil` while it is unsealed.
    public var n: Int64? { seal?.n.rawValue }

    /// When the server sealed it, in milliseconds since 1970 UTC; `nil` while it is unsealed.
    public var sealedAt: Int64? { seal?.milliseconds }

    /// The order of the log: sealed events by number, then unsealed ones.
    public static func precedes(_ left: LoggedEvent, _ right: LoggedEvent) -> Bool {
        switch (left.seal, right.seal) {
        case (let left?, let right?): left.n < right.n
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): left.event.dot < right.event.dot
        }
    }
}
