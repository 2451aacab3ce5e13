/// What a subject held when a step had answered.
private struct Moment<Holding: Hashable> {
    /// Operations of the disk until then.
    let count: UInt64
    let holdings: Set<Holding>
    /// The step that came after, until the next moment.
    let next: String
    let isWhole: Bool
}

/// What came of opening a disk after a crash.
private enum Verdict<Holding: Hashable> {
    case sound(Set<Holding>)
    case broken([String])
}

extension Workload {
    /// Runs the script once, and then opens what every crash on the way would have left: nothing
    /// that was answered is lost, nothing is half there, and everything is sound and goes on.
    func crashes(_ choice: TrialChoice) throws -> TrialReport {
        if let only = choice.only, only.workload != name { return TrialReport() }
        let folder = try TrialFolder()
        try prepare(folder.path)
        let disk = disk(in: folder.path)
        let moments = try record(on: disk, in: folder.path, choice.seed)
        var trial = CrashTrial(workload: self, folder: folder.path, moments, choice)
        try trial.run(disk)
        return trial.report
    }

    private func record(
        on disk: FaultDisk, in folder: String, _ seed: UInt64
    ) throws -> [Moment<S.Holding>] {
        let subject = try S(in: folder, on: disk)
        var moments: [Moment<S.Holding>] = []
        for (index, step) in steps.enumerated() {
            moments.append(
                Moment(
                    count: disk.count, holdings: try subject.holdings(), next: step.name,
                    isWhole: step.isWhole))
            var dice = dice(seed, index)
            try step.run(subject, &dice)
        }
        let end = try subject.holdings()
        moments.append(Moment(count: disk.count, holdings: end, next: "close", isWhole: true))
        subject.close()
        moments.append(Moment(count: disk.count, holdings: end, next: "nothing", isWhole: true))
        return moments
    }
}

/// One script's crashes, one after the other.
private struct CrashTrial<S: Subject> {
    let workload: Workload<S>
    let folder: String
    let moments: [Moment<S.Holding>]
    let choice: TrialChoice
    var report = TrialReport()
    /// What came of each image.
    private var verdicts: [UInt64: Verdict<S.Holding>] = [:]

    init(
        workload: Workload<S>, folder: String, _ moments: [Moment<S.Holding>],
        _ choice: TrialChoice
    ) {
        self.workload = workload
        self.folder = folder
        self.moments = moments
        self.choice = choice
    }

    mutating func run(_ disk: FaultDisk) throws {
        let replay = CrashReplay(disk)
        let count = disk.count
        for operation in 0...count {
            let done = disk.operation(operation)
            let kind = done.map { "\($0)" } ?? "the end"
            let weight: UInt64 = done == .write ? 1 : 4
            for damage in Damage.allCases
            where choice.contains(workload.name, operation, "\(damage)", weight: weight) {
                let seed = Dice.mixed(choice.seed, operation, UInt64(damage.rawValue))
                let hash = replay.crash(at: operation, damage, seed: seed)
                report.cases += 1
                report.struck.note("\(damage)")
                report.struck.note("at \(kind)")
                let verdict = try verdicts[hash] ?? judge(replay, seed: seed)
                verdicts[hash] = verdict
                for problem in problems(verdict, after: operation) {
                    report.problems.append(
                        """
                        \(workload.name), \(damage) at operation \(operation) (\(kind)) of \
                        \(count): \(problem)
                        \(choice.replay(workload.name, operation, "\(damage)", "CrashTests"))
                        """)
                }
                if report.problems.count > 20 { return }
            }
        }
    }

    /// Opens the image, and what crashes while it is opened would leave of it.
    private mutating func judge(
        _ replay: CrashReplay, seed: UInt64
    ) throws -> Verdict<S.Holding> {
        replay.write()
        report.images += 1
        let disk = workload.disk(in: folder)
        let (verdict, opened) = open(on: disk)
        guard case .sound(let holdings) = verdict, opened > 0 else { return verdict }
        // The recovery did write, so it can be interrupted, too.
        var dice = Dice(seed: seed)
        let second = CrashReplay(disk)
        let operation = dice.next() % (opened + 1)
        let damage = dice.pick(Damage.allCases) ?? .lost
        _ = second.crash(at: operation, damage, seed: dice.next())
        second.write()
        report.secondCrashes += 1
        let again = open(on: workload.disk(in: folder)).verdict
        let problems =
            switch again {
            case .broken(let problems): problems
            case .sound(let found): found == holdings ? [] : ["it holds something else"]
            }
        return problems.isEmpty
            ? verdict
            : .broken(
                problems.map { "after a second crash, \(damage) at \(operation) of opening: \($0)" }
            )
    }

    /// - Returns: What came of it, and how many operations opening took.
    private func open(on disk: FaultDisk) -> (verdict: Verdict<S.Holding>, opened: UInt64) {
        do {
            let subject = try S(in: folder, on: disk)
            defer { subject.close() }
            let opened = disk.count
            let holdings = try subject.holdings()
            var problems = try subject.problems()
            if problems.isEmpty {
                try subject.goOn()
                if try !subject.holdings().isSuperset(of: holdings) {
                    problems.append("going on has changed what was there")
                }
            }
            return (problems.isEmpty ? .sound(holdings) : .broken(problems), opened)
        } catch {
            return (.broken(["it cannot be opened or go on: \(error)"]), disk.count)
        }
    }

    private func problems(_ verdict: Verdict<S.Holding>, after operation: UInt64) -> [String] {
        guard case .sound(let found) = verdict else {
            guard case .broken(let problems) = verdict else { return [] }
            return problems
        }
        // Before the first answer, opening is only repeated.
        guard let now = moments.last(where: { $0.count <= operation }) else {
            return found == moments[0].holdings ? [] : ["opened again, it holds something else"]
        }
        let next = moments.first { $0.count > operation } ?? now
        if found == now.holdings || found == next.holdings { return [] }
        let lost = now.holdings.intersection(next.holdings).subtracting(found).count
        if lost > 0 { return ["\(now.next): \(lost) of what was answered for is lost"] }
        if !found.isSubset(of: now.holdings.union(next.holdings)) {
            return ["\(now.next): it holds what nobody gave it"]
        }
        return now.isWhole ? ["\(now.next): it is half done"] : []
    }
}

extension Dice {
    /// One number from several.
    static func mixed(_ numbers: UInt64...) -> UInt64 {
        numbers.reduce(0) { mixed, number in
            var dice = Dice(seed: mixed ^ number)
            return dice.next()
        }
    }
}
