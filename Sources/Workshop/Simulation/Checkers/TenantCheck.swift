import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels

/// No person's log holds anything of another person.
enum TenantCheck {
    static func problems(_ own: [SimulatedDevice], _ log: ServerLog) throws -> [String] {
        let names = own.reduce(into: Set()) { $0.formUnion($1.names) }
        var problems: [String] = []
        for device in own {
            let strangers = try device.store.devices().filter { !names.contains($0) }
            if !strangers.isEmpty {
                problems.append("\(device.name): sees another person's events")
            }
        }
        if log.rows.contains(where: { !names.contains($0.stored.header.dot.device) }) {
            problems.append("the server: tells a person another one's events")
        }
        return problems
    }
}
