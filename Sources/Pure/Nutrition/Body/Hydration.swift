/// What was drunk on a day, against the day's target.
public struct Hydration: Hashable, Sendable {
    /// Drunk as water, in microlitres.
    public let drunkMicroliters: Int64
    /// How many times.
    public let servings: Int
    /// Water in what was eaten, in microlitres, where it is to count; 1 g of water is 1 ml.
    public let eatenMicroliters: Int64
    /// The target, in microlitres; `nil` without one.
    public let targetMicroliters: Int64?

    /// Sums up a day.
    ///
    /// - Parameters:
    ///   - volumes: What was drunk, in microlitres.
    ///   - foodWater: Water in what was eaten, in milligrams; zero unless it is to count.
    ///   - target: In microlitres; of the plan in force.
    public init(volumes: [Int64], foodWater: Int64 = 0, target: Int64? = nil) {
        drunkMicroliters = volumes.reduce(0) { Rounding.sum($0, $1) }
        servings = volumes.count
        eatenMicroliters = foodWater
        targetMicroliters = target
    }

    /// All of it, in microlitres.
    public var totalMicroliters: Int64 { Rounding.sum(drunkMicroliters, eatenMicroliters) }

    /// The target less what was drunk, in microlitres; negative when exceeded, `nil` without one.
    public var remainingMicroliters: Int64? {
        targetMicroliters.map { Rounding.sum($0, -totalMicroliters) }
    }

    /// What was drunk of the target, in basis points, half to even; `nil` without one.
    public var basisPoints: Int64? {
        guard let target = targetMicroliters, target > 0 else { return nil }
        return Rounding.scaled(totalMicroliters, by: 10_000, over: target)
    }
}
