import Foundation
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: the web interface of the real program shares a person's log with the command line, writes nothing
/// readable beside an encrypted log, and can be left out.
/// Method: the real programs over sockets; what the one records the other shows.
@Suite struct WebInterfaceTests {
    private let shell = ServerShell()

    /// The body of an answer.
    private func json(_ answer: String) throws -> JSON {
        try JSON.parse(try #require(answer.components(separatedBy: "\r\n\r\n").last))
    }

    /// The header field with a token of a session.
    private func authorization(_ port: UInt16) throws -> [String] {
        let answer = try shell.ask(
            port, "POST /v1/auth/login",
            json: """
                {"email":"ana@example.org","password":"nine purple lanterns hum","device":"script"}
                """)
        return ["Authorization: Bearer \(try #require(try json(answer)["access_token"]?.string))"]
    }

    @Test func `a script and the command line share one log`() throws {
        let server = try shell.listen("")
        defer { server.stop() }
        let phone = try shell.person("ana@example.org", at: server.port)
        let fields = try authorization(server.port)
        let day = try shell.ask(server.port, "GET /api/v1/day", fields: fields)
        #expect(day.hasPrefix("HTTP/1.1 200") && day.contains("Marzipanbrot"), "\(day)")
        #expect(day.contains("ratelimit-limit: 100"))
        let quick = try shell.ask(
            server.port, "POST /api/v1/quick", fields: fields, json: #"{"line":"120 kcal Apfel"}"#)
        #expect(quick.hasPrefix("HTTP/1.1 201"), "\(quick)")
        #expect(try phone.run(["sync"]).status == 0)
        let shown = try phone.run(["day", "show", "--json", "--tz", "UTC"]).output
        #expect(shown.contains("Apfel"))
        let sessions = try phone.run(["auth", "sessions"]).output
        #expect(sessions.matches(of: /web and API/).count == 1, "\(sessions)")
        let lost = try shell.ask(server.port, "GET /api/v1/nothing", fields: fields)
        #expect(lost.hasPrefix("HTTP/1.1 404") && lost.contains("x-request-id"), "\(lost)")
        #expect(try shell.ask(server.port, "GET /openapi.json").contains("\"3.1.0\""))
    }

    @Test func `with encryption at rest nothing readable is in the data folder`() throws {
        _ = try shell.done("exec $SERVER at-rest-key create rest.key")
        let server = try shell.listen("--at-rest-key rest.key")
        _ = try shell.person("ana@example.org", at: server.port)
        let fields = try authorization(server.port)
        let day = try shell.ask(server.port, "GET /api/v1/day", fields: fields)
        #expect(day.contains("Marzipanbrot"))
        let found = try shell.files(below: "data").filter {
            try Data(contentsOf: URL(filePath: $0)).range(of: Data("Marzipanbrot".utf8)) != nil
        }
        #expect(found == [])
        server.stop()
        let left = try FileManager.default.contentsOfDirectory(atPath: "/dev/shm").filter {
            $0.contains(shell.folder.url.lastPathComponent)
        }
        #expect(left == [])
    }

    @Test(arguments: ["--no-gateway", "--gateway-folder other", "--at-rest-key rest.key"])
    func `a log that the web interface kept is removed where it is not used`(option: String) throws
    {
        _ = try shell.done("exec $SERVER at-rest-key create rest.key")
        let first = try shell.listen("")
        _ = try shell.person("ana@example.org", at: first.port)
        let fields = try authorization(first.port)
        #expect(
            try shell.ask(first.port, "GET /api/v1/day", fields: fields).hasPrefix("HTTP/1.1 200"))
        #expect(shell.exists("data/gateway"))
        first.stop()
        let second = try shell.listen(option)
        defer { second.stop() }
        #expect(!shell.exists("data/gateway"))
    }

    @Test func `the web interface can be left out`() throws {
        let server = try shell.listen("--no-gateway")
        defer { server.stop() }
        _ = try shell.person("ana@example.org", at: server.port)
        let fields = try authorization(server.port)
        #expect(
            try shell.ask(server.port, "GET /api/v1/day", fields: fields).hasPrefix("HTTP/1.1 404"))
        #expect(!shell.exists("data/gateway"))
    }
}
