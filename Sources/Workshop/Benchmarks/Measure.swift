/// Medians of interleaved rounds: a machine that slows down slows both sides of a ratio.
struct Rounds {
    /// Seconds of a round of ours, the median.
    let ours: Double
    /// Seconds of a round of the limit, the median.
    let limit: Double
    /// Limit ÷ ours of each round, the median: 1 is the limit's own speed.
    let ratio: Double

    /// Runs both sides in turn, `count` times. Each returns the seconds that count.
    static func run(
        _ count: Int, ours: (Int) throws -> Double, limit: (Int) throws -> Double
    ) rethrows -> Rounds {
        var pairs: [(ours: Double, limit: Double)] = []
        for round in 0..<count {
            // Who goes first changes, so that neither always finds the other's dirt.
            if round % 2 == 0 {
                let first = try ours(round)
                pairs.append((first, try limit(round)))
            } else {
                let first = try limit(round)
                pairs.append((try ours(round), first))
            }
        }
        return Rounds(
            ours: median(pairs.map(\.ours)), limit: median(pairs.map(\.limit)),
            ratio: median(pairs.map { $0.limit / $0.ours }))
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
