import MacrologPlatform

/// One seed of either simulation, with its story.
package struct Played {
    package let problems: [String]
    package let story: [String]

    /// Runs a seed and keeps its story.
    package init(_ test: Regressions.Test, seed: UInt64) throws {
        switch test {
        case .model:
            let world = ModelWorld(seed: seed, tells: true)
            world.run()
            (problems, story) = (world.problems, world.story)
        case .world:
            let play = try WorldPlay(seed: seed, tells: true)
            (problems, story) = (play.problems, play.story)
        }
    }
}

/// The results of many worlds, as one readable page, and whether a promise was broken.
package struct Report: Sendable {
    package let page: String
    /// The violations, with the command that replays each; empty if there are none.
    package let failures: [String]
    /// Occurrences that were possible and never happened.
    package let never: [String]
    package var isInOrder: Bool { failures.isEmpty && never.isEmpty }

    /// From this number of worlds on, every possible occurrence must have happened.
    package static func worldsMin(_ test: Regressions.Test) -> Int {
        test == .model ? 20_000 : 400
    }

    /// The minimum mean number of faults per world: calm worlds prove little.
    private static let worldFaultsMin = 50

    /// Runs worlds on all cores.
    package init(
        _ test: Regressions.Test, _ seeds: Range<UInt64>,
        unless stop: @escaping @Sendable () -> Bool = { false }
    ) {
        let from = ContinuousClock.now
        var lines: [(String, Int)]
        let (worlds, strikes, visits, years): (Int, [(String, Int)], [(String, Int)], Double)
        let found: [(seed: UInt64, problems: [String])]
        var unrecorded: [String] = []
        switch test {
        case .model:
            let swarm = Swarm(seeds, ModelFigures(), unless: stop) { seed in
                let world = ModelWorld(seed: seed)
                world.run()
                return (world.problems, world.figures)
            } add: {
                $0.add($1)
            }
            let figures = swarm.figures
            found = swarm.failed.map { ($0.seed, $0.problems) }
            (worlds, strikes, visits, years) =
                (figures.worlds, figures.strikes, figures.visits, figures.years)
            lines = [
                ("events", figures.events), ("exchanges", figures.exchanges),
                ("quiet points", figures.quietPoints), ("conflicts", figures.conflicts),
                ("lost with disks", figures.lostWithDisks),
            ]
        case .world:
            let swarm = Swarm(seeds, WorldFigures(), unless: stop) { seed in
                let play = try WorldPlay(seed: seed)
                return (play.problems, play.figures)
            } add: {
                $0.add($1)
            }
            let figures = swarm.figures
            found = swarm.failed.map { ($0.seed, $0.problems) }
            let struck = figures.struck.counts
            let known = Set(FaultCounts.kinds)
            unrecorded = figures.unrecorded
            let others = struck.keys.filter { !known.contains($0) }.sorted()
            (worlds, strikes, visits, years) = (
                figures.worlds, (FaultCounts.kinds + others).map { ($0, struck[$0] ?? 0) },
                figures.visits, figures.years
            )
            lines = [
                ("of them with 50 faults or more", figures.disturbed), ("acts", figures.acts),
                ("events", figures.events), ("exchanges", figures.exchanges),
                ("quiet points", figures.quietPoints),
            ]
        }
        let faults = strikes.reduce(0) { $0 + $1.1 }
        lines.append(("faults", faults))
        failures = found.map { seed, problems in
            """
            seed \(seed), build \(Self.build):
              \(problems.joined(separator: "\n  "))
              again: swift run -c release story --seed=\(seed)\(test == .model ? " --model" : "")
            """
        }
        let isEnough = worlds >= Self.worldsMin(test)
        // Without disks to damage, and with logs that the first answer compares event by event, a model
        // has nothing to locate.
        let rare = WorldFigures.rare.union(test == .model ? ["locate", "plan"] : [])
        let silent = (strikes + visits).filter { $0.1 == 0 && !rare.contains($0.0) }.map(\.0)
        let isCalm = test == .world && faults < Self.worldFaultsMin * worlds
        never = isEnough ? silent + unrecorded + (isCalm ? ["50 faults a world"] : []) : []
        var page = "\(test) simulation, seeds \(seeds.lowerBound)..<\(seeds.upperBound)\n"
        for (name, count) in [("worlds", worlds)] + lines { page += Self.line(name, count) }
        if found.isEmpty, worlds < seeds.count {
            page += "  Stopped: the last \(seeds.count - worlds) were not played.\n"
        }
        page +=
            "  simulated years \(Int(years)), seconds \(from.duration(to: .now).components.seconds)\n"
        page += "What struck\n" + strikes.map { Self.line($0.0, $0.1) }.joined()
        page +=
            "States of the sync machine, entered\n" + visits.map { Self.line($0.0, $0.1) }.joined()
        if !never.isEmpty { page += "Never: \(never.joined(separator: ", "))\n" }
        page +=
            failures.isEmpty ? "No promise was broken.\n" : failures.joined(separator: "\n") + "\n"
        self.page = page
    }

    private static func line(_ name: String, _ count: Int) -> String {
        let name = "  " + name
        return name + String(repeating: " ", count: max(1, 34 - name.utf8.count)) + "\(count)\n"
    }

    /// The commit that this was built from, from `MACROLOG_BUILD` or git.
    package static var build: String {
        if let text = getenv("MACROLOG_BUILD") { return String(cString: text) }
        guard let pipe = popen("git describe --always --dirty 2>/dev/null", "r") else {
            return "unknown"
        }
        defer { pclose(pipe) }
        var bytes = [UInt8](repeating: 0, count: 80)
        let count = fread(&bytes, 1, bytes.count, pipe)
        let text = String(decoding: bytes.prefix(count).prefix { $0 != 10 }, as: UTF8.self)
        return text.isEmpty ? "unknown" : text
    }
}
