import MacrologEvents
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologWire

/// Invariants of a quiet world; each promise has its own file in `Checkers`.
extension World {
    /// All violations, as sentences; empty if there are none.
    package func check() throws -> [String] {
        var problems = try server.problems().map { "the server: \($0)" }
        for person in accounts.indices { problems += try check(person) }
        problems += try missingPhotos()
        for device in devices {
            problems += try S08ReadModels.problems(of: device)
        }
        return problems
    }

    private func check(_ person: Int) throws -> [String] {
        let own = devices.indices.filter { owners[$0] == person }.map { devices[$0] }
        let log = try ServerLog(of: person, in: self)
        for row in log.rows {
            guard case .whole(let event) = row.stored else { continue }
            accounts[person].meet(event, hash: row.hash)
        }
        let facts = accounts[person]
        let history = History(log, facts)
        accounts[person].before = S04AppendOnly.Memory(log)
        var problems = try S05Convergence.problems(own, log, history)
        problems += S04AppendOnly.problems(log, since: facts.before)
        problems += S06Causality.problems(log, history, facts)
        problems += try S07Tenants.problems(own, log)
        problems += S09Clocks.problems(log, now: now)
        problems += S11Identity.problems(facts)
        problems += try S13Completeness.problems(own, log)
        for device in own {
            problems += L1InSync.problems(of: device)
            problems += try S03OnceOnly.problems(of: device, facts)
            // A message that was due when the power failed may never be sent.
            if struck.counts["power loss"] == nil {
                problems += try S03OnceOnly.untold(by: device, facts)
            }
            problems += try S06Causality.gaps(in: device)
        }
        problems += try receiptProblems(of: person)
        return problems
    }
}
