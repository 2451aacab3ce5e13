import Foundation
import MacrologHTTP
import MacrologHTTPClient
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: the web interface does what its OpenAPI document says, whatever is sent.
/// Method: schemathesis, a tester that others wrote, reads the document of a real server and sends it requests that
/// are right and wrong, with all its checks (`docs/schemathesis.toml`). The provider of models is a real server, too.
/// A soak runs it, with new examples each time: it sends many thousands of requests, which takes ten minutes.
@Suite struct RESTPropertiesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let program = root.appending(path: ".build/python/bin/schemathesis").path
    private static let isInstalled = FileManager.default.isExecutableFile(atPath: program)
    /// How many seeds were asked for; `nil` in the gate.
    private static let asked = Dice.number("MACROLOG_TEST_SEEDS")

    @Test(
        .enabled(if: isInstalled, "skipped: no schemathesis (.ci/python installs it below .build)"),
        .enabled(if: asked != nil, "skipped: set MACROLOG_TEST_SEEDS=1, as `make soak` does"))
    func `schemathesis finds nothing`() throws {
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
        let seeds = Dice.seeds(1)
        let examples = seeds.count > 1 ? 10 : 1
        let (status, text) = try run(
            [
                "--config-file", Self.root.appending(path: "docs/schemathesis.toml").path, "run",
                server.address + "/openapi.json", "--exclude-path-regex", "/api/auth/",
                "--seed", "\(seeds.lowerBound)", "--max-examples", "\(examples)",
                "--phases", "examples,coverage,fuzzing",
            ], token: token, in: folder)
        #expect(
            status == 0,
            "seed \(seeds.lowerBound), \(examples) examples:\n\(text.suffix(20_000))")
        #expect(text.contains("Tested:"), "\(text.suffix(2_000))")
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
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }
}
