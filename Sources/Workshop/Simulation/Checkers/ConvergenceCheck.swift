import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import MacrologTestSupport

/// The same events give the same state on every device, and it is the state of the oracle.
enum ConvergenceCheck {
    static func problems(
        _ own: [SimulatedDevice], _ log: ServerLog, _ history: History?
    ) throws -> [String] {
        guard let first = own.first else { return [] }
        var problems: [String] = []
        // A device that received skeletons does not know which entities they touched.
        let touches = own.allSatisfy { $0.store.log.compactedThrough == 0 }
        let hash = try first.store.stateHash(touches: touches)
        for device in own {
            if device.store.log.digest != first.store.log.digest {
                problems.append("\(device.name): another log than \(first.name)")
            }
            if try device.store.stateHash(touches: touches) != hash {
                problems.append("\(device.name): another state than \(first.name)")
            }
        }
        guard let oracle = history?.oracle(), problems.isEmpty else { return problems }
        let rows = try first.store.db.all("SELECT kind, id, state FROM entity") { row in
            (EntityKey(row.name(0), row.identifier(1)), row.bytes(2))
        }
        let states = try rows.map { ($0, try EntityState.decoded($1)) }
        return oracle.problems(states).map { "\(first.name), and everybody: \($0)" }
    }
}

extension MergeOracle {
    /// Problems of all entities that a replica shows.
    func problems(_ states: [(EntityKey, EntityState)]) -> [String] {
        var problems: [String] = []
        if states.count != entityCount {
            problems.append("\(states.count) entities in place of \(entityCount)")
        }
        for (entity, state) in states {
            guard let difference = difference(state, of: entity) else { continue }
            problems.append("\(entity.kind) \(entity.id): \(difference)")
        }
        return problems
    }
}
