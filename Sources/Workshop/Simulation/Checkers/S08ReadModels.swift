import MacrologNutritionModels
import MacrologReadModels

/// S8: read models are the fold of the log, byte for byte.
enum S08ReadModels {
    static func problems(of device: SimulatedDevice) throws -> [String] {
        let before = try device.store.stateHash()
        try device.store.rebuild()
        return try device.store.stateHash() == before
            ? [] : ["\(device.name): read models differ from the fold of the log"]
    }
}
