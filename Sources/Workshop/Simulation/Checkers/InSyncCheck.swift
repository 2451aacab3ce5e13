import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologEngine

/// Once the faults stop, everything is in sync within the promised time, and no device is
/// in a state that nothing would ever wake.
enum InSyncCheck {
    static func problems(of device: SimulatedDevice) -> [String] {
        var problems: [String] = []
        if device.store.log.unsealedCount > 0 {
            problems.append("\(device.store.log.unsealedCount) never sealed")
        }
        if device.store.log.orphans > 0 {
            problems.append("\(device.store.log.orphans) never reissued")
        }
        if device.timerAt == nil { problems.append("is \(device.machine.state), without a timer") }
        return problems.map { "\(device.name): \($0)" }
    }
}
