import MacrologEvents
import MacrologLog
import MacrologReadModels

/// S1, S3, S12: what was recorded is there, on every device, once, and nothing else is. What went
/// down with a disk before anybody else had it may come back, once.
enum S03OnceOnly {
    static func problems(of device: SimulatedDevice, _ facts: Facts) throws -> [String] {
        let entries = try device.store.latest(.max)
        let held = entries.map { facts.fact($0.stored) }
        let known = Set(held)
        var problems: [String] = []
        let missing = facts.must.subtracting(facts.givenUp).subtracting(known).count
        if missing > 0 { problems.append("\(missing) events were lost or changed") }
        if known.count < held.count {
            problems.append("\(held.count - known.count) events count twice")
        }
        let invented = known.subtracting(facts.must).subtracting(facts.lost)
        for (entry, fact) in zip(entries, held) where invented.contains(fact) {
            let number = entry.seal.map { "\($0.n)" } ?? "unsealed"
            problems.append("\(entry.event.type), \(number), was recorded by nobody")
        }
        return problems.map { "\(device.name): \($0)" }
    }

    /// What a disk has spoiled before it was sent, and did not come back from the hub, was said to be
    /// damaged.
    static func untold(by device: SimulatedDevice, _ facts: Facts) throws -> [String] {
        let known = Set(try device.facts(facts))
        let missing = Int64(device.spoiled.values.filter { !known.contains($0) }.count)
        guard missing > device.toldSpoiled else { return [] }
        return ["\(device.name): \(missing) events were set aside, \(device.toldSpoiled) told"]
    }
}
