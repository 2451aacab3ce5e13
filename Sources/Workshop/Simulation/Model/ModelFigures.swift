import MacrologEngine
import MacrologRecovery

/// What happened in model worlds. Worlds in which nothing happens prove nothing.
package struct ModelFigures: Sendable {
    package private(set) var worlds = 0
    package internal(set) var events = 0
    package internal(set) var exchanges = 0
    /// Events that were lost with a disk before they reached another one.
    package internal(set) var lostWithDisks = 0
    package internal(set) var quietPoints = 0
    /// Entities in conflict at quiet points.
    package internal(set) var conflicts = 0
    private var milliseconds: Int64 = 0
    private var struck = [Int](repeating: 0, count: ModelFault.allCases.count)
    private var visited = [Int](repeating: 0, count: SyncMachine.State.names.count)

    package init() {}

    mutating func strike(_ fault: ModelFault) { struck[fault.rawValue] += 1 }
    mutating func visit(_ state: SyncMachine.State) { visited[state.place] += 1 }

    mutating func note(_ world: ModelWorld) {
        worlds += 1
        milliseconds += world.now - 1_800_000_000_000
    }

    package mutating func add(_ other: ModelFigures) {
        worlds += other.worlds
        events += other.events
        exchanges += other.exchanges
        lostWithDisks += other.lostWithDisks
        quietPoints += other.quietPoints
        conflicts += other.conflicts
        milliseconds += other.milliseconds
        for place in struck.indices { struck[place] += other.struck[place] }
        for place in visited.indices { visited[place] += other.visited[place] }
    }

    /// How often each kind of fault occurred.
    package var strikes: [(kind: String, count: Int)] {
        ModelFault.allCases.map { ("\($0)", struck[$0.rawValue]) }
    }

    /// How often each reachable state of the machine was entered.
    package var visits: [(state: String, count: Int)] {
        zip(SyncMachine.State.names, visited).map { ($0, $1) }
            .filter { ModelWorld.states.contains($0.0) }
    }

    /// Simulated years.
    package var years: Double { Double(milliseconds) / 31_557_600_000 }
}

extension SyncMachine.State {
    /// The states in a fixed order, and their names in figures.
    package static let names = [
        "resting", "waiting", "holding", "exchanging", "refreshing", "detect", "locate", "plan",
        "apply", "stopped",
    ]

    /// The index in ``names``.
    package var place: Int {
        switch self {
        case .resting: 0
        case .waiting: 1
        case .holding: 2
        case .exchanging: 3
        case .refreshing: 4
        case .recovering(.detect): 5
        case .recovering(.locate): 6
        case .recovering(.plan): 7
        case .recovering(.apply): 8
        case .stopped: 9
        }
    }
}

extension ModelWorld {
    /// States that a machine can reach without sessions.
    static let states: Set = [
        "resting", "waiting", "holding", "exchanging", "detect", "locate", "apply",
    ]
}
