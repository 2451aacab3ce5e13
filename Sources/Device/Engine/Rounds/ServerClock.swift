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
    package static let notableMilliseconds: Int64 = 120_000
}

/// The server's clock, and this device's clocks at the same moment.
struct ServerClock: Hashable, Sendable {
    /// Milliseconds since 1970 UTC.
    let server: Int64
    let reading: ClockSample

    /// From an answer to a request: the server read its clock at some moment between the two.
    ///
    /// - Parameter sent: This device's clocks before the request was sent.
    init(server: Int64, between sent: ClockSample, and received: ClockSample) {
        self.server = server
        guard sent.boot == received.boot else {
            reading = received
            return
        }
        let half = (received.monotonic &- sent.monotonic) / 2
        reading = ClockSample(
            wall: received.wall &- half, monotonic: received.monotonic &- half, boot: received.boot)
    }

    private init(server: Int64, reading: ClockSample) {
        self.server = server
        self.reading = reading
    }

    /// The difference now. A clock that was set since, without a restart of the system, is noticed
    /// without asking the server again.
    func comparison(now: ClockSample) -> ClockComparison {
        guard now.boot == reading.boot else {
            return ClockComparison(lead: reading.wall &- server)
        }
        return ClockComparison(lead: now.wall &- server &- (now.monotonic &- reading.monotonic))
    }

    /// The server's clock now.
    func now(at now: ClockSample) -> Int64 {
        server
            &+ (now.boot == reading.boot
                ? now.monotonic &- reading.monotonic : now.wall &- reading.wall)
    }

    func remember(in db: inout LogConnection) throws(LogError) {
        try db.run(
            "UPDATE sync_state SET server_at = ?, server_sample = ?", server, reading.notation)
    }

    static func remembered(in db: inout LogConnection) throws(LogError) -> ServerClock? {
        let stored = try db.first("SELECT server_at, server_sample FROM sync_state") {
            (server: $0.intOrNull(0), sample: $0.textOrNull(1))
        }
        guard let server = stored?.server,
            let reading = stored?.sample.flatMap({ ClockSample(notation: $0) })
        else { return nil }
        return ServerClock(server: server, reading: reading)
    }
}
