import MacrologTestSupport
import Foundation

/// A folder with a log in it and the real program beside it: what a person has in a terminal.
final class Computer {
    /// What one run of the program left.
    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    private let scratch = ScratchFolder()
    var folder: URL { scratch.url }
    var environment: [String: String]
    /// How far the wall clock of what runs from now on is off, as ``FakeClock`` reads it.
    var clock: String?
    /// Whether the clocks that no one can set are off as well.
    var isWholeClockOff = false

    /// - Parameter zone: Where the computer is; for dates in the story that is played, not for "today".
    init(zone: String = Computer.middayZone) throws {
        environment = [
            "MACROLOG_DB": scratch.file("log.db"), "TZ": zone,
            "LANG": "C.UTF-8", "HOME": scratch.path, "PATH": "/usr/bin:/bin", "TERM": "xterm",
        ]
        // The bug of this run, where `make planted` has planted some.
        environment["MACROLOG_TEST_PLANTED"] =
            ProcessInfo.processInfo.environment["MACROLOG_TEST_PLANTED"]
    }

    /// The zone in which it is about noon now: "today" is the same day until a test has ended.
    static let middayZone: String = {
        let hour = Int(Date().timeIntervalSince1970 / 3_600) % 24
        // POSIX counts hours west of Greenwich: at 23:00 UTC it is noon eleven hours west of it.
        return hour == 12 ? "Etc/GMT" : "Etc/GMT" + (hour < 12 ? "-\(12 - hour)" : "+\(hour - 12)")
    }()

    /// A copy with a log of its own.
    func copy() throws -> Computer {
        let other = try Computer()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try FileManager.default.copyItem(
                at: folder.appending(path: name), to: other.folder.appending(path: name))
        }
        return other
    }

    /// The path of the log.
    var log: String { scratch.file("log.db") }

    /// The files in its folder whose names begin with `start`, in order.
    func files(of start: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix(start) }.sorted()
    }

    /// Runs the program.
    ///
    /// - Parameters:
    ///   - input: What it reads on standard input.
    ///   - together: Whether errors come in `output`, in the order in which a person sees them.
    func run(
        _ arguments: [String], input: String = "", together: Bool = false
    ) throws -> Result {
        let process = Process()
        process.executableURL = try BuiltProgram.url("macrolog")
        process.arguments = arguments
        process.environment = environment
        process.currentDirectoryURL = folder
        FakeClock.set(clock, movesAll: isWholeClockOff, for: process)
        // Files instead of pipes: nothing can fill up while no one reads.
        let names = ["in", "out", "err"].map {
            folder.appending(path: ".\($0)-\(UUID().uuidString)")
        }
        defer { for name in names { try? FileManager.default.removeItem(at: name) } }
        try Data(input.utf8).write(to: names[0])
        for name in names.dropFirst() { try Data().write(to: name) }
        process.standardInput = try FileHandle(forReadingFrom: names[0])
        let output = try FileHandle(forWritingTo: names[1])
        process.standardOutput = output
        process.standardError = together ? output : try FileHandle(forWritingTo: names[2])
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus,
            output: String(decoding: try Data(contentsOf: names[1]), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: names[2]), as: UTF8.self))
    }
}
