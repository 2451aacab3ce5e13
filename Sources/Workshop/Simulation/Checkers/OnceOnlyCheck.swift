import MacrologEvents
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologTestSupport

/// Every recorded event is on every device, once, and no other event is. An event that
/// was lost with a disk before it reached another file may come back, once.
enum OnceOnlyCheck {
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
            problems.append("\(entry.event.type), \(number), was recorded by no device")
        }
        return problems.map { "\(device.name): \($0)" }
    }

    /// An event that a disk corrupted before it was sent, and that the server did not return, was
    /// reported as damaged.
    static func untold(by device: SimulatedDevice, _ facts: Facts) throws -> [String] {
        let known = Set(try device.facts(facts))
        let missing = Int64(device.spoiled.values.filter { !known.contains($0) }.count)
        guard missing > device.toldSpoiled else { return [] }
        return ["\(device.name): \(missing) events were set aside, \(device.toldSpoiled) told"]
    }
}
