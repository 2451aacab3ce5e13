import MacrologEvents
import MacrologTestSupport

/// A program that keeps promises about its disk: after any crash it still holds everything that it
/// has reported to hold, undamaged.
protocol Subject: AnyObject, SendableMetatype {
    /// One thing that it holds.
    associatedtype Holding: Hashable

    /// The databases that it uses.
    static var databases: [String] { get }
    /// The path prefixes of other files and folders that it uses.
    static var trees: [String] { get }
    /// Files that it replaces whole, on a disk that never fails.
    static var filesBeside: [String] { get }

    /// Opens it in a folder; unfinished work there is completed or rolled back.
    ///
    /// - Parameter hasWriter: Whether a server's writer has its own threads, as in production;
    ///   otherwise the calling thread writes.
    init(in folder: String, on disk: FaultDisk, hasWriter: Bool) throws
    /// What it would report now. Later states contain all of it, except after a step that deletes.
    func holdings() throws -> Set<Holding>
    /// A hash of the data derived from that.
    func derived() throws -> [UInt8]
    /// All problems of its files.
    func problems() throws -> [String]
    /// Problems with derived data, found by rebuilding it.
    func deepProblems() throws -> [String]
    /// Performs one more action, as a proof that it still can.
    func goOn() throws
    /// Whether it has ended itself.
    var isDead: Bool { get }
    /// Whether an error means that nothing was done. Otherwise the answer itself may have failed:
    /// then all of it was done, and repeating it changes nothing.
    static var failsUndone: Bool { get }
    /// Whether it stops writing after an error, and must be restarted.
    func mustStart(after error: any Error) -> Bool
    /// Closes it as at the end of a program.
    func close()
}

/// One action, which answers when it is done.
struct Step<S: Subject>: Sendable {
    let name: String
    /// Whether it is atomic. Otherwise it answers for several things, each of which is atomic.
    let isWhole: Bool
    /// Whether it deletes something on purpose.
    let forgets: Bool
    /// Performs it, with the same dice in each trial and retry.
    let run: @Sendable (S, inout Dice) throws -> Void

    init(
        _ name: String, isWhole: Bool = true, forgets: Bool = false,
        _ run: @escaping @Sendable (S, inout Dice) throws -> Void
    ) {
        self.name = name
        self.isWhole = isWhole
        self.forgets = forgets
        self.run = run
    }
}

/// A script of steps, from opening to closing.
struct Workload<S: Subject>: Sendable {
    let name: String
    /// The initial contents of the disk, created on a sound disk.
    let prepare: @Sendable (_ folder: String) throws -> Void
    let steps: [Step<S>]
    /// Whether it is tried with crashes only.
    var endsWithErrors = false

    /// - Parameter prepare: Creates the initial contents of the disk; by default a subject is
    ///   opened once.
    init(
        _ name: String, prepare: @escaping @Sendable (String) throws -> Void = Self.open,
        _ steps: [Step<S>]
    ) {
        self.name = name
        self.prepare = prepare
        self.steps = steps
    }

    /// A script that begins with a subject that has done some work.
    init(_ name: String, after before: [Step<S>], _ steps: [Step<S>]) {
        self.init(
            name,
            prepare: { folder in
                let subject = try S(in: folder, on: FaultDisk([]), hasWriter: false)
                defer { subject.close() }
                for (index, step) in before.enumerated() {
                    var dice = Dice(seed: 77 + UInt64(index))
                    try step.run(subject, &dice)
                }
            }, steps)
    }

    private static func open(in folder: String) throws {
        try S(in: folder, on: FaultDisk([]), hasWriter: false).close()
    }
}
