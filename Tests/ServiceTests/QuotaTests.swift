import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologJSON
import MacrologSQLite
import MacrologCryptography
import MacrologService
import MacrologTestSupport
import Testing
import MacrologZstd

/// Goal: one account can neither fill the disk of all nor slow all others down, however many sessions
/// it has and however little it sends; nothing that fits is refused, and nothing is lost.
/// Method: the service called as a function, with small quotas and a clock that the test moves.
@Suite(.onBothStores) struct QuotaTests {
    private static let text = String(repeating: "0", count: Limits.textBytesMax)

    /// An event of about 49 KiB that compresses to nearly nothing.
    private static func record(_ device: inout TestDevice) {
        let value = Value.text(UTF8Text(text))
        device.record([.set(["a": value, "b": value, "c": value])])
    }

    private func stored(_ server: TestServer) throws -> Int64 {
        var db = try Connection.open(server.path, mode: .readOnly)
        return try db.first("SELECT coalesce(sum(length(body)), 0) FROM event") { $0.int(0) } ?? 0
    }

    @Test func `the quotas are those that are promised`() {
        let settings = ServerSettings()
        #expect(settings.eventQuota == 1_000_000 && settings.eventBytesQuota == 536_870_912)
        #expect(settings.sessionsMax == 50)
    }

    @Test(.onSQLiteAlone)
    func `what is compressed counts as what is stored, whichever session sends it`() throws {
        let quota: Int64 = 2 << 20
        let server = try TestServer { $0.eventBytesQuota = quota }
        var (sent, refused) = (0, 0)
        for session in 1...4 {
            let token = try server.login(device: "phone \(session)").access
            var device = TestDevice(UInt64(session))
            for _ in 0..<10 {
                for _ in 0..<5 where device.waiting.count < 5 { Self.record(&device) }
                var encoder = ZstdEncoder(level: 3)
                let answer = server.sync(
                    device.request, token: token,
                    fields: [HTTPField("Content-Encoding", "zstd")]
                ) { body in
                    let body = encoder.encode(body)
                    sent += body.count
                    return body
                }
                guard answer.status != 200 else {
                    _ = try device.fold(answer)
                    continue
                }
                #expect(answer.status == 403 && problem(answer) == "event_quota")
                refused += 1
                break
            }
        }
        #expect(refused == 4)
        // More than a thousand bytes are stored of each that was sent, and never more than the quota.
        #expect(try stored(server) <= quota && stored(server) > quota - 50_000)
        #expect(try Int64(sent) * 200 < stored(server))
    }

    @Test func `what fits is admitted, what does not is refused, and pulling continues`() throws {
        let server = try TestServer { $0.eventQuota = 5 }
        let token = try server.login().access
        var device = TestDevice(1)
        for index in 0..<8 { device.record("meal \(index)") }
        let first = device.request
        let answer = try device.fold(server.sync(first, token: token))
        #expect(answer.admitted == 5 && answer.head == 5)
        #expect(device.waiting.count == 3)
        let refused = server.sync(device.request, token: token)
        #expect(refused.status == 403 && problem(refused) == "event_quota")
        let facts = try JSON.parse(refused.body)
        #expect(facts["events_max"]?.integer == 5 && facts["bytes_max"]?.integer == 512 << 20)
        #expect(facts["devices_max"]?.integer == 2_000)
        #expect(refused.field("retry-after") == "300")
        let name = try #require(try server.store.account(of: 1)).name
        let notes = server.notes.of("quota.events")
        #expect(!notes.isEmpty && notes.allSatisfy { $0.facts.map(\.1) == ["\(name)"] })
        // A retry of what was admitted is no new event, and who only asks is answered.
        var retry = first
        retry.pushed = Array(first.pushed.prefix(5))
        #expect(server.sync(retry, token: token).status == 200)
        var other = TestDevice(2)
        #expect(try other.fold(server.sync(other.request, token: token)).rows.count == 5)
        // Another account is not touched.
        let stranger = try server.login("ben@example.org").access
        var theirs = TestDevice(3)
        theirs.record()
        #expect(server.sync(theirs.request, token: stranger).status == 200)
    }

