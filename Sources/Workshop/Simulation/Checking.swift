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
            problems += try ReadModelsCheck.problems(of: device)
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
        accounts[person].before = AppendOnlyCheck.Memory(log)
        var problems = try ConvergenceCheck.problems(own, log, history)
        problems += AppendOnlyCheck.problems(log, since: facts.before)
        problems += CausalityCheck.problems(log, history, facts)
        problems += try TenantCheck.problems(own, log)
        problems += ClockCheck.problems(log, now: now)
        problems += IdentityCheck.problems(facts)
        problems += try CompletenessCheck.problems(own, log)
        for device in own {
            problems += InSyncCheck.problems(of: device)
            problems += try OnceOnlyCheck.problems(of: device, facts)
            // A message that was due when the power failed may never be sent.
            if struck.counts["power loss"] == nil {
                problems += try OnceOnlyCheck.untold(by: device, facts)
            }
            problems += try CausalityCheck.gaps(in: device)
        }
        problems += try receiptProblems(of: person)
        return problems
    }
}
