import MacrologEvents

/// A person's log as the ``Oracle`` wants to hear it: what counts, and what each author had seen.
struct History {
    private let told: [Oracle.Told]
    /// What every author of a row had seen, by name: a version vector expanded the naive way.
    private(set) var clocks: [[Identifier: Int64]] = []

    /// - Returns: `nil` where a payload was given up that nobody here has ever seen.
    init?(_ log: HubLog, _ facts: Facts) {
        var told: [Oracle.Told] = []
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
            // Of all that say the same only the first counts.
            let saying = Saying(first: event.origin ?? event.dot, fact: Fact(event))
            guard said.insert(saying).inserted else { continue }
            told.append(
                Oracle.Told(
                    name: event.dot.device, place: place, seq: event.dot.seq.rawValue, clock: clock,
                    t: row.seal.t.rawValue, changes: event.changes))
        }
        self.told = told
    }

    private struct Saying: Hashable {
        let first: Dot
        let fact: Fact
    }

    /// What the events come to.
    func oracle() -> Oracle { Oracle(told) }
}
