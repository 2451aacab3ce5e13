/// The carbohydrate that counts on a low-carbohydrate diet, of parts that count fibre in and of parts
/// that don't.
///
/// Adding is order-independent, as in ``NutrientTotals``.
public struct NetCarbs: Hashable, Sendable {
    /// The sum of the known values, in milligrams; `nil` if no item's carbohydrate is known.
    public private(set) var milligrams: Int64?
    /// How many of the parts knew their carbohydrate.
    public private(set) var coverage = Coverage(known: 0, parts: 0)
    /// Whether it may be less, because of a part fibre is not known.
    public private(set) var isUpperBound = false

    /// Nothing added.
    package init() {}

    /// Adds one part.
    ///
    /// - Parameter basis: `nil` where some of it counts fibre in and some does not, as in a recipe of
    ///   both kinds of foods: then no fibre is subtracted, and the sum is an upper bound.
    package mutating func add(_ part: Nutrients, _ basis: CarbBasis?) {
        let net = part.netCarbs(basis ?? .available)
        if let net {
            milligrams = Rounding.sum(milligrams ?? 0, net)
            let isUnsure = basis == nil || basis == .total && part[.fiber] == nil
            if net > 0, isUnsure { isUpperBound = true }
        }
        coverage = Coverage(
            known: coverage.known + (net == nil ? 0 : 1), parts: coverage.parts + 1)
    }

    /// Adds the parts of another sum.
    package mutating func add(_ other: NetCarbs) {
        if let more = other.milligrams { milligrams = Rounding.sum(milligrams ?? 0, more) }
        isUpperBound = isUpperBound || other.isUpperBound
        coverage = Coverage(
            known: coverage.known + other.coverage.known,
            parts: coverage.parts + other.coverage.parts)
    }

    /// The sum of a share of it, in basis points, rounded once, half to even.
    package func share(basisPoints: Int64) -> NetCarbs {
        var part = self
        part.milligrams = milligrams.map { Rounding.scaled($0, by: basisPoints, over: 10_000) }
        return part
    }
}

extension Nutrients {
    /// Carbohydrate that counts on a low-carbohydrate diet, in milligrams: total less fibre and
    /// polyols, or available less polyols; never below zero. Fibre that is unknown is not subtracted.
    /// `nil` while carbohydrate is unknown.
    package func netCarbs(_ basis: CarbBasis) -> Int64? {
        guard let carbs = self[.carbs] else { return nil }
        var net = Int128(carbs) - Int128(self[.polyols] ?? 0)
        if basis == .total { net -= Int128(self[.fiber] ?? 0) }
        return Rounding.clamped(max(net, 0))
    }

    /// Carbohydrate with its fibre, in milligrams; `nil` while carbohydrate is unknown.
    package func totalCarbs(_ basis: CarbBasis) -> Int64? {
        guard let carbs = self[.carbs] else { return nil }
        return basis == .total ? carbs : Rounding.sum(carbs, self[.fiber] ?? 0)
    }
}
