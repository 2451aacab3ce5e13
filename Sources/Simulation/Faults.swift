/// What goes wrong in a world, and how often. Each seed draws its own mix, often none at all.
package struct Faults: Sendable {
    /// Of a hundred requests, how many are lost on their way.
    package var lostBefore: Int64 = 0
    /// Of a hundred, how many arrive while their answer is lost.
    package var lostAfter: Int64 = 0
    /// Of a hundred, how many arrive a second time, up to a day later.
    package var repeated: Int64 = 0
    /// Of a hundred, how many answers come from a captive portal or a broken proxy.
    package var garbled: Int64 = 0
    /// Of a hundred steps of a live channel, how many lose it, unnoticed by its device.
    package var liveKilled: Int64 = 0
    /// Of a hundred hints, how many come late, up to a minute, or twice, or with a wrong number.
    package var hintsSpoiled: Int64 = 0
    /// Of a hundred acts, how many are a device going offline or coming back.
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
        faults.lostBefore = draw(&dice)
        faults.lostAfter = draw(&dice)
        faults.repeated = draw(&dice)
        faults.garbled = draw(&dice)
        faults.liveKilled = draw(&dice)
        faults.hintsSpoiled = draw(&dice)
        faults.offline = draw(&dice)
        faults.clockJump = draw(&dice)
        faults.restart = draw(&dice)
        faults.restore = draw(&dice)
        faults.clone = draw(&dice) / 3
        faults.hubRestore = draw(&dice) / 3
        faults.powerLoss = draw(&dice)
        return faults
    }
}

/// How often each kind of fault has struck. A fault that never strikes proves nothing.
package struct FaultCounts: Sendable {
    package private(set) var counts: [String: Int] = [:]

    package init() {}

    package mutating func note(_ fault: String) { counts[fault, default: 0] += 1 }

    package mutating func add(_ other: FaultCounts) {
        counts.merge(other.counts) { $0 + $1 }
    }
}
