/// The water drunk on a day, compared with the day's target.
public struct Hydration: Hashable, Sendable {
    /// Drunk as water, in microlitres.
    package let drunkMicroliters: Int64
    /// How many drinks were logged.
    package let servings: Int
    /// Water in food, in microlitres, if it counts; 1 g of water is 1 ml.
    public let eatenMicroliters: Int64
    /// The target, in microlitres; `nil` without one.
    public let targetMicroliters: Int64?

    /// Sums up a day.
    ///
    /// - Parameters:
    ///   - volumes: The volumes drunk, in microlitres.
    ///   - foodWater: Water in food, in milligrams; zero if it does not count.
    ///   - target: In microlitres; of the plan in force.
    package init(volumes: [Int64], foodWater: Int64 = 0, target: Int64? = nil) {
        drunkMicroliters = volumes.reduce(0) { Rounding.sum($0, $1) }
        servings = volumes.count
        eatenMicroliters = foodWater
        targetMicroliters = target
    }

    /// All of it, in microlitres.
    public var totalMicroliters: Int64 { Rounding.sum(drunkMicroliters, eatenMicroliters) }

    /// The target less the volume drunk, in microlitres; negative when exceeded, `nil` without one.
    public var remainingMicroliters: Int64? {
        targetMicroliters.map { Rounding.sum($0, -totalMicroliters) }
    }

    /// The share of the target that was drunk, in basis points, half to even; `nil` without one.
    package var basisPoints: Int64? {
        guard let target = targetMicroliters, target > 0 else { return nil }
        return Rounding.scaled(totalMicroliters, by: 10_000, over: target)
    }
}
