/// Which of the waiting changes share the next transaction.

/// Changes that wait, and the turns that the accounts take, so that one that pushes as fast as it can does
/// not hold up the others.
///
/// Small changes have transactions of their own, and between two of them one with large changes: at most
/// 500 events, of the accounts that have waited longest. With `a` pushing 500 events again and again, and
/// `b` and `c` one each:
///
///     waiting        a500 a500 b1          c1 a500           a500
///     transactions   [b1] [a500]           [c1] [a500]       [a500] …
///
/// So a small change waits for one transaction of at most 500 events, or for one larger change.
package struct Turns<Change> {
    /// The events of one transaction with large changes; a single larger change has one to itself.
    package static var eventsMax: Int { 500 }
    /// The events of a small change, and of all of an account's in one transaction of small ones.
    package static var smallMax: Int { 50 }

    /// The account whose turn a change takes, and how many events it has; `nil` for a change that is small,
    /// no matter who asks for it.
    package typealias Share = (space: Space, events: Int)?

    private struct Waiting {
        let share: Share
        let change: Change
    }

    private var waiting: [Waiting] = []
    private var lastWasSmall = false

    /// No change waits.
    package init() {}

    /// How many changes wait.
    package var count: Int { waiting.count }

    /// Adds a change, after those that wait.
    package mutating func add(_ change: Change, of share: Share) {
        waiting.append(Waiting(share: share, change: change))
    }

    /// Takes the changes of the next transaction, in the order in which they came for each account. Empty
    /// only when none waits.
    package mutating func next() -> [Change] {
        let (small, others) = split()
        if small.isEmpty || lastWasSmall, let batch = takeLarge(keeping: small, of: others) {
            lastWasSmall = false
            return batch
        }
        lastWasSmall = true
        waiting = others
        return small.map { $0.change }
    }

    /// The changes of a transaction of small ones, and those that wait for another: what is large, what
    /// exceeds an account's part, and all that the same account asked for after it.
    private func split() -> (small: [Waiting], others: [Waiting]) {
        var small: [Waiting] = []
        var others: [Waiting] = []
        var taken: [Space: Int] = [:]
        for job in waiting {
            guard let (space, events) = job.share else {
                small.append(job)
                continue
            }
            taken[space, default: 0] += max(1, events)
            // Once one waits, all later ones of the account do.
            if taken[space, default: 0] <= Self.smallMax {
                small.append(job)
            } else {
                others.append(job)
            }
        }
        return (small, others)
    }

    /// Takes the first of the large changes, and as many of the later ones as fit beside it; `nil` when
    /// each has a small one of its account before it. The accounts that had their turn are last in the
    /// next one.
    private mutating func takeLarge(keeping small: [Waiting], of others: [Waiting]) -> [Change]? {
        var batch: [Change] = []
        var sum = 0
        var served: Set<Space> = []
        var blocked = Set(small.compactMap { $0.share?.space })
        var later: [(space: Space, job: Waiting)] = []
        for job in others {
            guard let (space, events) = job.share else { continue }
            if !blocked.contains(space), batch.isEmpty || sum + events <= Self.eventsMax {
                sum += events
                served.insert(space)
                batch.append(job.change)
            } else {
                blocked.insert(space)
                later.append((space, job))
            }
        }
        guard !batch.isEmpty else { return nil }
        let ordered =
            later.filter { !served.contains($0.space) } + later.filter { served.contains($0.space) }
        waiting = small + ordered.map { $0.job }
        return batch
    }
}
