package import MacrologEvents
package import MacrologLog

/// The digest of any range of the log, computed from the rows as stored and not from the stored
/// digests.
package struct HeldDigests: Sendable {
    private var numbers: [Int64] = []
    private var sums: [PrefixDigest] = []

    /// The digests of an empty log.
    package init() {}

    /// Reads and hashes all rows up to a number once.
    package init(through last: Int64, in db: inout LogConnection) throws(LogError) {
        try StoredRow.forEach(after: 0, through: last, in: &db) { row in
            if let summand = row.summand { add(summand, at: row.n) }
        }
    }

    /// Adds the next row that exists, by its summand in the digest.
    package mutating func add(_ summand: PrefixDigest, at n: Int64) {
        assert(numbers.last.map { $0 < n } ?? true, "rows come in their order")
        var sum = sums.last ?? .empty
        sum.add(summand)
        numbers.append(n)
        sums.append(sum)
    }

    /// The digest of the rows after a number and up to another.
    func digest(after: Int64, through: Int64) -> PrefixDigest {
        assert(0...through ~= after)
        return sum(through).subtracting(sum(after))
    }

    private func sum(_ n: Int64) -> PrefixDigest {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] <= n { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? .empty : sums[low - 1]
    }
}
