package import Events

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
    func age(of wall: Int64, now: ClockReading) -> Int64 {
        boot == now.boot ? now.monotonic &- (wall &- offset) : now.wall &- wall
    }
}
