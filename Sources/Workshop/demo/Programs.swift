import Foundation
import MacrologJSON

/// The two programs of the package, run as people run them: real processes, real sockets, real
/// files.
struct Programs {
    /// The folder of the programs: the same as this program's.
    let folder: URL
    /// Where the demo keeps everything; removed at its end.
    let scratch: URL

    init() throws {
        folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        scratch = FileManager.default.temporaryDirectory
            .appending(path: "macrolog-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    }

    func process(_ name: String, _ arguments: [String]) throws -> Process {
        let program = folder.appending(path: name)
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw DemoError("\(program.path) is missing: swift build --product \(name)")
        }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        return process
    }
}

/// The error, in a sentence.
struct DemoError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// One device: a file of its own, and `macrolog` to use it with.
struct Device {
    let name: String
    let programs: Programs
    let server: String

    private var database: String { programs.scratch.appending(path: "\(name).db").path }

    /// Runs a verb and returns its output. The zone is fixed, so that every run looks alike.
    @discardableResult
    func run(_ words: [String], input: String? = nil) throws -> String {
        let process = try programs.process("macrolog", words + ["--db", database])
        process.environment = [
            "TZ": "Europe/Zurich", "MACROLOG_SERVER": server, "LANG": "C.UTF-8", "NO_COLOR": "1",
        ]
        let (output, complaints, stdin) = (Pipe(), Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = complaints
        process.standardInput = stdin
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data((input ?? "").utf8))
        try stdin.fileHandleForWriting.close()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let errors = String(
            decoding: complaints.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw DemoError("\(name): macrolog \(words.joined(separator: " ")) failed\n\(errors)")
        }
        return text
    }

    /// Runs a verb with `--json` and returns the value it prints.
    func json(_ words: [String]) throws -> JSON {
        try JSON.parse(try run(words + ["--json"]))
    }
}

/// The sync server, from its first line to its last.
final class DemoServer {
    let address: String
    private let process: Process

    init(_ programs: Programs) throws {
        let data = programs.scratch.appending(path: "server").path
        process = try programs.process(
            "sync-server", ["--listen", "127.0.0.1:0", "--data", data, "--log-level", "error"])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data([0x0A]) {
            line += byte
        }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard let address = words.last, address.hasPrefix("http") else {
            throw DemoError("the server did not say where it listens")
        }
        self.address = String(address)
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
