import MacrologTestSupport

/// One complete seed: how many people and devices, which faults, how long, how many quiet points.
package struct WorldPlay: Sendable {
    /// Violations, as sentences; empty if there are none.
    package let problems: [String]
    package let figures: WorldFigures
    /// What happened, line by line, if it was asked for.
    package let story: [String]

    /// Runs a seed to its end.
    ///
    /// - Parameters:
    ///   - tells: Whether to keep the story, which takes time.
    package init(seed: UInt64, tells: Bool = false) throws {
        var dice = Dice(seed: ~seed)
        // Mostly one person with two or three devices; sometimes many people, or many devices.
        let shape = dice.roll(1...100)
        let (people, devicesEach): (Int, Int) =
            switch shape {
            case 1: (Int(dice.roll(9...50)), 1)
            case 2...4: (Int(dice.roll(3...8)), 2)
            case 5...14: (2, 2)
            case 15...20: (1, 6)
            case 21...50: (1, 3)
            default: (1, 2)
            }
        let rest = dice.pick([10_000, 60_000, 900_000] as [Int64]) ?? 10_000
        let rounds = dice.percent(30) ? 2 : 1
        let acts = Int(dice.roll(30...60))
        self = try ScratchFolder.lend { folder in
            let world = try World(
                seed: seed, people: people, devicesEach: devicesEach, restMilliseconds: rest,
                tells: tells, folder: folder)
            var problems: [String] = []
            do {
                for _ in 0..<rounds where problems.isEmpty {
                    try world.run(acts: acts / rounds)
                    try world.converge()
                    world.tell("-- all is quiet")
                    problems = try world.check()
                    world.figures.quietPoints += 1
                }
            } catch {
                problems.append("stopped by: \(error)")
            }
            world.figures.worlds = 1
            let strikes = world.struck.counts.values.reduce(0, +)
            world.figures.disturbed = strikes >= WorldFigures.manyFaults ? 1 : 0
            world.figures.milliseconds = world.now - World.beginning
            return WorldPlay(problems: problems, figures: world.figures, story: world.story)
        }
    }

    private init(problems: [String], figures: WorldFigures, story: [String]) {
        self.problems = problems
        self.figures = figures
        self.story = story
    }
}
