import Macrolog
import MacrologSQLite
import MacrologService

extension Workload {
    /// Runs the script once for each operation that can fail, each kind of failure, and each number
    /// of times: the error states its cause, what was answered is kept, reading continues, writing
    /// continues when the disk recovers, and nothing is written after a failed flush.
    func errors(_ choice: TrialChoice) throws -> TrialReport {
        guard !endsWithErrors else { return TrialReport() }
        let often: [(UInt64, String)] = [(1, "once"), (3, "three times"), (.max, "for ever")]
        return try trials(DiskError.allCases.map { .disk($0) }, often, choice)
    }

    /// Runs the script once for each allocation and each number of times it fails: an error says
    /// so, what was answered is kept, nothing is half done, and everything works once there is
    /// memory again.
    func memory(_ choice: TrialChoice) throws -> TrialReport {
        try trials([.memory], [(1, "once"), (.max, "for ever")], choice)
    }

    /// Runs the script once for each kind of error, each number of times, and each moment at which
    /// it can begin.
    private func trials(
        _ faults: [InjectedFault], _ often: [(times: UInt64, word: String)], _ choice: TrialChoice
    ) throws -> TrialReport {
        if let only = choice.only, only.workload != name { return TrialReport() }
        let folder = try TrialFolder(prepare)
        var report = TrialReport()
        for fault in faults {
            for (times, word) in often {
                let name = "\(fault.name) \(word)"
                // Until the moment lies after the end of the script.
                for after in 0..<UInt64.max {
                    guard choice.contains(self.name, after, name, weight: fault.weight) else {
                        if after > fault.momentsMax { break }
                        continue
                    }
                    try folder.begin()
                    var trial = ErrorTrial(
                        workload: self, folder: folder.path, fault: fault, after: after,
                        times: times, seed: choice.seed)
                    let problems = try trial.run()
                    guard trial.hasStruck else { break }
                    report.cases += 1
                    report.points[self.name, default: 0] += 1
                    report.struck.note(name)
                    report.problems += problems.map {
                        """
                        \(self.name), \(name) from the \(after)th on: \($0)
                        \(choice.replay(self.name, after, name, fault.suite))
                        """
                    }
                    if report.problems.count > 20 { return report }
                }
            }
        }
        return report
    }
}

/// An error that a script must survive.
enum InjectedFault: Equatable {
    case disk(DiskError)
    /// SQLite's allocations fail.
    case memory

    var name: String { if case .disk(let error) = self { "\(error)" } else { "memory" } }
    /// How many times as often it is drawn as others.
    var weight: UInt64 { self == .disk(.sync) ? 16 : 1 }
    /// More operations, or allocations, than any script has.
    var momentsMax: UInt64 { self == .memory ? 200_000 : 2_000 }
    /// The name of its trials.
    var suite: String { self == .memory ? "MemoryTests" : "DiskErrorTests" }
}

/// One script on one failing disk, or in failing memory.
struct ErrorTrial<S: Subject> {
    let workload: Workload<S>
    let folder: String
    let fault: InjectedFault
    let after: UInt64
    let times: UInt64
    let seed: UInt64
    var hasStruck = false
    private var problems: [String] = []
    /// What it holds after a step that reported a failure, if it differs from before.
    private var doneUnsaid: Set<S.Holding>?

    init(
        workload: Workload<S>, folder: String, fault: InjectedFault, after: UInt64, times: UInt64,
        seed: UInt64
    ) {
        self.workload = workload
        self.folder = folder
        self.fault = fault
        self.after = after
        self.times = times
        self.seed = seed
    }

    mutating func run() throws -> [String] {
        let disk = workload.disk(in: folder)
        switch fault {
        case .disk(let error): disk.fail(error, after: after, times: times)
        case .memory: FaultMemory.fail(after: after, times: times)
        }
        defer { repair(disk) }
        guard var subject = open(disk) else { return problems }
        var held = try read(subject, disk)
        for (index, step) in workload.steps.enumerated() {
            guard let after = perform(step, index, &subject, disk, held) else { return problems }
            held = after
        }
        subject.close()
        repair(disk)
        // What was answered was on the disk, despite earlier failures.
        disk.restore(.lost, seed: seed)
        guard let again = open(disk) else { return problems }
        defer { again.close() }
        let found = try again.holdings()
        if found != held {
            problems.append(
                "after a power failure it is not the same: \(held.subtracting(found).count) lost, "
                    + "\(found.subtracting(held).count) new")
        }
        problems += try again.problems()
        problems += try again.deepProblems()
        return problems
    }

    /// Opens it, with retries: a disk that keeps failing is repaired in the end.
    private mutating func open(_ disk: FaultDisk) -> S? {
        for attempt in 0..<6 {
            do { return try S(in: folder, on: disk, hasWriter: fault != .memory) } catch {
                check(error, while: "opening")
                disk.kill()
                if attempt == 4 { repair(disk) }
            }
        }
        problems.append("it cannot be opened on a disk that is sound again")
        return nil
    }

    private mutating func repair(_ disk: FaultDisk) {
        hasStruck = hasStruck || disk.failures > 0 || FaultMemory.failures > 0
        disk.repair()
        FaultMemory.repair()
    }

