package import MacrologEvents
import MacrologSQLite

/// What a device's clocks say at one moment. Handed in by whoever owns the clocks.
package struct ClockReading: Hashable, Sendable {
    /// The wall clock, in milliseconds since 1970 UTC. May be wrong, and may jump.
    package var wall: Int64
    /// A clock that never goes back and runs on while the device sleeps, in milliseconds.
    package var monotonic: Int64
    /// Names the run of the operating system within which ``monotonic`` readings compare.
    package var boot: Identifier

    /// Collects the readings.
    package init(wall: Int64, monotonic: Int64, boot: Identifier) {
        self.wall = wall
        self.monotonic = monotonic
        self.boot = boot
    }

    /// Milliseconds from an earlier reading to this one, never negative: by the monotonic clock
    /// while the system has not restarted, otherwise by the wall clock.
    package func milliseconds(since earlier: ClockReading) -> Int64 {
        max(0, boot == earlier.boot ? monotonic &- earlier.monotonic : wall &- earlier.wall)
    }
}

/// How the wall clock stood to the monotonic clock from one event on, so that an event's age can be
/// told without trusting the wall clock.
struct ClockSegment: Hashable, Sendable {
    /// The first own event that it holds for.
    let seq: Int64
    let boot: Identifier
    /// Wall minus monotonic, in milliseconds.
    let offset: Int64

    /// A drift below this is the slewing of a clock that keeps good time.
    static let driftMax: Int64 = 100

    func holds(for reading: ClockReading) -> Bool {
        boot == reading.boot
            && (reading.wall &- reading.monotonic &- offset).magnitude <= UInt64(Self.driftMax)
    }

    /// Milliseconds since an event that this segment holds for was recorded at `wall`.
    ///
    /// - Parameter hubNow: What the hub's clock says, as far as that is known.
    func age(of wall: Int64, now: ClockReading, hubNow: Int64?) -> Int64 {
        if boot == Self.hubBoot { return (hubNow ?? now.wall) &- (wall &- offset) }
        return boot == now.boot ? now.monotonic &- (wall &- offset) : now.wall &- wall
    }
}

extension ClockSegment {
    /// Of an event whose seal was taken back: its age is told by the time that the hub had given it,
    /// on the hub's clock, whatever the clock of its author was (`protocol.md` §6.7).
    init(seq: Int64, wall: Int64, sealedAt t: Int64) {
        self.init(seq: seq, boot: Self.hubBoot, offset: wall &- t >> 16)
    }

    /// Nothing but the wall clock tells.
    static let unknown = ClockSegment(seq: 0, boot: Identifier(high: .max, low: 0), offset: 0)

    /// In the place of a boot: what is compared is the hub's clock.
    private static let hubBoot = Identifier(high: .max, low: .max)
}

extension EventLog {
    /// The segments that ages of unsealed events are told by, in order.
    func clockSegments(in db: inout Connection) throws -> [ClockSegment] {
        try db.all("SELECT seq, boot, offset FROM clock ORDER BY seq") {
            ClockSegment(seq: $0.int(0), boot: $0.identifier(1), offset: $0.int(2))
        }
    }

    func store(_ segment: ClockSegment, in db: inout Connection) throws {
        try db.run(
            "INSERT OR REPLACE INTO clock (seq, boot, offset) VALUES (?, ?, ?)", segment.seq,
            segment.boot, segment.offset)
    }

    /// Own events that are about to lose their seals keep the times that these told; what was not
    /// sealed yet keeps the age that its own clock tells.
    func keepTimes(after n: Int64, in db: inout Connection) throws {
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
