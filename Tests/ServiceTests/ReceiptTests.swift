import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologService
import Testing

/// Goal: the hub says of each device what it is known to hold, never more, and pays nothing for it.
/// Method: the service called as a function, with a clock that the test moves.
@Suite struct ReceiptTests {
    /// What `GET /v1/devices` says of each device.
    private func devices(_ hub: TestHub, _ tokens: Tokens) throws -> [JSON] {
        let answer = hub.call("GET", "/v1/devices", token: tokens.access)
        return try #require(try JSON.parse(answer.body)["devices"]?.array)
    }

    private func cursors(_ hub: TestHub, _ tokens: Tokens) throws -> [Int64?] {
        try devices(hub, tokens).map { $0["cursor"]?.integer }
    }

    @Test func `a receipt is what the digest of an exchange has proved, and the last one counts`()
        throws
    {
        let hub = try TestHub()
        let phone = try hub.login(device: "phone")
        hub.advance(seconds: 1)
        let laptop = try hub.login(device: "laptop")
        #expect(try cursors(hub, phone) == [nil, nil])
        var writer = TestDevice(1)
        for _ in 0..<3 { writer.record() }
        _ = try writer.fold(hub.sync(writer.request, token: phone.access))
        // It asked as one that holds nothing; what the answer brought is not proved yet.
        #expect(try cursors(hub, phone) == [0, nil])
        var reader = TestDevice(2)
        _ = try reader.fold(hub.sync(reader.request, token: laptop.access))
        #expect(try cursors(hub, phone) == [0, 0])
        _ = try reader.fold(hub.sync(reader.request, token: laptop.access))
        let listed = try devices(hub, laptop)
        #expect(listed.map { $0["cursor"]?.integer } == [0, 3])
        #expect(listed[1]["device"]?.string == reader.id.description)

        // A cursor that the digest does not prove, or that does not exist.
        var liar = reader.request
        liar.cursor = LogNumber(2)
        #expect(hub.sync(liar, token: laptop.access).status == 409)
        liar.cursor = LogNumber(4)
        #expect(hub.sync(liar, token: laptop.access).status == 409)
        #expect(try cursors(hub, phone) == [0, 3])

        // A device that was put back to an older copy of its file holds less.
        _ = hub.sync(TestDevice(2).request, token: laptop.access)
        #expect(try cursors(hub, phone) == [0, 0])
        let stranger = try hub.login("ben@example.org")
        #expect(try cursors(hub, stranger) == [nil])
    }

    @Test func `a request that proves nothing of itself leaves no receipt`() throws {
        let hub = try TestHub()
        let phone = try hub.login(device: "phone")
        hub.advance(seconds: 1)
        let laptop = try hub.login(device: "laptop")
        var writer = TestDevice(1)
        for _ in 0..<3 { writer.record() }
        let answer = try writer.fold(hub.sync(writer.request, token: phone.access))
        // A digest that was read on the wire, by one that holds no event.
        var copied = TestDevice(2).request
        (copied.epoch, copied.cursor, copied.digest) = (7, LogNumber(3), answer.digest)
        copied.eventsMax = 0
        #expect(hub.sync(copied, token: laptop.access).status == 200)
        #expect(try cursors(hub, phone) == [0, nil])
        // The rows of a repair are fetched in the name of nobody, also from a lower cursor.
        var nobody = TestDevice(2).request
        nobody.device = Identifier(high: 0, low: 0)
        #expect(hub.sync(nobody, token: laptop.access).status == 200)
        #expect(try cursors(hub, phone) == [0, nil])
        _ = hub.sync(writer.request, token: phone.access)
        #expect(hub.sync(nobody, token: phone.access).status == 200)
        #expect(try cursors(hub, phone) == [3, nil])
        #expect(try devices(hub, phone)[0]["device"]?.string == writer.id.description)
        // Nobody records nothing.
        var events = TestDevice(0)
        events.record()
        let refused = hub.sync(events.request, token: laptop.access)
        #expect(refused.status == 400 && problem(refused) == "malformed_event")
        #expect(try cursors(hub, phone) == [3, nil])
    }

    @Test func `a device is seen within a minute, whatever it asks`() throws {
        let hub = try TestHub()
        let phone = try hub.login()
        func seen() throws -> Int64? { try devices(hub, phone)[0]["last_seen"]?.integer }
        let before = try #require(try seen())
        hub.advance(seconds: 59)
        #expect(try seen() == before)
        hub.advance(seconds: 1)
        #expect(try seen() == before + 60_000)
    }

