import Dispatch
import Foundation
import MacrologHTTP
import MacrologHTTPClient
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: the web interface does what its OpenAPI document says, whatever is sent.
/// Method: schemathesis, a tester that others wrote, reads the document of a real server and sends it requests that
/// are right and wrong, with all its checks (`docs/schemathesis.toml`). The provider of models is a real server, too.
/// The gate has it send examples and drawn requests by one seed. A soak draws more by other seeds, and has it
/// try each bound of each member (its coverage phase: about a hundred requests an operation) for a share of the
/// operations in each round; `MACROLOG_TEST_REST=whole` has it try those of all.
@Suite struct RESTPropertiesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let program = root.appending(path: ".build/python/bin/schemathesis").path
    private static let isInstalled = FileManager.default.isExecutableFile(atPath: program)
    private static let needs: Comment =
        "skipped: no schemathesis (.ci/python installs it below .build)"
    private static let environment = ProcessInfo.processInfo.environment
    /// How many seeds a soak asks for; `nil` in the gate.
    private static let asked = Dice.number("MACROLOG_TEST_SEEDS")
    /// In how many parts the operations are tried, and how long one part may take, in seconds.
    private static let (shareCount, secondsMax): (UInt64, Double) = (12, 600)

    @Test(.enabled(if: isInstalled, needs))
    func `schemathesis finds nothing in what it draws`() throws {
        let seed = Dice.seeds(1).lowerBound
        try check(
            ["--phases", "examples,fuzzing", "--max-examples", Self.asked == nil ? "1" : "10"],
            seed: seed, share: nil)
    }

    @Test(
        .enabled(if: isInstalled, needs),
        .enabled(
            if: asked != nil || environment["MACROLOG_TEST_REST"] == "whole",
            "skipped: a soak tries the bounds of all members"))
    func `schemathesis finds nothing at the bounds of any member`() throws {
        let seed = Dice.seeds(1).lowerBound
        let isWhole = Self.environment["MACROLOG_TEST_REST"] == "whole"
        for share in 0..<Self.shareCount where isWhole || share == seed / 20 % Self.shareCount {
            try check(
                ["--phases", "coverage", "--max-examples", "1"], seed: seed,
                share: share)
        }
    }

    /// The paths of a share, as a regular expression.
    private func pattern(of share: UInt64, _ address: String) throws -> String {
        let answer = try HTTPTransport().send(
            HTTPRequest(method: "GET", path: "/openapi.json", fields: [], body: []),
            to: try Origin(address))
        let paths = (try JSON.parse(answer.body)["paths"]?.object ?? []).map(\.key)
        let own = paths.filter { !$0.hasPrefix("/api/auth/") }.enumerated().filter {
            UInt64($0.offset) % Self.shareCount == share
        }
        #expect(!own.isEmpty)
        let names = own.map { NSRegularExpression.escapedPattern(for: $0.element) }
        return "^(\(names.joined(separator: "|")))$"
    }

    private func check(_ words: [String], seed: UInt64, share: UInt64?) throws {
        let models = try ModelServer([.json(200, PublishedInterface.openAI.answer(pancakes))])
        let folder = ScratchFolder()
        try Data("interface = openai\nmodel = some\naddress = \(models.address)/v1\n".utf8).write(
            to: URL(filePath: folder.file("provider")))
        let server = try ServerProcess(
            in: folder,
            options: [
                "--analysis", folder.file("provider"), "--analyses-per-day", "1000000",
                "--requests-per-hour", "1000000000", "--no-rate-limits",
            ])
        let token = try token(server.address)
        let paths = try share.map { try ["--include-path-regex", pattern(of: $0, server.address)] }
        let begun = ContinuousClock.now
        let (status, text) = try run(
            [
                "--config-file", Self.root.appending(path: "docs/schemathesis.toml").path, "run",
                server.address + "/openapi.json", "--exclude-path-regex", "^/api/auth/",
                "--seed", "\(seed)",
            ] + words + (paths ?? []), token: token, in: folder)
        #expect(
            status == 0,
            "seed \(seed), \(words), share \(share.map { "\($0)" } ?? "all"):\n\(text.suffix(20_000))"
        )
        #expect(text.contains("Tested:"), "\(text.suffix(2_000))")
        let counts = text.split(separator: "\n").filter {
            $0.contains("Tested:") || $0.contains(" generated, ")
        }
        print("schemathesis, seed \(seed), \(words[1]): \(begun.duration(to: .now)) \(counts)")
    }

    /// The token of an account that has agreed that photos are analysed.
    private func token(_ address: String) throws -> String {
        let origin = try Origin(address)
        func send(_ method: String, _ path: String, _ body: JSON, _ token: String?) throws -> JSON {
            let credentials = token.map { [HTTPField("authorization", "Bearer \($0)")] } ?? []
            let answer = try HTTPTransport().send(
                HTTPRequest(
                    method: method, path: path,
                    fields: [HTTPField("content-type", "application/json")] + credentials,
                    body: Array(body.compact.utf8)), to: origin)
            #expect(answer.status < 300, "\(answer.status)")
            return try JSON.parse(answer.body)
        }
        let person: JSON = ["email": "ana@example.org", "password": "nine purple lanterns hum"]
        let answer = try send("POST", "/api/auth/register", person, nil)
        let token = try #require(answer["token"]?.string)
        _ = try send("PATCH", "/api/v1/preferences", ["photo_ai_consent": true], token)
        return token
    }

    private func run(
        _ words: [String], token: String, in folder: ScratchFolder
    ) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(filePath: Self.program)
        process.arguments = words
        process.currentDirectoryURL = folder.url
        process.environment = [
            "MACROLOG_TOKEN": token, "HOME": folder.path, "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8", "NO_COLOR": "1",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        // A part that comes to no end fails the test instead of the soak.
        let end = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.secondsMax, execute: end)
        defer { end.cancel() }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }
}
