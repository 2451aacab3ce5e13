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
        let sides = peer == nil ? 2 : 3
        var rounds: [[Double]] = []
        for round in 0..<count {
            var times = [0.0, 0.0, 0.0]
            // Who goes first changes, so that no side always finds another's dirt.
            for turn in 0..<sides {
                let side = (round + turn) % sides
                switch side {
                case 0: times[side] = try ours(round)
                case 1: times[side] = try limit(round)
                default: times[side] = try peer?(round) ?? 0
                }
            }
            rounds.append(times)
        }
        return Rounds(
            ours: median(rounds.map { $0[0] }), limit: median(rounds.map { $0[1] }),
            ratio: median(rounds.map { $0[1] / $0[0] }), peer: median(rounds.map { $0[2] }),
            peerRatio: median(rounds.map { $0[2] / $0[0] }),
            noise: max(
                noise(rounds.map { $0[1] / $0[0] }), noise(rounds.map { $0[2] / $0[0] })))
    }

    private static func noise(_ ratios: [Double]) -> Double {
        let middle = median(ratios)
        guard middle > 0 else { return 0 }
        return ratios.map { abs($0 / middle - 1) }.sorted().dropLast().last ?? 0
    }
}

/// The middle of the numbers.
func median(_ numbers: [Double]) -> Double {
    let sorted = numbers.sorted()
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/// The seconds a body takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
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
