import MacrologEvents
package import MacrologWire
package import MacrologLog

/// The digest of any range of the log, computed from the rows and not from the stored digests, and
/// which rows are as they were sealed.
package struct HeldDigests: Sendable {
    /// The number before the first row.
    private let start: Int64
    private var numbers: [Int64] = []
    private var sums: [PrefixDigest] = []
    /// The numbers of the sound rows, ascending.
    private var sound: [Int64] = []
    /// Whether every stored digest is that of the rows.
    package private(set) var isExact = true

    /// The digests of no rows.
    package init() { start = 0 }

    /// Reads and hashes the rows after a number and up to another once.
    ///
    /// - Parameter before: p(start), as stored.
    package init(
        after start: Int64 = 0, _ before: PrefixDigest = .empty, through last: Int64,
        in db: inout LogConnection
    ) throws(LogError) {
        self.start = start
        // Two rows before the one that is judged, and the one after it.
        var chain = RowChain(start, before)
        try StoredRow.forEach(after: start, through: last, in: &db) { row in
            if let judged = chain.add(row.n, row.summand, row.digest) { take(judged) }
        }
        if let judged = chain.end() { take(judged) }
    }

    private mutating func take(_ row: RowChain.Judged) {
        isExact = isExact && row.isExact
        if let summand = row.summand { add(summand, at: row.n, isSound: row.isSound) }
    }

    /// Adds the next row that can be read, by its summand in the digest.
    ///
    /// - Parameter isSound: Whether it is as it was sealed.
    package mutating func add(_ summand: PrefixDigest, at n: Int64, isSound: Bool = true) {
        assert(numbers.last.map { $0 < n } ?? true, "rows come in their order")
        var sum = sums.last ?? .empty
        sum.add(summand)
        numbers.append(n)
        sums.append(sum)
        if isSound { sound.append(n) }
    }

    /// The digest of the rows after a number and up to another.
    package func digest(after: Int64, through: Int64) -> PrefixDigest {
        assert(start...through ~= after)
        return sum(through).subtracting(sum(after))
    }

    /// Whether a row after a number and up to another is damaged or missing.
    package func hasDamage(after: Int64, through: Int64) -> Bool {
        assert(start...through ~= after)
        return Int64(Self.count(sound, upTo: through) - Self.count(sound, upTo: after))
            != through - after
    }

    private func sum(_ n: Int64) -> PrefixDigest {
        let count = Self.count(numbers, upTo: n)
        return count == 0 ? .empty : sums[count - 1]
    }

    /// How many of ascending numbers are at most `n`.
    private static func count(_ numbers: [Int64], upTo n: Int64) -> Int {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] <= n { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Judges rows by the digests that are stored with them and with their neighbours. If only a stored
/// digest is damaged, its row and the next one together still match the digests around them.
private struct RowChain {
    struct Judged {
        let n: Int64
        let summand: PrefixDigest?
        /// Whether the row is as it was sealed.
        let isSound: Bool
        /// Whether the digest that is stored with it is right, too.
        let isExact: Bool
    }

    private struct Link {
        let n: Int64
        let summand: PrefixDigest?
        let digest: PrefixDigest?
    }

    /// At most the two before the one that waits, and that one.
    private var links: [Link]

    init(_ start: Int64, _ before: PrefixDigest) {
        links = [Link(n: start, summand: nil, digest: before)]
    }

    /// Adds the next row, and judges the one before it.
    mutating func add(_ n: Int64, _ summand: PrefixDigest?, _ digest: PrefixDigest?) -> Judged? {
        links.append(Link(n: n, summand: summand, digest: digest))
        guard links.count > 2 else { return nil }
        let judged = judge(links.count - 2)
        if links.count > 3 { links.removeFirst() }
        return judged
    }

    /// Judges the last row.
    func end() -> Judged? { links.count > 1 ? judge(links.count - 1) : nil }

    private func judge(_ place: Int) -> Judged {
        let isExact = matches(place - 1, place)
        let isSound = isExact || matches(place - 2, place) || matches(place - 1, place + 1)
        return Judged(
            n: links[place].n, summand: links[place].summand, isSound: isSound, isExact: isExact)
    }

    /// Whether the rows after one place and up to another follow one another, and match the digests
    /// of both.
    private func matches(_ first: Int, _ last: Int) -> Bool {
        guard first >= 0, last < links.count, var sum = links[first].digest else { return false }
        for place in first + 1...last {
            let (isNext, overflow) = links[place - 1].n.addingReportingOverflow(1)
            guard !overflow, links[place].n == isNext, let summand = links[place].summand else {
                return false
            }
            sum.add(summand)
        }
        return sum == links[last].digest
    }
}
