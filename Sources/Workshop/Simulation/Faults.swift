package import MacrologTestSupport

/// The faults of a world, and how often they occur. Each seed draws its own mix, often none at all.
package struct Faults: Sendable {
    /// Percentage of requests that are lost in flight.
    package var lostBefore: Int64 = 0
    /// Percentage of requests that arrive but whose answer is lost.
    package var lostAfter: Int64 = 0
    /// Percentage of requests that arrive a second time, up to a day later.
    package var repeated: Int64 = 0
    /// Percentage of requests that are delayed for up to two minutes, and overtaken by others.
    package var late: Int64 = 0
    /// Percentage of answers that come from a captive portal or a broken proxy.
    package var garbled: Int64 = 0
    /// Percentage of steps of a live channel that lose it, unnoticed by its device.
    package var liveKilled: Int64 = 0
    /// Percentage of hints that come late, up to a minute, or twice, or with a wrong number.
    package var hintsSpoiled: Int64 = 0
    /// Percentage of acts in which a device is cut off, in one direction or both, or reconnected.
    package var offline: Int64 = 0
    /// Percentage of acts in which a clock jumps, by up to ten years.
    package var clockJump: Int64 = 0
    /// Percentage of acts in which a device, or the server, stops and starts again.
    package var restart: Int64 = 0
    /// Percentage of acts in which a device is backed up, or restored from its backup.
    package var restore: Int64 = 0
    /// Percentage of acts in which a device is copied; both copies continue.
    package var clone: Int64 = 0
    /// Percentage of acts in which the server is backed up, or restored from its backup.
    package var serverRestore: Int64 = 0
    /// Percentage of acts in which a bit flips in a sealed event, or in its seal.
    package var flippedBit: Int64 = 0
    /// Percentage of acts in which a sealed event, or its seal, disappears from the disk.
    package var deletedRow: Int64 = 0
    /// Percentage of acts in which a row of a read model is edited or deleted.
    package var editedProjection: Int64 = 0

    /// Whether disks lose what they hold.
    var damages: Bool { flippedBit + deletedRow + editedProjection > 0 }

    /// Whether files are put back to what they were, or copied.
    var losesFiles: Bool { restore + clone + serverRestore > 0 }

    /// Percentage of acts in which a device compacts old payloads, where old may mean a moment ago.
    package var compact: Int64 = 0
    /// Percentage of photo transfers that are interrupted.
    package var photoBroken: Int64 = 0
    /// Percentage of acts in which all devices sleep, up to some weeks, after which the server
    /// deletes blobs that no device holds.
    package var asleep: Int64 = 0
    /// Percentage of acts in which a new device logs in.
    package var join: Int64 = 0

    /// Percentage of acts that are followed by a power failure, at one of the next writes of a
    /// device or of the server.
    package var powerLoss: Int64 = 0

    /// A world without faults.
    package static let none = Faults()

    /// A world without faults, to which a test adds some.
    package init() {}

    /// A mix of the world's own: each fault is absent, rare or frequent.
    package static func drawn(by dice: inout Dice) -> Faults {
        func draw(_ dice: inout Dice) -> Int64 { dice.pick([0, 0, 3, 25]) ?? 0 }
        var faults = Faults()
        // What must hold with faults must hold without them.
        guard dice.percent(95) else { return faults }
        faults.lostBefore = draw(&dice)
        faults.lostAfter = draw(&dice)
        faults.repeated = draw(&dice)
        faults.late = draw(&dice)
        faults.garbled = draw(&dice)
        faults.liveKilled = draw(&dice)
        faults.hintsSpoiled = draw(&dice)
        faults.offline = draw(&dice)
        faults.clockJump = draw(&dice)
        faults.restart = draw(&dice)
        faults.restore = draw(&dice)
        faults.clone = draw(&dice) / 3
        faults.serverRestore = draw(&dice) / 3
        faults.compact = draw(&dice)
        faults.photoBroken = draw(&dice)
        faults.asleep = draw(&dice) / 3
        // Where disks are bad as well as lost, little is left to converge on: one world in four.
        if faults.restore + faults.clone + faults.serverRestore == 0 || dice.percent(25) {
            faults.flippedBit = draw(&dice)
            faults.deletedRow = draw(&dice)
            faults.editedProjection = draw(&dice)
        }
        faults.join = draw(&dice) / 3
        faults.powerLoss = draw(&dice)
        return faults
    }
}

/// How often each kind of fault has occurred. A fault that never occurs proves nothing.
package struct FaultCounts: Sendable {
    package private(set) var counts: [String: Int] = [:]

    package init() {}

    /// The faults that can occur in a world.
    package static let kinds = [
        "lost before", "lost after", "repeated", "late", "captive portal", "bad gateway",
        "truncated", "garbled", "live channel killed", "hint spoiled", "offline", "requests cut",
        "answers cut", "clock jump", "device restart", "server restart", "power loss",
        "server power loss", "restored whole", "restored without instance", "restored database",
        "copied profile", "cloned machine", "server restored", "recovery", "flipped bit",
        "deleted row", "edited projection", "compacted", "skeletons came",
        "photo broken off", "asleep", "joined late",
    ]

    package mutating func note(_ fault: String) { counts[fault, default: 0] += 1 }

    package mutating func add(_ other: FaultCounts) {
        counts.merge(other.counts) { $0 + $1 }
    }
}
