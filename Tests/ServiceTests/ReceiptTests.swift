import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologJSON
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: the server says of each device what it is known to hold, never more, and pays nothing for it.
/// Method: the service called as a function, with a clock that the test moves.
@Suite(.onBothStores) struct ReceiptTests {
    /// What `GET /v1/devices` says of each device.
    private func devices(_ server: TestServer, _ tokens: Tokens) throws -> [JSON] {
        let answer = server.call("GET", "/v1/devices", token: tokens.access)
        return try #require(try JSON.parse(answer.body)["devices"]?.array)
    }

    private func cursors(_ server: TestServer, _ tokens: Tokens) throws -> [Int64?] {
        try devices(server, tokens).map { $0["cursor"]?.integer }
    }

    @Test func `a receipt is what the digest of an exchange has proved, and the last one counts`()
        throws
    {
        let server = try TestServer()
        let phone = try server.login(device: "phone")
        server.advance(seconds: 1)
        let laptop = try server.login(device: "laptop")
        #expect(try cursors(server, phone) == [nil, nil])
        var writer = TestDevice(1)
        for _ in 0..<3 { writer.record() }
        _ = try writer.fold(server.sync(writer.request, token: phone.access))
        // It asked as one that holds nothing; what the answer brought is not proved yet.
        #expect(try cursors(server, phone) == [0, nil])
        var reader = TestDevice(2)
        _ = try reader.fold(server.sync(reader.request, token: laptop.access))
        #expect(try cursors(server, phone) == [0, 0])
        _ = try reader.fold(server.sync(reader.request, token: laptop.access))
        let listed = try devices(server, laptop)
        #expect(listed.map { $0["cursor"]?.integer } == [0, 3])
        #expect(listed[1]["device"]?.string == reader.id.description)

        // A cursor that the digest does not prove, or that does not exist.
        var liar = reader.request
        liar.cursor = LogNumber(2)
        #expect(server.sync(liar, token: laptop.access).status == 409)
        liar.cursor = LogNumber(4)
        #expect(server.sync(liar, token: laptop.access).status == 409)
        #expect(try cursors(server, phone) == [0, 3])

        // A device that was put back to an older copy of its file holds less.
        _ = server.sync(TestDevice(2).request, token: laptop.access)
        #expect(try cursors(server, phone) == [0, 0])
        let stranger = try server.login("ben@example.org")
        #expect(try cursors(server, stranger) == [nil])
    }

    @Test func `a request that proves nothing of itself leaves no receipt`() throws {
        let server = try TestServer()
        let phone = try server.login(device: "phone")
        server.advance(seconds: 1)
        let laptop = try server.login(device: "laptop")
        var writer = TestDevice(1)
        for _ in 0..<3 { writer.record() }
        let answer = try writer.fold(server.sync(writer.request, token: phone.access))
        // A digest that was read on the wire, by one that holds no event.
        var copied = TestDevice(2).request
        (copied.epoch, copied.cursor, copied.digest) = (7, LogNumber(3), answer.digest)
        copied.eventsMax = 0
        #expect(server.sync(copied, token: laptop.access).status == 200)
        #expect(try cursors(server, phone) == [0, nil])
        // The rows of a repair are fetched under no device ID, also from a lower cursor.
        var nameless = TestDevice(2).request
        nameless.device = Identifier(high: 0, low: 0)
        #expect(server.sync(nameless, token: laptop.access).status == 200)
        #expect(try cursors(server, phone) == [0, nil])
        _ = server.sync(writer.request, token: phone.access)
        #expect(server.sync(nameless, token: phone.access).status == 200)
        #expect(try cursors(server, phone) == [3, nil])
        #expect(try devices(server, phone)[0]["device"]?.string == writer.id.description)
        // No device records nothing.
        var events = TestDevice(0)
        events.record()
        let refused = server.sync(events.request, token: laptop.access)
        #expect(refused.status == 400 && problem(refused) == "malformed_event")
        #expect(try cursors(server, phone) == [3, nil])
    }

    @Test func `a receipt is seen while it is being written`() throws {
        let server = try TestServer()
        let phone = try server.login()
        let session = try #require(Identifier(phone.session))
        let stored = try #require(try server.store.session(session))
        for number in 1...1_000 {
            let cursor = LogNumber(Int64(number))
            let held = Receipt.Held(device: TestDevice(1).id, cursor: cursor)
            server.store.note(
                Receipt(session: session, space: stored.space, held: held, seen: stored.created),
                isDurable: true)
            for _ in 0..<3 {
                let seen = try server.store.sessions(of: stored.space).first?.held?.cursor
                guard seen == cursor else {
                    Issue.record("\(seen as LogNumber?) was seen after \(cursor)")
                    return
                }
            }
        }
    }

    @Test func `a device is seen within a minute, whatever it asks`() throws {
        let server = try TestServer()
        let phone = try server.login()
        func seen() throws -> Int64? { try devices(server, phone)[0]["last_seen"]?.integer }
        let before = try #require(try seen())
        server.advance(seconds: 59)
        #expect(try seen() == before)
        server.advance(seconds: 1)
        #expect(try seen() == before + 60_000)
    }

