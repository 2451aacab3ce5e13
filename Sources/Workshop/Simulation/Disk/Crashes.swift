import MacrologTestSupport

/// What a subject held when a step had answered.
private struct Moment<Holding: Hashable> {
    /// The number of disk operations until then.
    let count: UInt64
    let holdings: Set<Holding>
    /// The next step, until the next moment.
    let next: String
    let isWhole: Bool
}

/// The result of opening a disk after a crash.
private enum Verdict<Holding: Hashable> {
    case sound(Set<Holding>)
    case broken([String])
}

extension Workload {
    /// Runs the script once, and then opens the disk image of every possible crash: nothing that
    /// was answered is lost, nothing is half done, and everything is sound and continues to work.
    func crashes(_ choice: TrialChoice) throws -> TrialReport {
        if let only = choice.only, only.workload != name { return TrialReport() }
        let folder = try TrialFolder(prepare)
        let disk = disk(in: folder.path)
        let moments = try record(on: disk, in: folder.path, choice.seed)
        var trial = CrashTrial(workload: self, folder: folder.path, moments, choice)
        try trial.run(disk)
        return trial.report
    }

    private func record(
        on disk: FaultDisk, in folder: String, _ seed: UInt64
    ) throws -> [Moment<S.Holding>] {
        let subject = try S(in: folder, on: disk, hasWriter: true)
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

/// The crashes of one script, one after the other.
private struct CrashTrial<S: Subject> {
    let workload: Workload<S>
    let folder: String
    let moments: [Moment<S.Holding>]
    let choice: TrialChoice
    var report = TrialReport()
    /// The result of each image.
    private var verdicts: [UInt64: Verdict<S.Holding>] = [:]
    /// The result of each image left by a second crash.
    private var secondVerdicts: [UInt64: Verdict<S.Holding>] = [:]
    /// The verdicts on images; images that differ only in bytes that are never read share one.
    private var seen: [UInt64: Verdict<S.Holding>] = [:]
    private var secondSeen: [UInt64: Verdict<S.Holding>] = [:]
    /// The derived data for each set of holdings, where it was found correct.
    private var derived: [Set<S.Holding>: [UInt8]] = [:]

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
            let weight = weight(of: done)
            var isHit = false
            for damage in Damage.allCases
            where choice.contains(workload.name, operation, "\(damage)", weight: weight) {
                isHit = true
                for round in 0..<(damage.isChance ? choice.rounds : 1) {
                    let seed = Dice.mixed(
                        choice.seed, operation, UInt64(damage.rawValue), round)
                    let hash = replay.crash(at: operation, damage, seed: seed)
                    report.cases += 1
                    report.struck.note("\(damage)")
                    report.struck.note("at \(kind)")
                    let verdict = try verdict(on: hash, replay, seed: seed)
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
            if isHit { report.points[workload.name, default: 0] += 1 }
        }
    }

    /// How much more often than a write a rare operation is drawn.
    private func weight(of operation: DiskOperation?) -> UInt64 {
        switch operation {
        case .write: 1
        case .truncate, .sync, .create, .delete, .lostSync, nil: 4
        case .replace, .rename, .folder, .syncFolder: .max
        }
    }

    /// The known verdict on an image, or else a new one. An image that differs from another only in
    /// bytes that are never read is opened now and then.
    private mutating func verdict(
        on hash: UInt64, _ replay: CrashReplay, seed: UInt64
    ) throws -> Verdict<S.Holding> {
        if let known = verdicts[hash] { return known }
        let key = replay.seen
        let verdict =
            if let known = seen[key], seed % choice.deepEvery != 1 % choice.deepEvery {
                known
            } else {
                try judge(replay, seed: seed)
            }
        (verdicts[hash], seen[key]) = (verdict, verdict)
        return verdict
    }

    /// Opens the image, and the images that a crash during the opening would leave.
    private mutating func judge(
        _ replay: CrashReplay, seed: UInt64
    ) throws -> Verdict<S.Holding> {
        replay.write()
        report.images += 1
        var dice = Dice(seed: seed)
        let isDeep = dice.next() % choice.deepEvery == 0
        let disk = workload.disk(in: folder)
        let (verdict, opened) = open(on: disk, isDeep: isDeep)
        guard isDeep, opened > 0, case .sound(let holdings) = verdict else { return verdict }
        // Recovery wrote to the disk, so it can be interrupted too.
        let second = CrashReplay(disk)
        let isWhole = choice.deepEvery == 1
        let drawn = (operation: dice.next() % (opened + 1), damage: dice.pick(Damage.allCases))
        for operation in 0...opened where isWhole || operation == drawn.operation {
            for damage in Damage.allCases where isWhole || damage == drawn.damage {
                let hash = second.crash(
                    at: operation, damage, seed: Dice.mixed(seed, operation))
                report.secondCrashes += 1
                report.struck.note("second \(damage)")
                let problems =
                    switch secondVerdict(on: hash, second) {
                    case .broken(let problems): problems
                    case .sound(holdings): []
                    case .sound: ["it holds something else"]
                    }
                guard problems.isEmpty else {
                    return .broken(
                        problems.map {
                            "after a second crash, \(damage) at \(operation) of opening: \($0)"
                        })
                }
            }
        }
        return verdict
    }

    private mutating func secondVerdict(
        on hash: UInt64, _ second: CrashReplay
    ) -> Verdict<S.Holding> {
        let key = second.seen
        if let known = secondVerdicts[hash] ?? secondSeen[key] { return known }
        second.write()
        report.images += 1
        let verdict = open(on: workload.disk(in: folder), isDeep: false).verdict
        (secondVerdicts[hash], secondSeen[key]) = (verdict, verdict)
        return verdict
    }

    /// Whatever is opened is compared and checked. If such an image was not seen before, and
    /// otherwise now and then, read models are rebuilt, and work must continue.
    ///
    /// - Returns: The verdict, and the number of operations that opening took.
    private mutating func open(
        on disk: FaultDisk, isDeep: Bool
    ) -> (verdict: Verdict<S.Holding>, opened: UInt64) {
        do {
            let subject = try S(in: folder, on: disk, hasWriter: true)
            defer { subject.close() }
            let opened = disk.count
            let holdings = try subject.holdings()
            let found = try subject.derived()
            var problems = try subject.problems()
            if problems.isEmpty, isDeep || derived[holdings] != found {
                problems += try subject.deepProblems()
                let before = try subject.holdings()
                try subject.goOn()
                if try !subject.holdings().isSuperset(of: before) {
                    problems.append("going on has changed what was there")
                }
                if problems.isEmpty { derived[holdings] = found }
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
            return ["\(now.next): it holds what was never written"]
        }
        return now.isWhole ? ["\(now.next): it is half done"] : []
    }
}

extension Dice {
    /// Combines several numbers into one hash.
    static func mixed(_ numbers: UInt64...) -> UInt64 {
        numbers.reduce(0) { mixed, number in
            var dice = Dice(seed: mixed ^ number)
            return dice.next()
        }
    }
}
