package import MacrologEvents

/// How a device finds, step by step, how far its log and the server's are equal, after the server's
/// log has been replaced. It remembers the server's answers; none of them needs to be stored.
package struct RecoveryPlan: Hashable, Sendable {
    /// What to do next.
    package enum Step: Hashable, Sendable {
        /// Send the server the digests at these numbers.
        case compare([Int64])
        /// The server's log ends here, and is a prefix of this one: give back what follows.
        case give(after: Int64)
        /// The server's log contains all of this log.
        case done
        /// The server's log differs from this one after this number.
        case fork(Int64)
    }

    /// The epoch of the server's log; 0 before it is known.
    package private(set) var epoch: UInt32 = 0
    /// How many events were given back.
    package private(set) var given: Int64 = 0
    /// Both logs are equal up to here.
    private var agreed: Int64 = 0
    /// Both logs are known to differ here; `nil` while no such number is known.
    private var differs: Int64?
    private var head: Int64 = 0

    /// Nothing is known yet.
    package init() {}

    /// What to do next on a device that holds the server's log up to `cursor`.
    package func step(cursor: Int64) -> Step {
        guard epoch != 0 else { return .compare(Self.spread(after: 0, through: cursor)) }
        if agreed == cursor { return .done }
        if agreed == head { return .give(after: agreed) }
        if differs == agreed + 1 { return .fork(agreed) }
        return .compare(
            Self.spread(after: agreed, through: min(cursor, head, (differs ?? .max) - 1)))
    }

    /// Processes the server's answer to a request.
    ///
    /// - Returns: `false` when the answer does not fit the request, or says nothing new.
    package mutating func learn(_ answer: RecoverAnswer, to request: RecoverRequest) -> Bool {
        let before = self
        if answer.epoch != epoch {
            let given = given
            self = RecoveryPlan()
            (self.epoch, self.given) = (answer.epoch, given)
        }
        let last = request.marks.last?.n.rawValue ?? 0
        let end = last + Int64(request.rows.count)
        let isGiven = !request.rows.isEmpty && answer.agreed == end
        guard
            answer.agreed == 0 || isGiven
                || request.marks.contains(where: { $0.n == answer.agreed })
        else { return false }
        if isGiven { given += end - last }
        agreed = max(agreed, answer.agreed.rawValue)
        head = answer.head.rawValue
        let other = request.marks.first { $0.n > agreed && $0.n <= head }?.n.rawValue
        differs = [differs, other].compactMap { $0 }.filter { $0 > agreed }.min()
        return self != before
    }

    /// Evenly spread numbers after one number and up to another, as many as one request may name.
    private static func spread(after first: Int64, through last: Int64) -> [Int64] {
        let count = min(last - first, Int64(Limits.recoverMarksMax))
        guard count > 0 else { return [] }
        let (step, rest) = (last - first).quotientAndRemainder(dividingBy: count)
        return (1...count).map { first + step * $0 + min(rest, $0) }
    }
}
