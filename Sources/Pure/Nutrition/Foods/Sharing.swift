/// How a pot is divided among people and days, in basis points of the whole.
package enum Sharing {
    /// Shares for weights such as 2, 1 and 1, that sum to the whole exactly: every share is cut to
    /// basis points, and what is missing goes to those cut most, the earlier of equals first. `nil`
    /// without a positive weight, or with a negative one.
    package static func divide(_ weights: [Int64], whole: Int64 = 10_000) -> [Int64]? {
        guard weights.allSatisfy({ $0 >= 0 }), whole >= 0 else { return nil }
        let sum = weights.reduce(Int128(0)) { $0 + Int128($1) }
        guard sum > 0 else { return nil }
        var shares = weights.map { Rounding.clamped(Int128($0) * Int128(whole) / sum) }
        let remainders = weights.map { Int128($0) * Int128(whole) % sum }
        let order = weights.indices.sorted {
            remainders[$0] == remainders[$1] ? $0 < $1 : remainders[$0] > remainders[$1]
        }
        let missing = whole - shares.reduce(0, +)
        for index in order.prefix(Int(missing)) { shares[index] += 1 }
        return shares
    }

    /// The rest of a pot after some of it was eaten; negative when more was eaten than there was.
    package static func leftover(after eaten: [Int64], whole: Int64 = 10_000) -> Int64 {
        Rounding.clamped(eaten.reduce(Int128(whole)) { $0 - Int128($1) })
    }

    /// The share that a mass is of the whole dish, in basis points, half to even; `nil` for a dish
    /// without mass.
    package static func share(ofMilligrams part: Int64, whole: Int64) -> Int64? {
        whole > 0 ? Rounding.scaled(part, by: 10_000, over: whole) : nil
    }
}

extension Meal {
    /// What was left over of the dish, in basis points of the whole; negative when more was eaten than
    /// there was.
    public var leftoverBasisPoints: Int64 { Sharing.leftover(after: [consumedShareBasisPoints]) }
}
