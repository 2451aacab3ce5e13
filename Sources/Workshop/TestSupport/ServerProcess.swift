import Foundation

/// A process of `sync-server` on a port of loopback; it ends with the value.
package final class ServerProcess {
    /// Where its data and other files of the test are.
    package let folder: ScratchFolder
    /// Its port; the same after every start, unless the options say another.
    package private(set) var port = 0
    private let options: [String]
    private let clock: String?
    private var process = Process()

    /// It has ended without saying where it listens.
    package struct Silent: Error { package init() {} }

    /// Starts a server on an empty log, or on one that another server has left.
    ///
    /// - Parameters:
    ///   - options: More words for the program.
    ///   - clock: How far its clock is off, as ``FakeClock`` reads it.
    /// - Throws: ``Silent``
    package init(
        in folder: ScratchFolder = ScratchFolder(), options: [String] = [], clock: String? = nil
    ) throws {
        self.folder = folder
        self.options = options
        self.clock = clock
        try start()
    }

    deinit { stop() }

    /// The folder of its data.
    package var data: String { folder.file("data") }

    package var address: String { "http://127.0.0.1:\(port)" }

    /// Starts it again after ``stop()`` or ``kill()``, at the port it had.
    package func start() throws {
        // For a moment another test's connection may have the port.
        for _ in 0..<9 where port != 0 {
            do { return try launch() } catch is Silent { usleep(200_000) }
        }
        try launch()
    }

    private func launch() throws {
        process = Process()
        process.executableURL = try BuiltProgram.url("sync-server")
        let listen = options.contains("--listen") ? [] : ["--listen", "127.0.0.1:\(port)"]
        // The least that there is: tests log in a thousand times.
        let cost = options.contains("--password-memory") ? [] : ["--password-memory", "12"]
        process.arguments = ["--data", data] + listen + cost + options
        process.currentDirectoryURL = folder.url
        FakeClock.set(clock, for: process)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // It says where it listens once it does.
        var text = ""
        while !text.contains("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Silent() }
            text += String(decoding: data, as: UTF8.self)
        }
        guard let match = text.firstMatch(of: /https?:\/\/127\.0\.0\.1:(\d+)/),
            let port = Int(match.1)
        else { throw Silent() }
        self.port = port
    }

    /// Asks it to end, and waits.
    package func stop() {
        guard process.isRunning else { return }
        FakeClock.terminate(process)
        process.waitUntilExit()
    }

    /// Ends it without warning, and waits.
    package func kill() {
        guard process.isRunning else { return }
        send(SIGKILL)
        process.waitUntilExit()
    }

    package func send(_ signal: CInt) {
        FakeClock.send(signal, to: process)
    }

    /// Runs another command of the same program, and waits for it.
    ///
    /// - Returns: Its exit status, and what it printed.
    package func run(_ words: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = try BuiltProgram.url("sync-server")
        process.arguments = words
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }
}
