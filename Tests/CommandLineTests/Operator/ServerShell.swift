import Foundation
import MacrologTestSupport
import Testing

/// The server's own program in a folder, started by lines of the shell in which `$SERVER` is the
/// program; and plain requests to what listens.
final class ServerShell {
    /// What a program said and how it ended.
    struct Ended {
        let status: Int32
        let output: String
        let errors: String
    }

    /// A server that has said where it listens.
    struct Listening {
        let process: Process
        let port: UInt16
        /// Of `--metrics`; 0 without.
        let metrics: UInt16

        func stop() {
            process.terminate()
            process.waitUntilExit()
        }

        func signal(_ number: Int32) { kill(process.processIdentifier, number) }
    }

    let folder = ScratchFolder()
    var environment: [String: String] = [:]
    private var processes: [Process] = []

    /// A test that fails leaves no server running.
    deinit {
        for process in processes where process.isRunning { process.terminate() }
    }

    private func started(_ line: String, _ output: Pipe) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line]
        process.environment = [
            "SERVER": try BuiltProgram.url("sync-server").path,
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": folder.path, "TMPDIR": folder.path,
        ].merging(environment) { $1 }
        process.currentDirectoryURL = folder.url
        process.standardOutput = output
        let errors = folder.file("errors")
        try Data().write(to: URL(filePath: errors))
        process.standardError = try FileHandle(forWritingTo: URL(filePath: errors))
        try process.run()
        processes.append(process)
        return process
    }

    /// Runs a line to its end. What has not ended in five minutes, such as a server that should have
    /// refused to start, is ended.
    func run(_ line: String) throws -> Ended {
        let output = Pipe()
        let process = try started(line, output)
        let id = process.processIdentifier
        let limit = DispatchWorkItem { kill(id, SIGTERM) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 300, execute: limit)
        defer { limit.cancel() }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Ended(
            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
            errors: try errors())
    }

    /// What the last program wrote on standard error so far.
    func errors() throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: folder.file("errors"))), as: UTF8.self)
    }

    /// Waits until the log has a text.
    func waitForLog(_ text: String) throws {
        for _ in 0..<1_500 {
            if try errors().contains(text) { return }
            // A real process is waited for.
            usleep(20_000)
        }
        Issue.record("the log never had \(text): \(try errors())")
    }

    func write(_ name: String, _ text: String) throws {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.file(name))
    }

    /// A server in a folder, on a free port unless the words say another.
    ///
    /// - Parameter user: A program that runs it as another user.
    func listen(
        _ words: String, before: String = "", data: String = "data", user: String = ""
    ) throws -> Listening {
        let output = Pipe()
        let listen = words.contains("--listen") ? "" : "--listen 127.0.0.1:0"
        let process = try started(
            "\(before) exec \(user) $SERVER --data \(data) \(listen) \(words)", output)
        let lines = words.contains("--metrics") ? 2 : 1
        var text = ""
        while text.split(separator: "\n").count < lines || !text.hasSuffix("\n") {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else {
                Issue.record("it does not listen: \(try errors())")
                throw ServerProcess.Silent()
            }
            text += String(decoding: more, as: UTF8.self)
        }
        let ports = text.matches(of: /:\/\/127\.0\.0\.1:(\d+)/).compactMap { UInt16($0.1) }
        return Listening(
            process: process, port: try #require(ports.first),
            metrics: ports.count > 1 ? ports[1] : 0)
    }

    /// The answer to one request, with its head.
    func ask(
        _ port: UInt16, _ line: String, fields: [String] = [], json: String? = nil
    ) throws -> String {
        let descriptor = try #require(Loopback.connected(to: Int(port)), "port \(port)")
        defer { close(descriptor) }
        var head = ["\(line) HTTP/1.1", "Host: x", "Connection: close"] + fields
        if let json {
            head += ["Content-Type: application/json", "Content-Length: \(json.utf8.count)"]
        }
        let request = Array((head.joined(separator: "\r\n") + "\r\n\r\n" + (json ?? "")).utf8)
        try #require(send(descriptor, request, request.count, 0) == request.count)
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return String(decoding: answer, as: UTF8.self)
    }

    /// A person with a device, some days of food, and a photo on the server.
    func person(_ email: String, at port: UInt16, photo: Bool = false) throws -> Computer {
        let phone = try Computer()
        try account(["register", email], of: phone, at: port)
        try account(["login", email], of: phone, at: port)
        for words in [
            ["quick", "400kcal", "Marzipanbrot"], ["weight", "log", "80.2kg"],
        ] {
            let done = try phone.run(words)
            try #require(done.status == 0, "\(words): \(done.errors)")
        }
        let synced = try phone.run(["sync"])
        try #require(synced.status == 0, "\(synced.errors)")
        return phone
    }

    /// Another device of a person, logged in.
    func device(of email: String, at port: UInt16) throws -> Computer {
        let device = try Computer()
        try account(["login", email], of: device, at: port)
        return device
    }

    private func account(_ words: [String], of device: Computer, at port: UInt16) throws {
        let done = try device.run(
            ["auth"] + words + ["--server", "http://127.0.0.1:\(port)", "--password-stdin"],
            input: "nine purple lanterns hum\n")
        try #require(done.status == 0, "\(words): \(done.errors)")
    }

    static let isRoot = geteuid() == 0
}
