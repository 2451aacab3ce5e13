import Synchronization

/// Many worlds at once, one on each core. Worlds are independent: the result of a seed never
/// depends on how many others run.
package struct Swarm<Figures: Sendable>: Sendable {
    /// A world with violations.
    package struct FailedWorld: Sendable {
        package let seed: UInt64
        package let problems: [String]
    }

    /// The figures of all of them.
    package private(set) var figures: Figures
    /// Worlds with violations, by seed. After some of them no new world is begun.
    package private(set) var failed: [FailedWorld] = []

    /// Runs seeds.
    ///
    /// - Parameters:
    ///   - start: Empty figures.
    ///   - stop: Called before each world; returns whether the time is up.
    ///   - play: Runs one seed and returns its violations.
    ///   - add: Adds up figures.
    package init(
        _ seeds: Range<UInt64>, _ start: Figures,
        unless stop: @Sendable () -> Bool = { false },
        play: @Sendable (UInt64) throws -> (problems: [String], figures: Figures),
        add: @Sendable (inout Figures, Figures) -> Void
    ) {
        let next = Atomic<UInt64>(seeds.lowerBound)
        let result = Mutex((figures: start, failed: [FailedWorld]()))
        Cores.perform(Cores.count) { _ in
            var own = start
            while true {
                let seed = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard seed < seeds.upperBound, !stop() else { break }
                do {
                    let (problems, figures) = try play(seed)
                    add(&own, figures)
                    guard !problems.isEmpty else { continue }
                    result.withLock {
                        $0.failed.append(FailedWorld(seed: seed, problems: problems))
                    }
                } catch {
                    result.withLock {
                        $0.failed.append(
                            FailedWorld(seed: seed, problems: ["stopped by: \(error)"]))
                    }
                }
                if result.withLock({ $0.failed.count }) >= 5 { break }
            }
            result.withLock { [own] in add(&$0.figures, own) }
        }
        figures = result.withLock { $0.figures }
        failed = result.withLock { $0.failed }.sorted { $0.seed < $1.seed }
    }
}
