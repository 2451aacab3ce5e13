/// Medians of interleaved rounds: a machine that slows down slows all sides of a ratio.
struct Rounds {
    /// Seconds of a round of ours, the median.
    let ours: Double
    /// Seconds of a round of the limit, the median.
    let limit: Double
    /// Limit ÷ ours of each round, the median: 1 is the limit's own speed.
    let ratio: Double
    /// Seconds of a round of the C engine, the median; 0 where it takes no part.
    let peer: Double
    /// C engine ÷ ours of each round, the median: 1 is the C engine's speed.
    let peerRatio: Double
    /// How far the rounds' ratios lie from their median, as a part of it, without the worst round; of
    /// both ratios the greater.
    let noise: Double

    /// Runs all sides in turn, `count` times. Each returns the seconds that count.
    static func run(
        _ count: Int, ours: (Int) throws -> Double, limit: (Int) throws -> Double,
        peer: ((Int) throws -> Double)? = nil
    ) rethrows -> Rounds {
        Rounds(
            try turns(count, sides: peer == nil ? 2 : 3) { side, round in
                switch side {
                case 0: try ours(round)
                case 1: try limit(round)
                default: try peer?(round) ?? 0
                }
            })
    }

    /// - Parameter times: Of each round the seconds of ours, of the limit, and of the C engine if it takes part.
    init(_ times: [[Double]]) {
        let rounds = times.map { $0.count == 2 ? $0 + [0] : $0 }
        ours = median(rounds.map { $0[0] })
        limit = median(rounds.map { $0[1] })
        ratio = median(rounds.map { $0[1] / $0[0] })
        peer = median(rounds.map { $0[2] })
        peerRatio = median(rounds.map { $0[2] / $0[0] })
        noise = max(
            Self.noise(rounds.map { $0[1] / $0[0] }), Self.noise(rounds.map { $0[2] / $0[0] }))
    }

    private static func noise(_ ratios: [Double]) -> Double {
        let middle = median(ratios)
        guard middle > 0 else { return 0 }
        return ratios.map { abs($0 / middle - 1) }.sorted().dropLast().last ?? 0
    }
}

/// Runs all sides in turn, `count` times. Each returns the seconds that count.
///
/// - Returns: For each round the seconds of each side.
func turns(
    _ count: Int, sides: Int, _ run: (_ side: Int, _ round: Int) throws -> Double
) rethrows -> [[Double]] {
    try (0..<count).map { round in
        var times = [Double](repeating: 0, count: sides)
        // Who goes first changes, so that no side always finds another's dirt.
        for turn in 0..<sides {
            let side = (round + turn) % sides
            times[side] = try run(side, round)
        }
        return times
    }
}

/// The middle of the numbers.
func median(_ numbers: [Double]) -> Double {
    let sorted = numbers.sorted()
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/// The seconds a body takes. `.ci/instructions` counts what runs inside of this function, by its name: `dynamic`, so
/// that the compiler makes no copies of it.
dynamic func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return start.secondsAgo
}

extension ContinuousClock.Instant {
    /// The seconds since.
    var secondsAgo: Double {
        let (seconds, attoseconds) = (ContinuousClock.now - self).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
