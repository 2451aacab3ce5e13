import Foundation
import MacrologJSON

/// The web interface, by the program that people try first.
struct Curl {
    private let program: URL

    /// `nil` where it is not installed.
    init?() {
        let folders = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
        let found = folders.first {
            FileManager.default.isExecutableFile(atPath: "\($0)/curl")
        }
        guard let found else { return nil }
        program = URL(filePath: "\(found)/curl")
    }

    /// Shows the line as a person would type it, and returns what it prints.
    func run(_ address: String, token: String? = nil, _ more: [String] = []) throws -> String {
        let header = token.map { ["-H", "authorization: Bearer \($0)"] } ?? []
        let shown =
            ["-s", address] + (token == nil ? [] : ["-H", "authorization: Bearer $TOKEN"]) + more
        print("  curl " + shown.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " "))
        let process = Process()
        process.executableURL = program
        process.arguments = ["-sS", "--fail-with-body", address] + header + more
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw DemoError("\(address): \(text)") }
        return text
    }
}

extension Story {
    /// What a script, a coach and everyone with a link may do.
    func web() throws {
        say("6. A script writes a line, a coach reads, and a link shows the day to others:")
        let picture = FileManager.default.temporaryDirectory.appending(path: "macrolog-demo.png")
        try phone.run(["share", "image", Self.day, picture.path, "--force"])
        let shared = try phone.run(["share", "day", Self.day])
        guard let curl = Curl() else {
            return print("curl is not installed: what others see is in \(picture.path)")
        }
        let script = try phone.json(["auth", "token", "script", "--scope", "write"])["token"]
        let coach = try phone.json(["share", "grant", "coach", Self.day])["token"]
        let api = "\(server.address)/api/v1"
        _ = try curl.run(
            "\(api)/water", token: script?.string,
            ["--json", #"{"volume_ml":250,"day":"\#(Self.day)"}"#])
        let day = try JSON.parse(try curl.run("\(api)/day/\(Self.day)", token: coach?.string))
        let link = shared.split(separator: "\n").last.map(String.init) ?? ""
        let page = try curl.run(link, ["-H", "accept: application/json"])
        try promise(
            day["water"]?["drunk_ml"] == .integer(250), "the coach sees what the script wrote")
        try promise(
            try JSON.parse(page)["share"]?["kind"] == .string("day"),
            "everyone with the link sees the day")
        try laptop.run(["sync"])
        try promise(
            try laptop.run(["log", "3"]).contains("water"), "the laptop has it as well")
        print("What others see of the day: \(picture.path)")
    }
}
