import MacrologEvents
import MacrologNutrition
import MacrologEngine

/// What happened in worlds. Worlds in which nothing happens prove nothing.
package struct WorldFigures: Sendable {
    package internal(set) var worlds = 0
    /// Worlds with at least ``manyFaults`` faults.
    package internal(set) var disturbed = 0
    package internal(set) var acts = 0
    package private(set) var events = 0
    package internal(set) var exchanges = 0
    package internal(set) var quietPoints = 0
    package internal(set) var milliseconds: Int64 = 0
    package internal(set) var struck = FaultCounts()
    /// Kinds of entry that were written, and types of events.
    private var written: Set<UTF8Text> = []
    private var visited = [Int](repeating: 0, count: SyncMachine.State.names.count)

    /// From this number of faults on, a world counts as disturbed.
    package static let manyFaults = 50

    package init() {}

    /// Occurrences too rare to be required of a few hundred worlds, or impossible here: no session
    /// ends.
    static let rare: Set = [
        "stopped", "refreshing", "holding", "nothingToRepair", "skeletons came",
    ]

    mutating func visit(_ state: SyncMachine.State) { visited[state.place] += 1 }

    mutating func note(_ event: Event) {
        events += 1
        written.formUnion(event.changes.map(\.entity.kind) + [event.type])
    }

    /// What was never recorded: kinds of entry, undo, redo.
    package var unrecorded: [String] {
        (Kind.all.map(\.name) + ["undo", "redo"]).filter { !written.contains($0) }
            .map(\.string)
    }

    package mutating func add(_ other: WorldFigures) {
        worlds += other.worlds
        disturbed += other.disturbed
        acts += other.acts
        events += other.events
        written.formUnion(other.written)
        exchanges += other.exchanges
        quietPoints += other.quietPoints
        milliseconds += other.milliseconds
        struck.add(other.struck)
        for place in visited.indices { visited[place] += other.visited[place] }
    }

    /// How often each state of the machine was entered.
    package var visits: [(state: String, count: Int)] {
        Array(zip(SyncMachine.State.names, visited)).map { ($0, $1) }
    }

    /// Simulated years.
    package var years: Double { Double(milliseconds) / 31_557_600_000 }
}

extension World {
    /// The event that a device has just recorded, as the story says it: `a3 after b1`.
    func recordings(of device: SimulatedDevice) -> String {
        device.recorded.map { event, seen in
            let others = seen.filter { $0.key != event.dot.device }
                .map { Dot(device: $0.key, seq: $0.value) }.sorted()
            let clock = notation.write(VectorClock(others + [event.dot]))
            return ": \(notation.write(event.dot)) is \(clock)"
        }.joined()
    }
}
