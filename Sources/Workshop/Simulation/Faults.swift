/// What goes wrong in a world, and how often. Each seed draws its own mix, often none at all.
package struct Faults: Sendable {
    /// Of a hundred requests, how many are lost on their way.
    package var lostBefore: Int64 = 0
    /// Of a hundred, how many arrive while their answer is lost.
    package var lostAfter: Int64 = 0
    /// Of a hundred, how many arrive a second time, up to a day later.
    package var repeated: Int64 = 0
    /// Of a hundred, how many are on their way for up to two minutes, and overtaken by others.
    package var late: Int64 = 0
    /// Of a hundred, how many answers come from a captive portal or a broken proxy.
    package var garbled: Int64 = 0
    /// Of a hundred steps of a live channel, how many lose it, unnoticed by its device.
    package var liveKilled: Int64 = 0
    /// Of a hundred hints, how many come late, up to a minute, or twice, or with a wrong number.
    package var hintsSpoiled: Int64 = 0
    /// Of a hundred acts, how many are a device that is cut off, in one direction or both, or that
    /// comes back.
    package var offline: Int64 = 0
    /// Of a hundred acts, how many are a clock that jumps, by up to ten years.
    package var clockJump: Int64 = 0
    /// Of a hundred acts, how many are a device, or the hub, that stops and starts again.
    package var restart: Int64 = 0
    /// Of a hundred acts, how many are a device that is backed up, or put back to its backup.
    package var restore: Int64 = 0
    /// Of a hundred acts, how many are a device that is copied; both go on side by side.
    package var clone: Int64 = 0
    /// Of a hundred acts, how many are the hub that is backed up, or put back to its backup.
    package var hubRestore: Int64 = 0
    /// Of a hundred acts, how many are a bit that flips in a sealed event, or in its seal.
    package var flippedBit: Int64 = 0
    /// Of a hundred, how many are a sealed event, or its seal, that is gone from the disk.
    package var deletedRow: Int64 = 0
    /// Of a hundred, how many are a row of what is derived that somebody edits or deletes.
    package var editedProjection: Int64 = 0

    /// Whether disks lose what they hold.
    var damages: Bool { flippedBit + deletedRow + editedProjection > 0 }

    /// Of a hundred acts, how many are a device that gives up old payloads, where old may mean a
    /// moment ago.
    package var compact: Int64 = 0
    /// Of a hundred photos on their way, how many are broken off in the middle.
    package var photoBroken: Int64 = 0
    /// Of a hundred acts, how many are a time in which everybody sleeps, up to some weeks, and after
    /// which the hub deletes what nobody holds.
    package var asleep: Int64 = 0
    /// Of a hundred acts, how many are a new device that signs in.
    package var join: Int64 = 0

    /// Of a hundred acts, how many are followed by a power failure, at one of the next writes of a
    /// device or of the hub.
    package var powerLoss: Int64 = 0

    /// A quiet world.
    package static let none = Faults()

    /// A quiet world, to be made worse.
    package init() {}

    /// A mix of the world's own: each fault is absent, rare or frequent.
    package static func drawn(by dice: inout Dice) -> Faults {
        func draw(_ dice: inout Dice) -> Int64 { dice.pick([0, 0, 3, 25]) ?? 0 }
        var faults = Faults()
        // What is right in bad times must be right in good ones.
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
        faults.hubRestore = draw(&dice) / 3
        faults.compact = draw(&dice)
        faults.photoBroken = draw(&dice)
        faults.asleep = draw(&dice) / 3
        // What is damaged here, and lost there, nobody has.
        if faults.restore + faults.clone + faults.hubRestore == 0 {
            faults.flippedBit = draw(&dice)
            faults.deletedRow = draw(&dice)
            faults.editedProjection = draw(&dice)
        }
        faults.join = draw(&dice) / 3
        faults.powerLoss = draw(&dice)
        return faults
    }
}

/// How often each kind of fault has struck. A fault that never strikes proves nothing.
package struct FaultCounts: Sendable {
    package private(set) var counts: [String: Int] = [:]

    package init() {}

    /// What can strike in a world.
    package static let kinds = [
        "lost before", "lost after", "repeated", "late", "captive portal", "bad gateway",
        "truncated", "garbled", "live channel killed", "hint spoiled", "offline", "requests cut",
        "answers cut", "clock jump", "device restart", "hub restart", "power loss",
        "hub power loss", "restored whole", "restored without instance", "restored database",
        "copied profile", "cloned machine", "hub restored", "log changed", "flipped bit",
        "deleted row", "edited projection", "repair", "compacted", "skeletons came",
        "photo broken off", "asleep", "joined late",
    ]

    package mutating func note(_ fault: String) { counts[fault, default: 0] += 1 }

    package mutating func add(_ other: FaultCounts) {
        counts.merge(other.counts) { $0 + $1 }
    }
}
