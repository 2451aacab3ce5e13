import MacrologEvents
import MacrologLog
import MacrologSQLite

/// The difference between this device's clock and the server's. A hint for people: no event depends
/// on it.
public struct ClockComparison: Hashable, Sendable {
    /// Milliseconds that this device's clock is ahead of the server's; negative if it is late.
    public let lead: Int64

    /// Whether the difference is worth showing to a person.
    public var isNotable: Bool { lead.magnitude >= UInt64(Self.notableMilliseconds) }

    /// The least difference that is worth showing: more than a slow network can cause.
    public static let notableMilliseconds: Int64 = 120_000
}

/// The server's clock, and this device's clocks at the same moment.
struct HubClock: Hashable, Sendable {
    /// Milliseconds since 1970 UTC.
    let hub: Int64
    let reading: ClockReading

    /// From an answer to a request: the server read its clock at some moment between the two.
    ///
    /// - Parameter sent: This device's clocks before the request was sent.
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

    /// The difference now. A clock that was set since, without a restart of the system, is noticed
    /// without asking the server again.
    func comparison(now: ClockReading) -> ClockComparison {
        guard now.boot == reading.boot else {
            return ClockComparison(lead: reading.wall &- hub)
        }
        return ClockComparison(lead: now.wall &- hub &- (now.monotonic &- reading.monotonic))
    }

    /// The server's clock now.
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
