import MacrologTestSupport

/// Which of all possible trials are run: all, or a sample drawn from a seed.
package struct TrialChoice: Sendable {
    /// Determines the sample, the damage of each crash, and what the steps do.
    package var seed: UInt64
    /// One of every this many is made; 1 for all.
    package var every: UInt64
    /// How many random outcomes of one crash are tried.
    package var rounds: UInt64 = 1
    /// Of disks with the contents of an earlier one, one in this many is checked as deeply as the
    /// first, and crashes again while it is opened; 1 for always, and at every operation of that.
    package var deepEvery: UInt64 = 8
    /// Only this trial: the workload, the number of the operation or `nil` for every one, the kind
    /// of fault.
    package var only: (workload: String, operation: UInt64?, fault: String)?

    /// - Parameter only: Such as `record/117/torn`, from the message of a failure, or `record/*/torn`.
    package init(seed: UInt64, every: UInt64, only: String? = nil) {
        self.seed = seed
        self.every = every
        let words = only?.split(separator: "/").map(String.init) ?? []
        guard words.count == 3 else { return }
        let operation = UInt64(words[1])
        if operation != nil || words[1] == "*" { self.only = (words[0], operation, words[2]) }
    }

    /// - Parameter weight: How many times as often this one is drawn as others, because there are
    ///   few of its kind.
    func contains(
        _ workload: String, _ operation: UInt64, _ fault: String, weight: UInt64 = 1
    ) -> Bool {
        if let only {
            return only.workload == workload && only.operation ?? operation == operation
                && only.fault == fault
        }
        let every = max(1, every / weight)
        guard every > 1 else { return true }
        var dice = Dice(seed: seed &* 0x1_0000_01B3 &+ operation)
        for byte in (workload + fault).utf8 { dice = Dice(seed: dice.next() ^ UInt64(byte)) }
        return dice.next() % every == 0
    }

    /// How to repeat one failure.
    func replay(_ workload: String, _ operation: UInt64, _ fault: String, _ suite: String) -> String
    {
        "MACROLOG_TEST_SEED_BASE=\(seed) MACROLOG_TEST_DISK='\(workload)/\(operation)/\(fault)' "
            + "swift test --filter \(suite)"
    }
}

/// What was tried, and the results.
package struct TrialReport: Sendable {
    /// How often each kind of fault occurred, by its name.
    package var struck = FaultCounts()
    /// Crashes or errors tried.
    package var cases = 0
    /// Different disks that were opened and checked.
    package var images = 0
    /// Crashes in the middle of a recovery.
    package var secondCrashes = 0
    /// Operations of each script at which something was tried.
    package var points: [String: Int] = [:]
    /// The problems found, each with the trial that repeats it.
    package var problems: [String] = []

    /// An empty report.
    package init() {}

    /// Adds another report.
    package mutating func add(_ other: TrialReport) {
        struck.add(other.struck)
        cases += other.cases
        images += other.images
        secondCrashes += other.secondCrashes
        points.merge(other.points, uniquingKeysWith: +)
        problems += other.problems
    }
}

/// A folder in memory if possible, and the files that each trial in it begins with.
struct TrialFolder: ~Copyable {
    private let parent: URL
    /// Where trials take place.
    var path: String { parent.appending(path: "trial").path }

    /// - Parameter prepare: Creates in a folder the files that each trial begins with.
    init(_ prepare: (_ folder: String) throws -> Void) throws {
        let memory = "/dev/shm"
        let root =
            FileManager.default.isWritableFile(atPath: memory)
            ? URL(filePath: memory) : FileManager.default.temporaryDirectory
        parent = root.appending(path: "macrolog-disk-\(UUID().uuidString)")
        let files = FileManager.default
        try files.createDirectory(at: parent, withIntermediateDirectories: true)
        // Created at its final path, for a file may contain its path.
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        try prepare(path)
        try files.copyItem(atPath: path, toPath: beginning)
    }

    private var beginning: String { parent.appending(path: "beginning").path }

    deinit { try? FileManager.default.removeItem(at: parent) }

    /// Restores the files that trials begin with.
    func begin() throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: beginning, toPath: path)
    }
}

extension Workload {
    func disk(in folder: String) -> FaultDisk {
        FaultDisk(
            S.databases.map { "\(folder)/\($0)" }, trees: S.trees.map { "\(folder)/\($0)" },
            beside: S.filesBeside.map { "\(folder)/\($0)" })
    }

    /// Dice for one step, the same in each trial.
    func dice(_ seed: UInt64, _ step: Int) -> Dice { Dice(seed: seed &+ UInt64(step) &* 7_919) }
}