    @Test(.onSQLiteAlone)
    func `recovery counts too, and gives back everything that the quota allowed`() throws {
        let full = try TestServer()
        let token = try full.login().access
        var device = TestDevice(1)
        for index in 0..<6 { device.record("meal \(index)") }
        _ = try device.fold(full.sync(device.request, token: token))
        let rows = try fullLog(full)
        for (quota, status) in [(Int64(5), 403), (6, 200)] {
            let server = try TestServer(epoch: 8) { $0.eventQuota = quota }
            let token = try server.login().access
            let recover = HealRequest(after: 0, rows: rows, digest: device.digest)
            let answer = heal(recover, server, token)
            #expect(answer.status == status, "\(quota)")
            if status == 403 { #expect(problem(answer) == "event_quota") }
            var next = TestDevice(9)
            next.record("new")
            let push = server.sync(next.request, token: token)
            #expect(push.status == (status == 200 ? 403 : 200))
        }
    }

    @Test func `a log has events of a limited number of devices, and those still push`() throws {
        let server = try TestServer { $0.deviceQuota = 2 }
        let token = try server.login().access
        var devices = [1, 2, 3].map { TestDevice(UInt64($0)) }
        for index in devices.indices {
            devices[index].record("breakfast")
            let answer = server.sync(devices[index].request, token: token)
            try #require(answer.status == (index < 2 ? 200 : 403), "device \(index)")
            guard index < 2 else {
                #expect(problem(answer) == "event_quota")
                continue
            }
            _ = try devices[index].fold(answer)
            devices[index].record("lunch")
            _ = try devices[index].fold(server.sync(devices[index].request, token: token))
        }
        // The third one can still pull.
        var third = TestDevice(3)
        #expect(try third.fold(server.sync(third.request, token: token)).rows.count == 4)
    }

    @Test(.onSQLiteAlone)
    func `recovery brings no more devices than a log may have`() throws {
        let full = try TestServer()
        let token = try full.login().access
        var last = TestDevice(1)
        for index in 1...3 {
            last = TestDevice(UInt64(index))
            last.record("of device \(index)")
            _ = try last.fold(full.sync(last.request, token: token))
        }
        for (quota, status) in [(Int64(2), 403), (3, 200)] {
            let server = try TestServer(epoch: 8) { $0.deviceQuota = quota }
            let token = try server.login().access
            let recover = HealRequest(after: 0, rows: try fullLog(full), digest: last.digest)
            let answer = heal(recover, server, token)
            #expect(
                answer.status == status, "\(quota): \(String(decoding: answer.body, as: UTF8.self))"
            )
        }
    }

    private func heal(
        _ request: HealRequest, _ server: TestServer, _ token: String
    ) -> HTTPResponse {
        server.send(
            HTTPRequest(
                method: "POST", path: "/v1/heal",
                fields: [
                    HTTPField("Authorization", "Bearer \(token)"),
                    HTTPField("Content-Type", "application/cbor"),
                ], body: request.encoded()))
    }

    private func fullLog(_ server: TestServer) throws -> [HealRequest.Row] {
        var db = try Connection.open(server.path, mode: .readOnly)
        return try db.all("SELECT t, body FROM event ORDER BY place") {
            HealRequest.Row(t: $0.int(0), body: $0.bytes(1))
        }
    }

    @Test func `pushes are limited by account, not by session`() throws {
        let server = try TestServer { $0.rates[.pushByAccount] = Rate(burst: 3, interval: 1_000) }
        let tokens = try (1...5).map { try server.login(device: "phone \($0)").access }
        let statuses = tokens.enumerated().map { index, token in
            var device = TestDevice(UInt64(index + 1))
            device.record()
            return server.sync(device.request, token: token).status
        }
        #expect(statuses == [200, 200, 200, 429, 429])
        #expect(server.sync(TestDevice(9).request, token: tokens[4]).status == 200)
        server.advance(seconds: 1)
        var device = TestDevice(8)
        device.record()
        #expect(server.sync(device.request, token: tokens[4]).status == 200)
    }

    // Sessions.

    @Test func `one login too many ends the session not heard of for longest`() throws {
        let server = try TestServer { settings in
            settings.sessionsMax = 3
            settings.rates = .none
        }
        var sessions: [Tokens] = []
        for name in ["a", "b", "c"] {
            sessions.append(try server.login(device: name))
            server.advance(seconds: 3_600)
        }
        // The first is used again, so the second is the oldest idle one.
        #expect(server.call("GET", "/v1/devices", token: sessions[0].access).status == 200)
        server.advance(seconds: 3_600)
        let new = try server.login(device: "d")
        let isValid = (sessions + [new]).map {
            server.call("GET", "/v1/devices", token: $0.access).status == 200
        }
        #expect(isValid == [true, false, true, true])
        let refresh = server.post(
            "/v1/auth/refresh", ["refresh_token": .string(sessions[1].refresh)])
        #expect(refresh.status == 401)
        // Another account's sessions are its own.
        let other = try server.login("ben@example.org")
        #expect(server.call("GET", "/v1/devices", token: other.access).status == 200)
        let list = server.call("GET", "/v1/devices", token: new.access)
        #expect(try JSON.parse(list.body)["devices"]?.array?.count == 3)
    }

