import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels

/// Nothing is shown without its causes. Every event is sealed later than all that its author
/// had seen, its base states exactly what that was, and no history has gaps.
enum CausalityCheck {
    static func problems(_ log: ServerLog, _ history: History?, _ facts: Facts) -> [String] {
        var problems: [String] = []
        var latest: [Int64] = [0]
        for row in log.rows {
            let base = row.stored.header.base.n
            if base >= row.seal.n {
                problems.append("event \(row.seal.n) had seen itself")
            } else if latest[Int(base.rawValue)] >= row.seal.t {
                problems.append("event \(row.seal.n) is sealed before what it had seen")
            }
            latest.append(max(latest[latest.count - 1], row.seal.t.rawValue))
        }
        for (row, clock) in zip(log.rows, history?.clocks ?? []) {
            guard let seen = facts.seen(row.hash), seen != clock else { continue }
            problems.append("event \(row.seal.n) says that it had seen something else")
        }
        return problems
    }

    /// The history of an entity is every event that touched it, in the order of the log.
    static func gaps(in device: SimulatedDevice) throws -> [String] {
        var entries: [EntityKey: [LogEntry]] = [:]
        for entry in try device.store.latest(.max).reversed() {
            for entity in Set(entry.event.changes.map(\.entity)) {
                entries[entity, default: []].append(entry)
            }
        }
        return try entries.compactMap { entity, entries in
            try device.store.history(of: entity).filter { !$0.isCompacted } == entries
                ? nil : "\(device.name): the history of \(entity.kind) \(entity.id) has gaps"
        }
    }
}