    @Test func `a device that has pushed and holds nothing yet is listed, and keeps its session`()
        throws
    {
        let hub = try TestHub()
        let phone = try hub.login()
        var writer = TestDevice(1)
        writer.record()
        hub.advance(seconds: 61)
        // The commit takes the receipt of this exchange along.
        #expect(hub.sync(writer.request, token: phone.access).status == 200)
        hub.advance(seconds: 61)
        _ = try hub.login("ben@example.org")
        let answer = hub.call("GET", "/v1/devices", token: phone.access)
        #expect(answer.status == 200)
        #expect(try cursors(hub, phone) == [0])
        let next = hub.post("/v1/auth/refresh", ["refresh_token": .string(phone.refresh)])
        #expect(next.status == 200)
    }

    @Test func `receipts make no commit, go along with others, and survive a restart`() throws {
        let folder = Folder()
        var access = ""
        do {
            let hub = try TestHub(folder: folder)
            let phone = try hub.login(device: "phone")
            hub.advance(seconds: 1)
            let laptop = try hub.login(device: "laptop")
            access = laptop.access
            var writer = TestDevice(1)
            writer.record()
            _ = try writer.fold(hub.sync(writer.request, token: phone.access))
            var reader = TestDevice(2)
            _ = try reader.fold(hub.sync(reader.request, token: laptop.access))
            let before = hub.store.commits
            for _ in 0..<20 {
                _ = try reader.fold(hub.sync(reader.request, token: laptop.access))
                hub.advance(seconds: 10)
            }
            #expect(hub.store.commits == before)
            #expect(try cursors(hub, phone) == [0, 1])
            // Somebody else's event takes it along.
            writer.record()
            _ = try writer.fold(hub.sync(writer.request, token: phone.access))
            #expect(hub.store.commits == before + 1)
            let stored = try hub.store.session(try #require(Identifier(laptop.session)))
            #expect(stored?.held?.cursor == 1)
            _ = try reader.fold(hub.sync(reader.request, token: laptop.access))
            _ = try reader.fold(hub.sync(reader.request, token: laptop.access))
            // Within a minute of the last: it waits for the next commit, or for the end.
            #expect(
                try hub.store.session(try #require(Identifier(laptop.session)))?.held?.cursor == 1)
        }
        let again = try TestHub(folder: folder)
        let answer = again.call("GET", "/v1/devices", token: access)
        let listed = try #require(try JSON.parse(answer.body)["devices"]?.array)
        #expect(listed.map { $0["cursor"]?.integer } == [1, 2])
        #expect(try JSON.parse(answer.body)["epoch"] == 7)
    }

    @Test func `many receipts reach the disk in small portions, none is forgotten`() throws {
        let folder = Folder()
        let count = 450
        var sessions: [Tokens] = []
        do {
            let hub = try TestHub(folder: folder) { settings in
                settings.sessionsMax = count
                settings.rates = .none
            }
            for index in 0..<count { sessions.append(try hub.login(device: "d\(index)")) }
            for (index, session) in sessions.enumerated() {
                let device = TestDevice(UInt64(index + 10))
                _ = hub.sync(device.request, token: session.access)
            }
            hub.advance(seconds: 60)
            var writer = TestDevice(1)
            for _ in 0..<3 {
                writer.record()
                _ = try writer.fold(hub.sync(writer.request, token: sessions[0].access))
            }
            var written = 0
            for session in sessions {
                let id = try #require(Identifier(session.session))
                if try hub.store.session(id)?.held != nil { written += 1 }
            }
            #expect(written >= count - 1)
        }
        let again = try TestHub(folder: folder)
        #expect(try cursors(again, sessions[0]).allSatisfy { $0 != nil })
    }

    @Test func `a device is renamed from any device of the account, and from no other`() throws {
        let hub = try TestHub()
        let phone = try hub.login(device: "phone")
        hub.advance(seconds: 1)
        let laptop = try hub.login(device: "laptop")
        let stranger = try hub.login("ben@example.org")
        func rename(_ session: String, _ body: JSON, _ tokens: Tokens) -> HTTPResponse {
            hub.send(
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
                try devices(hub, tokens).map { $0["name"]?.string } == ["phone", "Küche"])
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
        #expect(hub.call("POST", "/v1/devices/x", token: phone.access).status == 405)
        #expect(
            hub.call("DELETE", "/v1/devices/\(laptop.session)", token: phone.access).status == 204)
        #expect(rename(laptop.session, ["name": "again"], phone).status == 404)
    }
}
