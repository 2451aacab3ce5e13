import MacrologEvents

/// Something that keeps its promises on a disk: what it has said that it holds must be there after
/// any crash, whole.
protocol Subject: AnyObject, SendableMetatype {
    /// One thing that it holds.
    associatedtype Holding: Hashable

    /// The databases that it uses.
    static var databases: [String] { get }
    /// How the names of other files and folders begin that it uses.
    static var trees: [String] { get }
    /// Files that it replaces whole, on a disk that never fails.
    static var filesBeside: [String] { get }

    /// Opens it in a folder; what was begun and not finished there is finished or forgotten.
    ///
    /// - Parameter hasWriter: Whether a hub's writer has threads of its own, as in a server; else
    ///   whoever asks writes.
    init(in folder: String, on disk: FaultDisk, hasWriter: Bool) throws
    /// What it would tell anybody now. More is added to it; nothing goes, except in a step that
    /// forgets.
    func holdings() throws -> Set<Holding>
    /// A hash of what follows from that.
    func derived() throws -> [UInt8]
    /// Everything that is wrong with its files.
    func problems() throws -> [String]
    /// What is wrong with that which follows from what it holds, found by making it anew.
    func deepProblems() throws -> [String]
    /// Does something more, as a proof that it still can.
    func goOn() throws
    /// Whether it has ended itself.
    var isDead: Bool { get }
    /// Whether an error says that nothing was done. Otherwise the answer may be what has failed:
    /// then all of it was done, and doing it again changes nothing.
    static var failsUndone: Bool { get }
    /// Whether it writes no more after an error, and must be started anew.
    func mustStart(after error: any Error) -> Bool
    /// Closes it as at the end of a program.
    func close()
}

/// One thing done, which answers when it is done.
struct Step<S: Subject>: Sendable {
    let name: String
    /// Whether it is done as a whole or not at all. Otherwise it answers for several things, each
    /// of which is.
    let isWhole: Bool
    /// Whether something that was there is not afterwards, because it is meant to go.
    let forgets: Bool
    /// Does it; with the same dice each time, also when it is tried again.
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
    /// What the disk holds before, made on a sound disk.
    let prepare: @Sendable (_ folder: String) throws -> Void
    let steps: [Step<S>]
    /// Whether it is tried with crashes only.
    var endsWithErrors = false

    /// - Parameter prepare: Makes what the disk holds before, which otherwise is a subject that was
    ///   opened once.
    init(
        _ name: String, prepare: @escaping @Sendable (String) throws -> Void = Self.open,
        _ steps: [Step<S>]
    ) {
        self.name = name
        self.prepare = prepare
        self.steps = steps
    }

    /// A script that begins with a subject that has done something before.
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
