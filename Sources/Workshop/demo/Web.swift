import Foundation
import MacrologJSON

/// Programs of this computer that may be missing.
struct InstalledProgram {
    private let url: URL

    /// The first that is installed; `nil` if none is.
    init?(_ names: [String]) {
        let folders = ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"]
        let paths = names.flatMap { name in folders.map { "\($0)/\(name)" } }
        guard let path = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) })
        else { return nil }
        url = URL(filePath: path)
    }

    /// Runs it, and returns what it prints.
    func run(_ words: [String], adding variables: [String: String] = [:]) throws -> String {
        let process = Process()
        process.executableURL = url
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw DemoError("\(words.last ?? "") failed: \(text)")
        }
        return text
    }
}

/// The web interface, by the program that people try first.
struct Curl {
    private let shell: InstalledProgram

    /// `nil` where it is not installed.
    init?() {
        guard InstalledProgram(["curl"]) != nil, let shell = InstalledProgram(["sh"])
        else { return nil }
        self.shell = shell
    }

    /// Shows the line that a person would type, and returns what that line prints.
    ///
    /// - Parameter more: More of the line.
    func run(_ address: String, token: String? = nil, _ more: String = "") throws -> String {
        let header = token == nil ? "" : #" -H "authorization: Bearer $TOKEN""#
        let line = "curl -sS --fail-with-body \(address)\(header)\(more.isEmpty ? "" : " ")\(more)"
        print("  " + line)
        return try shell.run(["-c", line], adding: token.map { ["TOKEN": $0] } ?? [:])
    }
}

extension Story {
    /// What a script, a coach and everyone with a link may do.
    func web() throws {
        say("6. A script writes a line, a coach reads, and a link shows the day to others:")
        let shared = try phone.run(["share", "day", Self.day])
        let link = shared.split(separator: "\n").last.map(String.init) ?? ""
        if let curl = Curl() {
            try ask(curl, link)
        } else {
            print("curl is not installed: its lines are left out.")
        }
        try look(at: link)
    }

    private func ask(_ curl: Curl, _ link: String) throws {
        let script = try phone.json(["auth", "token", "script", "--scope", "write"])["token"]
        let coach = try phone.json(["share", "grant", "coach", Self.day])["token"]
        let api = "\(server.address)/api/v1"
        _ = try curl.run(
            "\(api)/water", token: script?.string,
            #"--json '{"volume_ml": 250, "day": "\#(Self.day)"}'"#)
        let day = try JSON.parse(try curl.run("\(api)/day/\(Self.day)", token: coach?.string))
        let page = try curl.run(link, "-H 'accept: application/json'")
        try promise(
            day["water"]?["drunk_ml"] == .integer(250), "the coach sees what the script wrote")
        try promise(
            try JSON.parse(page)["share"]?["kind"] == .string("day"),
            "everyone with the link sees the day")
        try laptop.run(["sync"])
        try promise(
            try laptop.run(["log", "3"]).contains("water"), "the laptop has it as well")
    }

    /// The page of the link as a browser draws it; without one, the card of the page, which macrolog draws.
    private func look(at link: String) throws {
        let picture = FileManager.default.temporaryDirectory.appending(path: "macrolog-demo.png")
        guard let browser = InstalledProgram(["chromium", "chromium-browser", "google-chrome"])
        else {
            try phone.run(["share", "image", Self.day, picture.path, "--force"])
            return print(
                "What others see of the day, without a browser only its card: \(picture.path)")
        }
        try? FileManager.default.removeItem(at: picture)
        _ = try browser.run([
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--hide-scrollbars", "--window-size=640,1200",
            "--user-data-dir=\(programs.scratch.appending(path: "browser").path)",
            "--screenshot=\(picture.path)", link,
        ])
        try promise(
            FileManager.default.fileExists(atPath: picture.path),
            "a browser draws the page of the link")
        print("What others see of the day, as a browser draws its page: \(picture.path)")
    }
}
