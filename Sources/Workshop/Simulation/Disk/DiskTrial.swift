#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which of all possible trials are made: every one, or a part that a seed draws.
package struct TrialChoice: Sendable {
    /// Decides the part, the damage of each crash, and what the steps do.
    package var seed: UInt64
    /// One of so many is made; 1 for all.
    package var every: UInt64
    /// How often chance decides what one crash leaves.
    package var rounds: UInt64 = 1
    /// A disk that holds what another one held is looked at as deeply as the first, and crashes again
    /// while it is opened, one time in so many; 1 for always, and at every operation of that.
    package var deepEvery: UInt64 = 8
    /// Only this one: the workload, the number of the operation or `nil` for every one, the kind of
    /// fault.
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

    /// How to see one failure again.
    func replay(_ workload: String, _ operation: UInt64, _ fault: String, _ suite: String) -> String
    {
        "MACROLOG_TEST_SEED_BASE=\(seed) MACROLOG_TEST_DISK='\(workload)/\(operation)/\(fault)' "
            + "swift test --filter \(suite)"
    }
}

/// What was tried, and what came of it.
package struct TrialReport: Sendable {
    /// How often each kind of fault has struck, by its name.
    package var struck = FaultCounts()
    /// Crashes or errors tried.
    package var cases = 0
    /// Different disks that were opened and checked.
    package var images = 0
    /// Crashes in the middle of a recovery.
    package var secondCrashes = 0
    /// Operations of each script at which something was tried.
    package var points: [String: Int] = [:]
    /// What is wrong, each with what replays it.
    package var problems: [String] = []

    /// Nothing yet.
    package init() {}

    /// Counts another report in.
    package mutating func add(_ other: TrialReport) {
        struck.add(other.struck)
        cases += other.cases
        images += other.images
        secondCrashes += other.secondCrashes
        points.merge(other.points, uniquingKeysWith: +)
        problems += other.problems
    }
}

/// A folder in memory where there is one, and what each trial in it begins with.
struct TrialFolder: ~Copyable {
    private let parent: URL
    /// Where trials take place.
    var path: String { parent.appending(path: "trial").path }

    /// - Parameter prepare: Makes in a folder what each trial begins with.
    init(_ prepare: (_ folder: String) throws -> Void) throws {
        let memory = "/dev/shm"
        let root =
            FileManager.default.isWritableFile(atPath: memory)
            ? URL(filePath: memory) : FileManager.default.temporaryDirectory
        parent = root.appending(path: "macrolog-disk-\(UUID().uuidString)")
        let files = FileManager.default
        try files.createDirectory(at: parent, withIntermediateDirectories: true)
        // Made where it will be used, for a file may know its path.
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        try prepare(path)
        try files.copyItem(atPath: path, toPath: beginning)
    }

    private var beginning: String { parent.appending(path: "beginning").path }

    deinit { try? FileManager.default.removeItem(at: parent) }

    /// Puts back what trials begin with.
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

    /// Dice for one step, the same whenever it is tried.
    func dice(_ seed: UInt64, _ step: Int) -> Dice { Dice(seed: seed &+ UInt64(step) &* 7_919) }
}
