import Foundation
import Synchronization

/// A process of an unpacked server; it ends with the value, and with this process, however that ends.
///
/// PostgreSQL refuses to run as root, so a test that runs as root starts servers as a user without rights.
package final class UnpackedProcess: Sendable {
    /// A program ended with a status that is not 0.
    package struct Failed: Error, CustomStringConvertible {
        package let program: String
        package let status: Int32
        /// What it wrote to standard error.
        package let messages: String

        package var description: String { "\(program) ended with \(status): \(messages)" }
    }

    private struct State {
        let process: Process
        /// Sends the last signal when the other end of its input closes without a line.
        let watcher: Process
        let line: Pipe
    }

    package let pid: Int32
    private let lastSignal: Int32
    private let state: Mutex<State>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - log: The file to which what it writes is appended.
    ///   - lastSignal: What ends it at once. A test's thread may block signals, and its programs inherit that: one
    ///     that does not change it needs SIGKILL.
    ///   - keepsUser: Whether it runs as the user of this process, also if that is root.
    ///   - variables: What is added to the environment.
    package init(
        _ program: String, _ words: [String], of tools: UnpackedTools, log: String,
        lastSignal: Int32 = SIGTERM, keepsUser: Bool = false, variables: [String: String] = [:]
    ) throws {
        let process = Self.prepared(program, words, of: tools, keepsUser: keepsUser)
        process.environment?.merge(variables) { $1 }
        let output = FileHandle(
            fileDescriptor: open(log, O_WRONLY | O_APPEND | O_CREAT, 0o600), closeOnDealloc: true)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        pid = process.processIdentifier
        self.lastSignal = lastSignal
        let (watcher, line) = (Process(), Pipe())
        watcher.executableURL = URL(filePath: "/bin/sh")
        watcher.arguments = ["-c", "read -r line || kill -\(lastSignal) \(pid)"]
        watcher.standardInput = line
        try watcher.run()
        state = Mutex(State(process: process, watcher: watcher, line: line))
    }

    deinit { end() }

    package var isRunning: Bool { state.withLock { $0.process.isRunning } }

    /// Sends it a signal, by default the one that ends it at once, and waits for its end.
    package func end(_ signal: Int32? = nil) {
        send(signal ?? lastSignal)
        state.withLock { state in
            state.process.waitUntilExit()
            guard state.watcher.isRunning else { return }
            try? state.line.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
            state.watcher.waitUntilExit()
        }
    }

    package func send(_ signal: Int32) { if isRunning { kill(pid, signal) } }

    /// Stops it and its children where they are, and sends a signal to all of them.
    package func sendToAll(_ signal: Int32) {
        guard isRunning else { return }
        kill(pid, SIGSTOP)
        let all = [pid] + children
        for one in all { kill(one, signal) }
    }

    /// Whether it and its children stand still.
    package var isStopped: Bool {
        ([pid] + children).allSatisfy { Self.fields($0)?.first == "T" }
    }

    /// The processes that it has started itself.
    package var children: [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { number in
            let fields = Self.fields(number) ?? []
            return fields.count > 1 && Int32(fields[1]) == pid
        }
    }

    /// The processor time of it and its children so far, also of those that have ended, in seconds and in steps of 10 ms.
    package var processorSeconds: Double {
        let ticks = ([pid] + children).reduce(0) { sum, number in
            let fields = Self.fields(number) ?? []
            return sum + fields.dropFirst(11).prefix(4).reduce(0) { $0 + (Int($1) ?? 0) }
        }
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// What the system says of a process: its state, its parent, …; `nil` if there is no such process.
    private static func fields(_ number: Int32) -> [Substring]? {
        let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
        // The name of the program, in parentheses, may hold spaces.
        return text?.split(separator: ")").last?.split(separator: " ")
    }

    /// Runs a program to its end.
    ///
    /// - Returns: What it wrote to standard output.
    /// - Throws: ``Failed``
    @discardableResult
    package static func run(
        _ program: String, _ words: [String], of tools: UnpackedTools, input: String = ""
    ) throws -> String {
        let process = prepared(program, words, of: tools)
        let (given, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = given
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        given.fileHandleForWriting.write(Data(input.utf8))
        try given.fileHandleForWriting.close()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let messages = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failed(
                program: program, status: process.terminationStatus,
                messages: String(decoding: messages, as: UTF8.self))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Makes a folder the property of the user that runs the servers.
    package static func give(_ folder: String) throws {
        guard isRoot else { return }
        try FileManager.default.setAttributes(
            [.ownerAccountID: unprivileged, .groupOwnerAccountID: unprivileged],
            ofItemAtPath: folder)
    }

    private static var isRoot: Bool { geteuid() == 0 }

    /// The number of a user without rights, which Debian has, and of its group.
    private static let unprivileged = 65_534

    private static func prepared(
        _ program: String, _ words: [String], of tools: UnpackedTools, keepsUser: Bool = false
    ) -> Process {
        let isChanged = isRoot && !keepsUser
        let process = Process()
        let user = [
            "--reuid=\(unprivileged)", "--regid=\(unprivileged)", "--clear-groups", program,
        ]
        process.executableURL = URL(filePath: isChanged ? "/usr/bin/setpriv" : program)
        process.arguments = (isChanged ? user : []) + words
        process.environment = tools.environment
        process.currentDirectoryURL = URL(filePath: "/")
        return process
    }
}
