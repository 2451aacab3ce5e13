import Foundation
import Testing

/// The server's own program on a free port of loopback.
final class ServerProcess {
    let address: String
    /// Where it keeps what it is told; the next process may go on with it.
    let data: URL
    private let process = Process()
    private let ownsData: Bool

    struct Silent: Error {}

    /// Starts a server on a folder of its own, or on another's.
    init(data: URL? = nil, options: [String] = []) throws {
        ownsData = data == nil
        self.data =
            data
            ?? FileManager.default.temporaryDirectory.appending(
                path: "macrolog-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.data, withIntermediateDirectories: true)
        process.executableURL = try Self.program()
        process.arguments = ["--data", self.data.path, "--listen", "127.0.0.1:0"] + options
        process.currentDirectoryURL = self.data
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
    func stop() { end(SIGTERM) }

    /// Takes its power away.
    func kill() { end(SIGKILL) }

    private func end(_ signal: CInt) {
        guard process.isRunning else { return }
        send(signal)
        process.waitUntilExit()
    }

    func send(_ signal: CInt) {
        _ = Foundation.kill(process.processIdentifier, signal)
    }

    deinit {
        stop()
        if ownsData { try? FileManager.default.removeItem(at: data) }
    }
}
