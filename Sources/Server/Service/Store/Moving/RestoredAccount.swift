/// Which store serves an account after one or more of several stores went back to an earlier state.
///
///     backup of b       since then           found afterwards             so
///     x is here         b → a                a: x is here                 a serves it; the copy in b goes
///     x is here         b → a → b            b: x is here                 b serves it as it was at the backup
///     x is away to a    b → a → b            b: x is away to a            b serves it again
///     –                 closed in a for b    a: x is away to b            a serves it again, under a new epoch
///     –                 a → b                –                            x is lost; its placement stays
///     x is here         deleted              b: x is here; no placement   it is deleted again
///
/// Each move adds one to an account's arrival. So of two copies the one with the greater arrival was made from the
/// other one, and has all that this one had when it was closed.
struct RestoredAccount {
    /// The row of the account in one store.
    struct Copy {
        let store: String
        let arrival: Int64
        /// The store that serves it, or is about to; `nil`: this one.
        let away: String?
        let isDeleted: Bool
    }

    /// What the directory says of it.
    struct Placed {
        let store: String
        /// Whether it has no address any more, because it was deleted.
        let isReleased: Bool
    }

    enum Outcome: Equatable {
        /// Nothing of it went back, or nothing can be said.
        case untouched
        /// Its store serves it; all other copies go. `reopens`: it was closed there for a move.
        case served(by: String, reopens: Bool)
        /// It was deleted after the backup that holds it.
        case deleted(in: String)
        /// The directory knows it, and no store has it.
        case lost
    }

    let copies: [Copy]
    let placed: Placed?
    /// The stores that went back.
    let restored: Set<String>
    let directoryIsRestored: Bool

    var outcome: Outcome {
        let current = copies.filter { $0.away == nil && !restored.contains($0.store) }
        guard current.count < 2 else { return .untouched }
        guard let newest = current.first ?? copies.max(by: Self.isOlder) else {
            guard let placed, !placed.isReleased else { return .untouched }
            return directoryIsRestored || restored.contains(placed.store) ? .lost : .untouched
        }
        if current.isEmpty, !newest.isDeleted {
            let isForgotten = placed == nil && !directoryIsRestored
            if isForgotten || placed?.isReleased == true { return .deleted(in: newest.store) }
        }
        if let away = newest.away, restored.isDisjoint(with: [newest.store, away]) {
            return .untouched
        }
        return .served(by: newest.store, reopens: newest.away != nil)
    }

    private static func isOlder(_ one: Copy, _ other: Copy) -> Bool {
        (one.arrival, other.store) < (other.arrival, one.store)
    }
}
