import Foundation
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: an operator sees from outside whether the server is well, what it refused, and which request a
/// person means; a normal stop warns of nothing.
/// Method: the real program on two ports, and its log.
@Suite struct SeeingTests {
    private let shell = ServerShell()

    @Test func `metrics count what was asked, and ready says why`() throws {
        let server = try shell.listen("--metrics 127.0.0.1:0")
        defer { server.stop() }
        _ = try shell.person("ana@example.org", at: server.port)
        #expect(try shell.ask(server.port, "GET /ready").contains("\r\n\r\nready\n"))
        for _ in 0..<3 { _ = try shell.ask(server.port, "GET /v1/devices") }
        let page = try shell.ask(server.metrics, "GET /metrics")
        for line in [
            "HTTP/1.1 200 OK", "content-type: text/plain; version=0.0.4; charset=utf-8",
            "macrolog_requests_total{route=\"GET /v1/devices\",status=\"401\"} 3\n",
            "macrolog_requests_total{route=\"POST /v1/auth/login\",status=\"200\"} 1\n",
            "macrolog_request_seconds_count{route=\"POST /v1/sync\"} ",
            "macrolog_request_seconds_bucket{route=\"GET /v1/devices\",le=\"+Inf\"} ",
            "macrolog_refusals_total{problem=\"unauthorized\"} 3\n", "macrolog_ready 1\n",
            "macrolog_accounts 1\n", "macrolog_undeclared_proxy 0\n", "macrolog_live_channels 0\n",
        ] {
            #expect(page.contains(line), "\(line) is not in:\n\(page)")
        }
        // Each family has its type before its samples, once.
        let families = page.matches(of: /# TYPE (\S+) (counter|gauge|histogram)\n/).map { $0.1 }
        #expect(Set(families).count == families.count && families.count >= 20)
        for sample in page.split(separator: "\n") where sample.hasPrefix("macrolog_") {
            #expect(
                sample.wholeMatch(of: /macrolog_[a-z_]+(\{[^}]*\})? [0-9.]+/) != nil, "\(sample)")
        }
        let ready = try shell.ask(server.metrics, "GET /ready")
        let body = try #require(ready.components(separatedBy: "\r\n\r\n").last)
        let report = try JSON.parse(Array(body.trimmingCharacters(in: .newlines).utf8))
        #expect(report["ready"] == .bool(true) && report["writes"] == .string("ok"), "\(body)")
        #expect(report["notice"] == nil)
        // The inner address has nothing else, and the outer one no metrics.
        #expect(try shell.ask(server.metrics, "GET /v1/devices").hasPrefix("HTTP/1.1 404"))
        #expect(
            try shell.ask(server.metrics, "POST /metrics", json: "{}").hasPrefix("HTTP/1.1 405"))
        #expect(try shell.ask(server.port, "GET /metrics").hasPrefix("HTTP/1.1 404"))
        // A proxy that is not declared is noticed.
        _ = try shell.ask(server.port, "GET /health", fields: ["X-Forwarded-For: 192.0.2.7"])
        // An answer is repeated for a second.
        var noticed = ""
        let isNoticed = try eventually(within: 10_000, every: 20) {
            noticed = try shell.ask(server.metrics, "GET /ready")
            return noticed.contains("is not declared")
        }
        #expect(isNoticed, "\(noticed)")
    }

    @Test func `a server whose folder was removed is not ready, and ends when it is stopped`()
        throws
    {
        let server = try shell.listen("")
        #expect(try shell.ask(server.port, "GET /ready").contains("\r\n\r\nready\n"))
        _ = try shell.done("mv data gone")
        // Another server in its place, whose files are in order.
        let other = try shell.listen("")
        let isNoticed = try eventually(within: 10_000, every: 20) {
            try shell.ask(server.port, "GET /ready").hasPrefix("HTTP/1.1 503")
        }
        #expect(isNoticed)
        try shell.waitForLog("store.failed")
        server.stop()
        #expect(try shell.ask(other.port, "GET /ready").contains("\r\n\r\nready\n"))
        #expect(try shell.done("exec $SERVER user list --data data").contains("account"))
        other.stop()
    }

    @Test(.enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
    func `the log says that the database is away, and of which store`() throws {
        let database = try PostgreSQLServer(isDurable: false)
        let other = try PostgreSQLServer.shared()
        let stores = try [("a", other), ("b", database)].map { name, server in
            let address = try server.address(of: server.newDatabase())
            return "--store '\(name)=\(address.replacing("postgresql://", with: "postgres://"))'"
        }.joined(separator: " ")
        _ = try shell.done("exec $SERVER store join \(stores) --data data")
        let server = try shell.listen("\(stores) --store-files files --place-new b --no-gateway")
        defer { server.stop() }
        let ana = try shell.person("ana@example.org", at: server.port)
        database.kill()
        let refused = try ana.run(["sync"])
        #expect(refused.status != 0 && refused.errors.contains("busy"), "\(refused)")
        try shell.waitForLog(#""event":"store.unavailable","detail":"b: "#)
        #expect(!(try shell.errors()).contains(#""detail":"a: "#))
        try database.start()
        let isBack = try eventually(within: 20_000, every: 100) {
            try ana.run(["sync"]).status == 0
        }
        #expect(isBack)
        try shell.waitForLog(#""event":"store.available","store":"b""#)
    }

    @Test(.enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
    func `the folder of photos is there from the start, with its room`() throws {
        let database = try PostgreSQLServer.shared()
        let address = try database.address(of: database.newDatabase())
        let store = "--store '\(address.replacing("postgresql://", with: "postgres://"))'"
        let server = try shell.listen("\(store) --store-files files --metrics 127.0.0.1:0")
        defer { server.stop() }
        let ready = try shell.ask(server.metrics, "GET /ready")
        #expect(ready.contains(/"free_bytes":[0-9]/), "\(ready)")
        #expect(shell.exists("files"))
        let nowhere = try shell.run("exec $SERVER \(store) --store-files no/where --data other")
        #expect(nowhere.status != 0 && nowhere.errors.contains("cannot create no/where"))
    }

    @Test func `the dashboard and the page for operators name metrics that there are`() throws {
        let server = try shell.listen("--metrics 127.0.0.1:0 --backup copies")
        defer { server.stop() }
        let page = try shell.ask(server.metrics, "GET /metrics")
        let families = Set(page.matches(of: /# TYPE (\S+) [a-z]/).map { String($0.1) })
        let folder =
            #filePath.components(separatedBy: "Tests/CommandLineTests/")[0] + "sync-server/"
        var named: Set<String> = []
        for name in ["deploy/dashboard.json", "README.md"] {
            let text = try String(contentsOfFile: folder + name, encoding: .utf8)
            named.formUnion(text.matches(of: /macrolog_[a-z_]+/).map { String($0.0) })
        }
        let missing = named.filter { !families.contains($0.replacing(/_bucket$/, with: "")) }
        #expect(named.count > 12 && missing.isEmpty, "\(missing)")
    }

    @Test func `a problem has the id of its request, and so has the log`() throws {
        let server = try shell.listen("--log-level debug --log text")
        let named = try shell.ask(
            server.port, "GET /nowhere", fields: ["X-Request-Id: ticket-42.a_B"])
        #expect(named.contains("x-request-id: ticket-42.a_B\r\n"), "\(named)")
        #expect(named.contains(#""request_id":"ticket-42.a_B"}"#), "\(named)")
        for bad in ["a b", String(repeating: "a", count: 65), "a\"b", "ä"] {
            let made = try shell.ask(server.port, "GET /nowhere", fields: ["X-Request-Id: \(bad)"])
            let id = try #require(made.firstMatch(of: /x-request-id: ([0-9a-f]{16})\r\n/)).1
            #expect(made.contains("\"request_id\":\"\(id)\"}"), "\(made)")
        }
        // The web interface has kinds of problems of its own.
        let own = try shell.ask(
            server.port, "GET /openapi.json?x=1", fields: ["X-Request-Id: ticket-43"])
        #expect(own.contains(#"invalid_parameter""#) && own.contains(#""request_id":"ticket-43"}"#))
        #expect(!(try shell.ask(server.port, "GET /health")).contains("x-request-id"))
        server.stop()
        let log = try shell.errors()
        #expect(log.contains("debug request request_id=\"ticket-42.a_B\" method=\"GET\""), "\(log)")
        #expect(
            log.contains(#"request_id="ticket-43""#)
                && log.contains(#"problem="invalid_parameter""#))
    }

    @Test func `a data folder in which others may replace files is warned about at the start`()
        throws
    {
        for (mode, isWarned) in [("0755", false), ("0775", true), ("0700", false), ("0702", true)] {
            _ = try shell.done("mkdir -p data && chmod \(mode) data")
            try shell.listen("").stop()
            let log = try shell.errors()
            #expect(log.contains("data.writable") == isWarned, "\(mode): \(log)")
            #expect(log.contains("chmod go-w ") == isWarned)
        }
    }

    @Test func `refusals are counted in one line for each reason, without who it was`() throws {
        let server = try shell.listen("--trusted-proxy 127.0.0.1")
        for number in 1...5 {
            _ = try shell.ask(
                server.port, "GET /v1/devices", fields: ["X-Forwarded-For: 192.0.2.\(number)"])
            _ = try shell.ask(
                server.port, "GET /wp-admin", fields: ["X-Forwarded-For: 198.51.\(number).7"])
        }
        server.stop()
        let lines = try shell.errors().split(separator: "\n").filter { $0.contains("\"refused\"") }
        #expect(lines.count == 2, "\(lines)")
        #expect(
            lines.contains {
                $0.contains(
                    #""route":"GET /v1/devices","problem":"unauthorized","refused_count":5"#)
                    && $0.contains(#""network_count":1,"network":"192.0.2.0/24"}"#)
            }, "\(lines)")
        #expect(
            lines.contains {
                $0.contains(
                    #""route":"unknown","problem":"not_found","refused_count":5,"network_count":5"#)
            }, "\(lines)")
    }

    @Test func `a poll that ends because the server stops is nothing to warn of`() throws {
        let server = try shell.listen("--metrics 127.0.0.1:0")
        let phone = try shell.person("ana@example.org", at: server.port)
        let watching = Process()
        watching.executableURL = try BuiltProgram.url("macrolog")
        watching.arguments = ["sync", "--watch"]
        watching.environment = phone.environment
        watching.standardOutput = FileHandle.nullDevice
        watching.standardError = FileHandle.nullDevice
        try watching.run()
        defer { watching.terminate() }
        let isPolling = try eventually(every: 20) {
            try shell.ask(server.metrics, "GET /metrics").contains("macrolog_live_channels 1\n")
        }
        #expect(isPolling)
        server.stop()
        let log = try shell.errors()
        #expect(log.contains("\"stopped\"") && !log.contains("\"warning\""), "\(log)")
    }
}