    /// Reading continues, unless reading is what fails.
    private mutating func read(_ subject: S, _ disk: FaultDisk) throws -> Set<S.Holding> {
        do { return try subject.holdings() } catch {
            if fault != .disk(.read), fault != .memory {
                problems.append("it cannot be read any more: \(error)")
            }
            check(error, while: "reading")
            repair(disk)
            return try subject.holdings()
        }
    }

    /// Performs a step, with retries; `nil` when it can't be done.
    private mutating func perform(
        _ step: Step<S>, _ index: Int, _ subject: inout S, _ disk: FaultDisk,
        _ held: Set<S.Holding>
    ) -> Set<S.Holding>? {
        var before = held
        var last = ""
        doneUnsaid = nil
        for attempt in 0..<6 {
            do {
                var dice = workload.dice(seed, index)
                try step.run(subject, &dice)
                let after = try read(subject, disk)
                if !step.forgets, !after.isSuperset(of: before) {
                    problems.append("\(step.name) has lost something")
                }
                if let doneUnsaid, doneUnsaid != after {
                    problems.append("\(step.name) has failed half done")
                }
                return after
            } catch {
                last = "\(error)"
                check(error, while: step.name)
                if attempt == 3 { repair(disk) }
                do {
                    before = try recover(step, &subject, disk, before, from: error)
                } catch {
                    problems.append("\(step.name): no recovery: \(error)")
                    return nil
                }
            }
        }
        problems.append("\(step.name) cannot be done on a disk that is sound again: \(last)")
        return nil
    }

    /// - Returns: What it holds now.
    private mutating func recover(
        _ step: Step<S>, _ subject: inout S, _ disk: FaultDisk, _ before: Set<S.Holding>,
        from error: any Error
    ) throws -> Set<S.Holding> {
        let needsStart = subject.mustStart(after: error)
        if !subject.isDead {
            let now = try read(subject, disk)
            if step.isWhole, now != before {
                if S.failsUndone { problems.append("\(step.name) has failed half done") }
                doneUnsaid = now
            }
            if needsStart { checkIsQuiet(subject, disk) }
        }
        guard needsStart else { return before }
        // A new process: memory is available again.
        disk.stop()
        subject.close()
        disk.kill()
        guard let started = open(disk) else { throw TrialError() }
        subject = started
        doneUnsaid = nil
        // What was not answered may have been written, and then stays.
        let found = try read(subject, disk)
        if !step.forgets, !found.isSuperset(of: before) {
            problems.append("\(step.name): the next start finds less than was answered for")
        }
        return found
    }

    /// Nothing is written after a failed flush.
    private mutating func checkIsQuiet(_ subject: S, _ disk: FaultDisk) {
        let count = disk.count
        do {
            try subject.goOn()
            problems.append("it continues writing after a flush that failed")
        } catch {
            if error.sqlite?.code != .notFlushed {
                problems.append("it does not say that a flush has failed: \(error)")
            }
        }
        if disk.count != count { problems.append("it writes after a flush that failed") }
    }

    /// An error states its cause.
    private mutating func check(_ error: any Error, while what: String) {
        hasStruck = true
        guard case .disk(let expected) = fault else {
            let response = error as? ServerSubject.RequestError
            let isRefused = response.map { $0.status == 500 && $0.causeOfDeath == nil } ?? false
            if !isRefused, error.sqlite?.code != .noMemory {
                problems.append("\(what): that memory was lacking was due: \(error)")
            }
            return
        }
        if let response = error as? ServerSubject.RequestError {
            let isRight =
                switch expected {
                case .full, .shortWrite: response.causeOfDeath == nil && response.status == 507
                // Files beside the database can be made or sent again.
                case .write where response.path.hasPrefix("/v1/blobs"):
                    response.causeOfDeath != nil || response.status == 500
                case .write, .sync: response.causeOfDeath != nil
                case .read: response.causeOfDeath != nil || response.status >= 500
                }
            if !isRight { problems.append("\(what): another status was due: \(response)") }
            return
        }
        let isBesideDatabase = (error as? ReplicaError)?.code == .disk && error.sqlite == nil
        if error is PhotoError || error is StoreError || isBesideDatabase {
            // The error contains what the system reported.
            let isFull = expected == .full || expected == .shortWrite
            let said = isFull ? "No space left on device" : "Input/output error"
            let isRight = "\(error)".contains(said) || isFull && error as? StoreError == .full
            if !isRight { problems.append("\(what): \(said) was due: \(error)") }
            return
        }
        guard let error = error.sqlite else {
            return problems.append("\(what): an error without a type: \(error)")
        }
        let code: SQLiteError.Code =
            switch expected {
            case .write, .read: .io
            case .full, .shortWrite: .full
            case .sync: .notFlushed
            }
        if error.code != code {
            problems.append(
                "\(what): \(code) was due: \(error.code) \(error.extendedCode) \(error)")
        }
    }
}

private struct TrialError: Error {}

extension Error {
    /// What SQLite reported, if it did.
    fileprivate var sqlite: SQLiteError? {
        self as? SQLiteError ?? (self as? ReplicaError)?.sqlite
    }
}
