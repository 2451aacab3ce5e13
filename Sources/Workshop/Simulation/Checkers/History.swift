import MacrologEvents
import MacrologWire
import MacrologTestSupport

/// A person's log as input of the ``MergeOracle``: which events count, and what the device of each had seen.
struct History {
    private let events: [MergeOracle.SeenEvent]
    /// What the device of each row had seen, by device: a version vector expanded the naive way.
    private(set) var clocks: [[Identifier: Int64]] = []

    /// - Returns: `nil` if a payload was compacted that was never seen here.
    init?(_ log: ServerLog, _ facts: Facts) {
        var events: [MergeOracle.SeenEvent] = []
        var places: [Identifier: Int] = [:]
        var seqs: [Int64] = []
        var prefixes: [[Int64]] = [[]]
        var said: Set<Saying> = []
        for row in log.rows {
            guard let event = facts.whole(row.stored, row.hash) else { return nil }
            let place = places[event.dot.device] ?? places.count
            places[event.dot.device] = place
            if place == seqs.count { seqs.append(0) }
            seqs[place] = event.dot.seq.rawValue
            prefixes.append(seqs)
            // What a device had folded, and all that it had recorded itself.
            var clock = prefixes[Int(min(event.base.n.rawValue, row.seal.n.rawValue - 1))]
            clock += [Int64](repeating: 0, count: max(0, place + 1 - clock.count))
            clock[place] = event.dot.seq.rawValue
            clocks.append(
                places.reduce(into: [:]) { named, entry in
                    guard entry.value < clock.count, clock[entry.value] > 0 else { return }
                    named[entry.key] = clock[entry.value]
                })
            // Of events with the same content only the first counts.
            let saying = Saying(first: event.reissuedFrom ?? event.dot, fact: Fact(event))
            guard said.insert(saying).inserted else { continue }
            events.append(
                MergeOracle.SeenEvent(
                    device: event.dot.device, index: place, seq: event.dot.seq.rawValue,
                    clock: clock,
                    t: row.seal.t.rawValue, changes: event.changes))
        }
        self.events = events
    }

    private struct Saying: Hashable {
        let first: Dot
        let fact: Fact
    }

    /// The state that the events fold to.
    func oracle() -> MergeOracle { MergeOracle(events) }
}