    @Test func `right logins are limited by account, from wherever they come`() throws {
        let server = try TestServer { $0.rates[.loginByAccount] = Rate(burst: 4, interval: 60_000) }
        let body: JSON = [
            "email": "ana@example.org", "password": .string(password), "device": "phone",
        ]
        _ = server.post("/v1/auth/register", body)
        let statuses = (1...6).map {
            server.post("/v1/auth/login", body, peer: "198.51.100.\($0)").status
        }
        #expect(statuses == [200, 200, 200, 200, 429, 429])
        // A stranger's wrong ones use none of them up.
        server.advance(seconds: 60)
        let wrong: JSON = [
            "email": "ana@example.org", "password": "another password", "device": "x",
        ]
        #expect(server.post("/v1/auth/login", wrong, peer: "203.0.113.9").status == 401)
        #expect(server.post("/v1/auth/login", body).status == 200)
    }

    // What has ended.

    private func rows(_ server: TestServer) throws -> [Int64] {
        var db = try Connection.open(server.path, mode: .readOnly)
        return try db.first(
            """
            SELECT (SELECT count(*) FROM session), (SELECT count(*) FROM refresh),
            (SELECT count(*) FROM known_network)
            """
        ) { [$0.int(0), $0.int(1), $0.int(2)] } ?? []
    }

    @Test(.onSQLiteAlone)
    func `what ended is deleted after 400 days, at the start and later, and not before`()
        throws
    {
        let folder = ScratchFolder()
        let day: Int64 = 86_400
        do {
            let server = try TestServer(folder: folder)
            let first = try server.login(device: "first")
            _ = try server.login(device: "second")
            let next = try Tokens(
                server.post("/v1/auth/refresh", ["refresh_token": .string(first.refresh)]))
            #expect(server.post("/v1/auth/logout", [:], token: next.access).status == 204)
            #expect(try rows(server) == [2, 3, 1])
            server.advance(seconds: 91 * day)
            server.forgetEnded()
            #expect(try rows(server) == [2, 3, 0])
            server.advance(seconds: 309 * day)
            server.forgetEnded()
            #expect(try rows(server) == [2, 3, 0])
            server.advance(seconds: day)
            server.forgetEnded()
            // The second was ended by no one, and ended by itself after 365 days.
            #expect(try rows(server) == [1, 1, 0])
        }
        let clock = ManualClock()
        clock.advance(milliseconds: 766 * day * 1_000)
        let server = try TestServer(folder: folder, clock: clock)
        server.waitForWriter()
        #expect(try rows(server) == [0, 0, 0])
    }

    @Test(.onSQLiteAlone)
    func `more than one change deletes is deleted all the same`() throws {
        let server = try TestServer()
        let token = try server.login()
        do {
            var db = try Connection.open(server.path)
            try db.run(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3500)
                INSERT INTO refresh (digest, session, created, used)
                SELECT randomblob(32), (SELECT id FROM session), 1, 1 FROM n
                """)
            try db.run(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
                INSERT INTO code (digest, space, kind, expires)
                SELECT randomblob(32), (SELECT space FROM account), 'reset', 1 FROM n
                """)
            try db.run(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
                INSERT INTO invitation (digest, created, expires, uses)
                SELECT randomblob(32), 1, 1, 1 FROM n
                """)
            // Before those that logging in has written.
            try db.run(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
                INSERT INTO audit (place, space, at, event)
                SELECT i - 10000, (SELECT space FROM account), 1, 'login' FROM n
                """)
            // A token of one day, made 402 days ago.
            try db.run(
                """
                INSERT INTO session (id, space, label, created, last_seen, scope, ends)
                SELECT randomblob(16), space, 'coach', created - 402 * 86400000, 1, 'read',
                created - 401 * 86400000 FROM session
                """)
        }
        #expect(try rows(server)[0] == 2)
        server.forgetEnded()
        #expect(try rows(server)[...1] == [1, 1])
        do {
            var db = try Connection.open(server.path, mode: .readOnly)
            for table: StaticString in [
                "SELECT count(*) FROM code", "SELECT count(*) FROM invitation",
                "SELECT count(*) FROM audit WHERE at = 1",
            ] {
                #expect(try db.first(table) { $0.int(0) } == 0, "\(table)")
            }
        }
        #expect(server.post("/v1/auth/logout", [:], token: token.access).status == 204)
    }
}
