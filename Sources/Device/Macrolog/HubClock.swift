import MacrologEvents
import MacrologLog
import MacrologSQLite

/// How this device's clock stands to the server's. A hint for people: no event depends on it.
public struct ClockComparison: Hashable, Sendable {
    /// Milliseconds that this device's clock is ahead; negative for behind.
    public let lead: Int64

    /// Whether a person should hear of it.
    public var isNotable: Bool { lead.magnitude >= UInt64(Self.notableMilliseconds) }

    /// From here on a difference is worth a word: more than a slow network can make of it.
    public static let notableMilliseconds: Int64 = 120_000
}

/// What the hub's clock said, and what this device's clocks said at the same moment.
struct HubClock: Hashable, Sendable {
    /// Milliseconds since 1970 UTC.
    let hub: Int64
    let reading: ClockReading

    /// From an answer to a request: the hub looked at its clock somewhere between the two.
    ///
    /// - Parameter sent: What the clocks said before the request was sent.
    init(hub: Int64, between sent: ClockReading, and received: ClockReading) {
        self.hub = hub
        guard sent.boot == received.boot else {
            reading = received
            return
        }
        let half = (received.monotonic &- sent.monotonic) / 2
        reading = ClockReading(
            wall: received.wall &- half, monotonic: received.monotonic &- half, boot: received.boot)
    }

    private init(hub: Int64, reading: ClockReading) {
        self.hub = hub
        self.reading = reading
    }

    /// How the clock stands now. A clock that was set since, while the system ran on, is noticed
    /// without asking the hub again.
    func comparison(now: ClockReading) -> ClockComparison {
        guard now.boot == reading.boot else {
            return ClockComparison(lead: reading.wall &- hub)
        }
        return ClockComparison(lead: now.wall &- hub &- (now.monotonic &- reading.monotonic))
    }

    /// What the hub's clock says now.
    func now(at now: ClockReading) -> Int64 {
        hub
            &+ (now.boot == reading.boot
                ? now.monotonic &- reading.monotonic : now.wall &- reading.wall)
    }

    func remember(in db: inout Connection) throws {
        try Memo.set(MemoName.hubClock, "\(hub) \(reading.notation)", in: &db)
    }

    static func remembered(in db: inout Connection) throws -> HubClock? {
        guard let text = try Memo.text(MemoName.hubClock, in: &db) else { return nil }
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let hub = Int64(parts[0]),
            let reading = ClockReading(notation: parts[1])
        else { return nil }
        return HubClock(hub: hub, reading: reading)
    }
}