    @Test func `a device that has pushed and holds nothing yet is listed, and keeps its session`()
        throws
    {
        let server = try TestServer()
        let phone = try server.login()
        var writer = TestDevice(1)
        writer.record()
        server.advance(seconds: 61)
        // The commit takes the receipt of this exchange along.
        #expect(server.sync(writer.request, token: phone.access).status == 200)
        server.advance(seconds: 61)
        _ = try server.login("ben@example.org")
        let answer = server.call("GET", "/v1/devices", token: phone.access)
        #expect(answer.status == 200)
        #expect(try cursors(server, phone) == [0])
        let next = server.post("/v1/auth/refresh", ["refresh_token": .string(phone.refresh)])
        #expect(next.status == 200)
    }

    @Test(.onSQLiteAlone)
    func `receipts make no commit, go along with others, and survive a restart`() throws {
        let folder = ScratchFolder()
        var access = ""
        do {
            let server = try TestServer(folder: folder)
            let phone = try server.login(device: "phone")
            server.advance(seconds: 1)
            let laptop = try server.login(device: "laptop")
            access = laptop.access
            var writer = TestDevice(1)
            writer.record()
            _ = try writer.fold(server.sync(writer.request, token: phone.access))
            var reader = TestDevice(2)
            _ = try reader.fold(server.sync(reader.request, token: laptop.access))
            let before = server.store.commits
            for _ in 0..<20 {
                _ = try reader.fold(server.sync(reader.request, token: laptop.access))
                server.advance(seconds: 10)
            }
            #expect(server.store.commits == before)
            #expect(try cursors(server, phone) == [0, 1])
            // Someone else's event takes it along.
            writer.record()
            _ = try writer.fold(server.sync(writer.request, token: phone.access))
            #expect(server.store.commits == before + 1)
            let stored = try server.store.session(try #require(Identifier(laptop.session)))
            #expect(stored?.held?.cursor == 1)
            _ = try reader.fold(server.sync(reader.request, token: laptop.access))
            _ = try reader.fold(server.sync(reader.request, token: laptop.access))
            // Within a minute of the last: it waits for the next commit, or for the end.
            #expect(
                try server.store.session(try #require(Identifier(laptop.session)))?.held?.cursor
                    == 1)
        }
        let again = try TestServer(folder: folder)
        let answer = again.call("GET", "/v1/devices", token: access)
        let listed = try #require(try JSON.parse(answer.body)["devices"]?.array)
        #expect(listed.map { $0["cursor"]?.integer } == [1, 2])
        #expect(try JSON.parse(answer.body)["epoch"] == 7)
    }

    @Test func `many receipts reach the disk in small portions, none is forgotten`() throws {
        let folder = ScratchFolder()
        let count = 450
        var sessions: [Tokens] = []
        do {
            let server = try TestServer(folder: folder) { settings in
                settings.sessionsMax = count
                settings.rates = .none
            }
            for index in 0..<count { sessions.append(try server.login(device: "d\(index)")) }
            for (index, session) in sessions.enumerated() {
                let device = TestDevice(UInt64(index + 10))
                _ = server.sync(device.request, token: session.access)
            }
            server.advance(seconds: 60)
            var writer = TestDevice(1)
            for _ in 0..<3 {
                writer.record()
                _ = try writer.fold(server.sync(writer.request, token: sessions[0].access))
            }
            let ids = try sessions.map { try #require(Identifier($0.session)) }
            // On PostgreSQL they have a transaction of their own, after that of the push and its answer.
            let areWritten = try eventually(every: 10) {
                try ids.filter { try server.store.session($0)?.held != nil }.count >= count - 1
            }
            #expect(areWritten)
        }
        let again = try TestServer(folder: folder)
        #expect(try cursors(again, sessions[0]).allSatisfy { $0 != nil })
    }

    @Test func `a device is renamed from any device of the account, and from no other`() throws {
        let server = try TestServer()
        let phone = try server.login(device: "phone")
        server.advance(seconds: 1)
        let laptop = try server.login(device: "laptop")
        let stranger = try server.login("ben@example.org")
        func rename(_ session: String, _ body: JSON, _ tokens: Tokens) -> HTTPResponse {
            server.send(
                HTTPRequest(
                    method: "PUT", path: "/v1/devices/\(session)",
                    fields: [
                        HTTPField("Authorization", "Bearer \(tokens.access)"),
                        HTTPField("Content-Type", "application/json"),
                    ], body: Array(body.compact.utf8)))
        }
        #expect(rename(laptop.session, ["name": "Küche"], phone).status == 204)
        for tokens in [phone, laptop] {
            #expect(
                try devices(server, tokens).map { $0["name"]?.string } == ["phone", "Küche"])
        }
        let unknown = "00000000-0000-4000-8000-000000000000"
        #expect(rename(laptop.session, ["name": "mine"], stranger).status == 404)
        #expect(rename(unknown, ["name": "x"], phone).status == 404)
        #expect(rename("x", ["name": "x"], phone).status == 404)
        for name in ["", String(repeating: "x", count: 65), "a\u{7}b"] {
            let refused = rename(laptop.session, ["name": .string(name)], phone)
            #expect(refused.status == 400 && problem(refused) == "invalid_field")
        }
        #expect(rename(laptop.session, [:], phone).status == 400)
        #expect(server.call("POST", "/v1/devices/x", token: phone.access).status == 405)
        #expect(
            server.call("DELETE", "/v1/devices/\(laptop.session)", token: phone.access).status
                == 204)
        #expect(rename(laptop.session, ["name": "again"], phone).status == 404)
    }
}
