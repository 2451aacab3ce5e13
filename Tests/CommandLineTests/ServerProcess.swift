import Foundation
import Testing

/// The server's own program on a free port of loopback.
final class ServerProcess {
    let address: String
    /// Where it keeps its data.
    let data: URL
    private let folder: URL
    private let process = Process()
    private let isOwner: Bool

    struct Silent: Error {}

    /// Starts a server on an empty log, or on one that another server has left.
    ///
    /// - Parameters:
    ///   - folder: Where its files are; a folder of its own unless given.
    ///   - options: More words for the program.
    ///   - clock: How far its clock is off, as ``FakeClock`` reads it.
    init(in folder: URL? = nil, options: [String] = [], clock: String? = nil) throws {
        self.folder =
            folder
            ?? FileManager.default.temporaryDirectory
            .appending(path: "macrolog-\(UUID().uuidString)")
        isOwner = folder == nil
        data = self.folder.appending(path: "data")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        process.executableURL = try Self.program()
        let listen = options.contains("--listen") ? [] : ["--listen", "127.0.0.1:0"]
        process.arguments = ["--data", data.path] + listen + options
        process.currentDirectoryURL = self.folder
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
        guard let match = text.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/) else { throw Silent() }
        address = String(match.0)
    }

    static func program() throws -> URL {
        let client: URL = try #require(Computer.program)
        return client.deletingLastPathComponent().appending(path: "sync-server")
    }

    var port: Int { Int(address.split(separator: ":").last ?? "") ?? 0 }

    /// Asks it to end, and waits.
    func stop() {
        guard process.isRunning else { return }
        FakeClock.terminate(process)
        process.waitUntilExit()
    }

    /// Takes its power away.
    func kill() {
        guard process.isRunning else { return }
        send(SIGKILL)
        process.waitUntilExit()
    }

    func send(_ signal: CInt) {
        _ = Foundation.kill(process.processIdentifier, signal)
    }

    deinit {
        stop()
        if isOwner { try? FileManager.default.removeItem(at: folder) }
    }
}
