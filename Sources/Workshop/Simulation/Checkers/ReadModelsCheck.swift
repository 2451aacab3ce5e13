import MacrologNutritionModels
import MacrologReadModels

/// Read models are the fold of the log, byte for byte.
enum ReadModelsCheck {
    static func problems(of device: SimulatedDevice) throws -> [String] {
        let before = try device.store.stateHash()
        try device.store.rebuild()
        return try device.store.stateHash() == before
            ? [] : ["\(device.name): read models differ from the fold of the log"]
    }
}
