import Events
import Log
import Projections

/// What must be true in the end.
extension World {
    /// Everything that is wrong, in sentences; empty for a world in order.
    package func check() throws -> [String] {
        var problems: [String] = []
        problems += try hub.problems().map { "the hub: \($0)" }
        for person in accounts.indices {
            let own = devices.indices.filter { owners[$0] == person }.map { devices[$0] }
            problems += try check(own, accounts[person])
            problems += try receiptProblems(of: person)
        }
        problems += try missingPhotos()
        for device in devices {
            if device.store.log.preview != nil {
                problems.append("\(device.name): still shows a snapshot")
            }
            if try device.store.correctedCount() > 0 {
                strike("snapshot lie found", "\(device.name) has found a lie")
            }
            let before = try device.store.stateHash()
            try device.store.rebuild()
            if try device.store.stateHash() != before {
                problems.append("\(device.name): read models differ from the fold of the log")
            }
        }
        return problems
    }

    private func check(_ own: [SimulatedDevice], _ facts: Facts) throws -> [String] {
        var problems: [String] = []
        guard let first = own.first else { return [] }
        // Who got skeletons does not know what they touched.
        let touches = own.allSatisfy { $0.store.log.compactedThrough == 0 }
        let hash = try first.store.stateHash(touches: touches)
        if facts.namesUsedTwice > 0 {
            problems.append("\(facts.namesUsedTwice) events have the name of another")
        }
        let names = own.reduce(into: Set()) { $0.formUnion($1.names) }
        for device in own {
            if device.store.log.unsealedCount > 0 {
                problems.append("\(device.name): \(device.store.log.unsealedCount) never sealed")
            }
            if device.store.log.orphans > 0 {
                problems.append("\(device.name): \(device.store.log.orphans) never issued anew")
            }
            if device.store.log.digest != first.store.log.digest {
                problems.append("\(device.name): another log than \(first.name)")
            }
            if try device.store.stateHash(touches: touches) != hash {
                problems.append("\(device.name): another state than \(first.name)")
            }
            problems += try check(device.facts(facts), facts).map { "\(device.name): \($0)" }
            problems += try causality(of: device)
            problems += try histories(of: device)
            let strangers = try device.store.devices().filter { !names.contains($0) }
            if !strangers.isEmpty {
                problems.append("\(device.name): sees another person's events")
            }
        }
        return problems
    }

    /// Every event is sealed later than all that its device had seen, and never in the future.
    private func causality(of device: SimulatedDevice) throws -> [String] {
        var latest: [Int64] = [0]
        var problems: [String] = []
        for entry in try device.store.latest(.max).reversed() {
            guard let seal = entry.seal else { continue }
            // What counts no more is not listed.
            while latest.count < seal.n { latest.append(latest[latest.count - 1]) }
            if latest[Int(min(entry.event.base.n, seal.n - 1))] >= seal.t {
                problems.append("\(device.name): event \(seal.n) is sealed before what it had seen")
            }
            if seal.milliseconds > now { problems.append("event \(seal.n) is from the future") }
            latest.append(max(latest[latest.count - 1], seal.t))
        }
        return problems
    }

    /// The history of an entity is every event that touched it, in the order of the log.
    private func histories(of device: SimulatedDevice) throws -> [String] {
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

    private func check(_ held: [Fact], _ facts: Facts) -> [String] {
        var problems: [String] = []
        let known = Set(held)
        let missing = facts.must.subtracting(facts.givenUp).subtracting(known).count
        if missing > 0 { problems.append("\(missing) events were lost or changed") }
        if known.count < held.count {
            problems.append("\(held.count - known.count) events count twice")
        }
        let invented = known.subtracting(facts.must).subtracting(facts.lost).count
        if invented > 0 { problems.append("\(invented) events that nobody recorded") }
        return problems
    }
}
