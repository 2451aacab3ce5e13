import MacrologEvents
import MacrologWire
import MacrologEngine
import MacrologTestSupport

/// Invariants of a quiet model world.
extension ModelWorld {
    func check() {
        figures.quietPoints += 1
        let counted = server.rows.map(\.event).filter { devices[0].log.counts($0) }
        for (index, device) in devices.enumerated() {
            let log = device.log
            // A poll without news is quiet, too.
            let isQuiet = [.resting, .exchanging].contains(device.machine.state)
            if !isQuiet || !log.unsealed.isEmpty || !log.orphans.isEmpty {
                problems.append(
                    "d\(index) is \(device.machine.state) with \(log.unsealed.count) unsealed "
                        + "events and \(log.orphans.count) orphans")
            }
            if log.cursor != Int64(server.rows.count)
                || log.digest != server.rows.last?.digest ?? .empty
            {
                problems.append(
                    "d\(index) has another log than the server: \(log.cursor) of \(server.rows.count)"
                )
            }
            if log.states != devices[0].log.states {
                problems.append("d\(index) has another state than d0")
            }
        }
        checkFacts(counted.map(\.fact))
        checkSeals()
        guard problems.isEmpty else { return }
        let oracle = MergeOracle(
            server.rows.filter { devices[0].log.counts($0.event) }.map { row in
                let event = row.event
                return MergeOracle.SeenEvent(
                    device: event.event.dot.device, index: event.place,
                    seq: event.event.dot.seq.rawValue,
                    clock: event.clock, t: row.seal.t.rawValue, changes: event.event.changes)
            })
        let states = devices[0].log.states
        if states.count != oracle.entityCount { problems.append("an entity too many or too few") }
        for (entity, state) in states {
            if let difference = oracle.difference(state, of: entity) {
                problems.append("entity \(entity.id.low): \(difference)")
            }
            if !state.conflicts.isEmpty { figures.conflicts += 1 }
        }
        var again = devices[devices.count - 1].log
        again.refold()
        if again.states != states { problems.append("folded again, the log gives another state") }
    }

    /// Every recorded event is there, once, and no other event is.
    private func checkFacts(_ held: [UInt64]) {
        let known = Set(held)
        if known.count < held.count {
            problems.append("\(held.count - known.count) events count twice")
        }
        let missing = must.subtracting(known)
        if !missing.isEmpty { problems.append("\(missing.count) events were lost") }
        // A request that was in flight may bring what was lost with a disk.
        if !known.isSubset(of: must.union(lost)) {
            problems.append("there are events that no device recorded")
        }
    }

    /// Everything is sealed later than all that its author had seen, and never in the future; a
    /// base states exactly what the author had seen.
    private func checkSeals() {
        var seqs = [Int64](repeating: 0, count: names.count)
        var times: [Int: [Int64]] = [:]
        var clocks: [[Int64]] = [seqs]
        for row in server.rows {
            let (event, place) = (row.event, row.event.place)
            if event.event.dot.seq != seqs[place] + 1 {
                problems.append("number \(row.seal.n) is not the next of its name")
                return
            }
            seqs[place] += 1
            var clock = clocks[Int(min(event.event.base.n.rawValue, row.seal.n.rawValue - 1))]
            clock[place] = max(clock[place], event.event.dot.seq.rawValue)
            for (other, seq) in clock.enumerated() {
                if seq != (other < event.clock.count ? event.clock[other] : 0) {
                    problems.append("number \(row.seal.n) has a base that says something else")
                    return
                }
                let seen = other == place ? seq - 1 : seq
                if seen > 0, times[other, default: []][Int(seen) - 1] >= row.seal.t {
                    problems.append("number \(row.seal.n) is sealed before what it had seen")
                    return
                }
            }
            if row.seal.milliseconds > now {
                problems.append("number \(row.seal.n) is from the future")
            }
            times[place, default: []].append(row.seal.t.rawValue)
            clocks.append(seqs)
        }
    }
}
