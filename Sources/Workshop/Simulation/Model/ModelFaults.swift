import MacrologTestSupport

/// The faults of a model world, and how often they occur, in percent. Each seed draws its own mix,
/// and often leaves out a kind.
struct ModelFaults {
    var lostRequest: Int64 = 0
    var lostAnswer: Int64 = 0
    var repeated: Int64 = 0
    var late: Int64 = 0
    var garbled: Int64 = 0
    var lostHint: Int64 = 0
    var falseHint: Int64 = 0
    var partition: Int64 = 0
    var halfPartition: Int64 = 0
    var clockJump: Int64 = 0
    var serverClockJump: Int64 = 0
    var reboot: Int64 = 0
    var restore: Int64 = 0
    var clone: Int64 = 0
    var serverRestore: Int64 = 0

    static let none = ModelFaults()

    static func drawn(by dice: inout Dice) -> ModelFaults {
        func draw(_ dice: inout Dice, _ frequent: Int64 = 25) -> Int64 {
            dice.pick([0, 0, 4, frequent]) ?? 0
        }
        var faults = ModelFaults()
        guard dice.percent(95) else { return faults }
        faults.lostRequest = draw(&dice)
        faults.lostAnswer = draw(&dice)
        faults.repeated = draw(&dice)
        faults.late = draw(&dice)
        faults.garbled = draw(&dice)
        faults.lostHint = draw(&dice, 80)
        faults.falseHint = draw(&dice)
        faults.partition = draw(&dice, 20)
        faults.halfPartition = draw(&dice, 15)
        faults.clockJump = draw(&dice, 15)
        faults.serverClockJump = draw(&dice, 10)
        faults.reboot = draw(&dice, 15)
        faults.restore = draw(&dice, 12)
        faults.clone = draw(&dice, 6)
        faults.serverRestore = draw(&dice, 8)
        return faults
    }
}

/// The faults that can occur in a model world, by the index of their count.
enum ModelFault: Int, CaseIterable {
    case lostRequest, lostAnswer, repeated, late, garbled, lostHint, falseHint, partition
    case requestsCut, answersCut, clockJump, serverClockJump, reboot, restoredKnowing
    case restoredUnknowing, copied, cloned, serverRestored, recovered, forked, reissued
    case nothingToRepair
}
