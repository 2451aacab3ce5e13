package import Foundation

/// A wall clock that is wrong, for one process: `faketime` (Debian's package of that name) moves what
/// `CLOCK_REALTIME` says and leaves alone the clocks that no one can set.
package enum FakeClock {
    /// The program; `nil` where it is not installed.
    package static let program: URL? = {
        let path = "/usr/bin/faketime"
        return FileManager.default.isExecutableFile(atPath: path) ? URL(filePath: path) : nil
    }()

    /// Why tests are skipped without it.
    package static let missing = "faketime is not installed: apt-get install faketime"

    /// Makes a process that has not begun yet live by a clock of its own.
    ///
    /// - Parameters:
    ///   - offset: Such as `+4y`, `-5y`, `+40d`; `nil` for a clock that is right.
    ///   - movesAll: Whether the clocks that no one can set move as well.
    package static func set(_ offset: String?, movesAll: Bool = false, for process: Process) {
        guard let offset, let faketime = program, let program = process.executableURL else {
            return
        }
        process.executableURL = faketime
        process.arguments = ["-f", offset, program.path] + (process.arguments ?? [])
        var environment = process.environment ?? ProcessInfo.processInfo.environment
        environment["FAKETIME_DONT_FAKE_MONOTONIC"] = movesAll ? "0" : "1"
        process.environment = environment
    }

    /// Asks a process to end, and the one that it watches over.
    package static func terminate(_ process: Process) {
        if !send(SIGTERM, toThatBehind: process) { process.terminate() }
    }

    /// Sends a signal to a process that runs, or to the one that it watches over.
    package static func send(_ signal: CInt, to process: Process) {
        // One that lives by another clock begins a moment later.
        var isSent = false
        if process.executableURL == program {
            eventually(within: 1_000) {
                isSent = process.isRunning && send(signal, toThatBehind: process)
                return isSent || !process.isRunning
            }
        }
        if !isSent, process.isRunning { kill(process.processIdentifier, signal) }
    }

    private static func send(_ signal: CInt, toThatBehind process: Process) -> Bool {
        let pid = process.processIdentifier
        let children = try? String(
            contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        let numbers = (children ?? "").split(separator: " ").compactMap { Int32($0) }
        for child in numbers { kill(child, signal) }
        return !numbers.isEmpty
    }
}
