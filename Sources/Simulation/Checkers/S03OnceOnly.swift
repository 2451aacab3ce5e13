import Log
import Projections

/// S1, S3, S12: what was recorded is there, on every device, once, and nothing else is. What went
/// down with a disk before anybody else had it may come back, once.
enum S03OnceOnly {
    static func problems(of device: SimulatedDevice, _ facts: Facts) throws -> [String] {
        let held = try device.facts(facts)
        let known = Set(held)
        var problems: [String] = []
        let missing = facts.must.subtracting(facts.givenUp).subtracting(known).count
        if missing > 0 { problems.append("\(missing) events were lost or changed") }
        if known.count < held.count {
            problems.append("\(held.count - known.count) events count twice")
        }
        let invented = known.subtracting(facts.must).subtracting(facts.lost).count
        if invented > 0 { problems.append("\(invented) events that nobody recorded") }
        return problems.map { "\(device.name): \($0)" }
    }
}
