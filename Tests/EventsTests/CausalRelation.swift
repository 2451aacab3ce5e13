import MacrologEvents

/// The causal relation of two events, or two clocks.
enum CausalRelation: Hashable, Sendable {
    /// The second had seen the first.
    case before
    /// The first had seen the second.
    case after
    /// They are the same.
    case equal
    /// Neither had seen the other.
    case concurrent
}

extension Stamp {
    /// The causal relation of this event to another.
    func relation(to other: Stamp) -> CausalRelation {
        if dot == other.dot { return .equal }
        if happened(before: other) { return .before }
        return other.happened(before: self) ? .after : .concurrent
    }
}

extension VectorClock {
    /// The causal relation of this clock to another.
    func relation(to other: VectorClock) -> CausalRelation {
        let within = counters.allSatisfy { $0.seq <= other[$0.device] }
        let covers = other.counters.allSatisfy { $0.seq <= self[$0.device] }
        return switch (within, covers) {
        case (true, true): .equal
        case (true, false): .before
        case (false, true): .after
        case (false, false): .concurrent
        }
    }
}
