package import MacrologEvents
import MacrologWire
import MacrologSQLite

/// The readings of a device's clocks at one moment. The owner of the clocks passes them in.
package struct ClockSample: Hashable, Sendable {
    /// The wall clock, in milliseconds since 1970 UTC. It may be wrong, and may jump.
    package var wall: Int64
    /// A clock in milliseconds that never goes back and keeps running while the device sleeps.
    package var monotonic: Int64
    /// Identifies the boot of the operating system within which ``monotonic`` readings can be
    /// compared.
    package var boot: Identifier

    /// Collects the readings.
    package init(wall: Int64, monotonic: Int64, boot: Identifier) {
        self.wall = wall
        self.monotonic = monotonic
        self.boot = boot
    }

    /// Milliseconds from an earlier reading to this one, never negative: by the monotonic clock
    /// while the system has not restarted, otherwise by the wall clock.
    package func milliseconds(since earlier: ClockSample) -> Int64 {
        max(0, boot == earlier.boot ? monotonic &- earlier.monotonic : wall &- earlier.wall)
    }
}

/// The difference between the wall clock and the monotonic clock from one event on. It gives an
/// event's age without trusting the wall clock.
package struct ClockSegment: Hashable, Sendable {
    /// The first own event that it holds for.
    package let seq: Int64
    let boot: Identifier
    /// Wall minus monotonic, in milliseconds.
    let offset: Int64

    /// A smaller drift is the slewing of a clock that keeps good time.
    static let driftMax: Int64 = 100

    func holds(for reading: ClockSample) -> Bool {
        boot == reading.boot
            && (reading.wall &- reading.monotonic &- offset).magnitude <= UInt64(Self.driftMax)
    }

    /// Milliseconds since the recording, at `wall`, of an event that this segment holds for.
    ///
    /// - Parameter serverNow: The server's clock, as far as it is known.
    func age(of wall: Int64, now: ClockSample, serverNow: Int64?) -> Int64 {
        if boot == Self.serverBoot { return (serverNow ?? now.wall) &- (wall &- offset) }
        return boot == now.boot ? now.monotonic &- (wall &- offset) : now.wall &- wall
    }
}

extension ClockSegment {
    /// For an event that has lost its seal: its age follows from the time that the server had given
    /// it, on the server's clock, whatever its author's clock was (`protocol.md` §6.7).
    package init(seq: Int64, wall: Int64, sealedAt t: Int64) {
        self.init(seq: seq, boot: Self.serverBoot, offset: wall &- t >> 16)
    }

    /// Only the wall clock is known.
    package static let unknown = ClockSegment(
        seq: 0, boot: Identifier(high: .max, low: 0), offset: 0)

    /// Takes the place of a boot: the server's clock is compared.
    private static let serverBoot = Identifier(high: .max, low: .max)
}

extension EventLog {
    /// The segments that give the ages of unsealed events, in order.
    package func clockSegments(in db: inout LogConnection) throws(LogError) -> [ClockSegment] {
        try db.all("SELECT seq, boot, offset FROM clock ORDER BY seq") {
            ClockSegment(seq: $0.int(0), boot: $0.identifier(1), offset: $0.int(2))
        }
    }

    func store(_ segment: ClockSegment, in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction)
        try db.run(
            "INSERT OR REPLACE INTO clock (seq, boot, offset) VALUES (?, ?, ?)", segment.seq,
            segment.boot, segment.offset)
    }

    /// Keeps the sealed times of own events that are about to lose their seals; an event that was
    /// never sealed keeps the age that its own clock gives.
    func keepTimes(after n: Int64, in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction)
        let own = try db.all(
            """
            SELECT event.dot, t, body FROM seal JOIN event ON event.dot = seal.dot
            WHERE n > ? AND seal.dot >> 40 = ?
            """, n, deviceKey
        ) { row in
            (
                seq: row.dotNumber(0).seq, t: row.int(1),
                wall: row.withBytes(2) { (try? EventHeader.peeked($0))?.wall }
            )
        }
        guard !own.isEmpty else { return }
        if lastSeq > sealedSeq {
            let first = sealedSeq + 1
            let known = try clockSegments(in: &db).last { $0.seq <= first } ?? .unknown
            try store(
                ClockSegment(seq: first, boot: known.boot, offset: known.offset), in: &db)
        }
        for event in own {
            guard let wall = event.wall else { continue }
            try store(ClockSegment(seq: event.seq, wall: wall, sealedAt: event.t), in: &db)
        }
    }
}
