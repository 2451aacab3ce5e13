import Foundation
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologSQLite
import MacrologService
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: a client that waits hears of every commit of its own log, soon and once, and of nothing else.
/// Method: the service called as a function. What has not been answered is asked for after another
/// request went through the same threads, so nothing here waits for a time.
@Suite(.onBothStores) struct LiveTests {
    let server: TestServer
    let phone: Tokens
    let laptop: Tokens

    init() throws {
        server = try TestServer()
        phone = try server.login()
        laptop = try server.login(device: "laptop")
    }

    private func poll(
        _ query: String, _ tokens: Tokens, on server: TestServer? = nil
    ) -> Answered {
        let answered = Answered()
        (server ?? self.server).server.respond(
            to: HTTPRequest(
                method: "GET", path: "/v1/events", query: query,
                fields: [HTTPField("Authorization", "Bearer \(tokens.access)")])
        ) { answered.set($0) }
        return answered
    }

    private func head(_ answered: Answered) throws -> Int64? {
        let answer = answered.get()
        #expect(answer.status == 200)
        return try JSON.parse(answer.body)["head"]?.integer
    }

    /// Pushes this many events of a new device.
    private func push(
        _ count: Int = 1, by number: UInt64, _ tokens: Tokens, on server: TestServer? = nil
    ) throws {
        var device = TestDevice(number)
        for index in 0..<count { device.record("\(index)") }
        _ = try device.fold((server ?? self.server).sync(device.request, token: tokens.access))
    }

    @Test func `a poll that waits for nothing is answered at once`() throws {
        #expect(poll("after=0&wait=0", phone).get().status == 204)
        #expect(poll("after=0", phone).get().status == 204)
        try push(2, by: 1, laptop)
        #expect(try head(poll("after=1", phone)) == 2)
        #expect(try head(poll("wait=55&after=1", phone)) == 2)
        #expect(poll("after=2", phone).get().status == 204)
        #expect(poll("after=9", phone).get().status == 204)
    }

    @Test func `a monitor of the service may ask so that no cache answers`() {
        #expect(server.send(HTTPRequest(method: "GET", path: "/health", query: "1")).status == 200)
    }

    @Test func `a poll is held until an event is admitted`() throws {
        let held = poll("after=0&wait=55", phone)
        #expect(held.peek == nil)
        try push(3, by: 1, laptop)
        // The push has been answered, so the poll has been, too.
        #expect(try JSON.parse(#require(held.peek).body)["head"]?.integer == 3)
    }

    @Test(.onSQLiteAlone)
    func `a stream of a session that was revoked while it was opened ends at once`() throws {
        let path = server.path
        server.beforeNextChannel {
            // As by a revocation that came before this session was in memory.
            var db = try? Connection.open(path)
            try? db?.run("UPDATE session SET revoked = 1")
        }
        let answer = server.call("GET", "/v1/live", token: phone.access)
        let stream = try #require(answer.stream)
        #expect(stream.next() == nil)
        stream.end()
    }

    @Test(.onSQLiteAlone)
    func `a poll of a session that was revoked while it was opened is answered`() throws {
        let path = server.path
        server.beforeNextChannel {
            var db = try? Connection.open(path)
            try? db?.run("UPDATE session SET revoked = 1")
            try? db?.run("UPDATE account SET disabled = 1")
        }
        let held = poll("after=0&wait=55", phone)
        let answer = try #require(held.peek, "it is still held")
        #expect(problem(answer) == "account_disabled")
        #expect(server.server.openChannels == 0)
    }

    @Test func `a push that is admitted already wakes no one`() throws {
        var device = TestDevice(1)
        device.record("oats")
        let request = device.request
        _ = try device.fold(server.sync(request, token: laptop.access))
        let held = poll("after=1&wait=55", phone)
        _ = server.sync(request, token: laptop.access)
        #expect(held.peek == nil)
        device.record("eggs")
        _ = try device.fold(server.sync(device.request, token: laptop.access))
        #expect(try head(held) == 2)
    }

    @Test func `a poll without news is answered when its time is over, not before`() throws {
        let short = poll("after=0&wait=5", phone)
        let long = poll("after=0&wait=55", laptop)
        server.advance(seconds: 4)
        server.server.tick()
        #expect(short.peek == nil && long.peek == nil)
        server.advance(seconds: 1)
        server.server.tick()
        #expect(short.peek?.status == 204 && long.peek == nil)
        server.advance(seconds: 50)
        server.server.tick()
        #expect(long.peek?.status == 204)
    }

    @Test func `another account's events wake no one`() throws {
        let stranger = try server.login("ben@example.org")
        let held = poll("after=0&wait=55", phone)
        let stream = try Listening(server, phone: laptop)
        try push(5, by: 1, stranger)
        #expect(held.peek == nil)
        #expect(stream.heard() == ["event: head\ndata: {\"head\":0}\n\n"] && stream.wakes == 0)
        #expect(try head(poll("after=0", stranger)) == 5)
        try push(by: 2, laptop)
        #expect(try head(held) == 1)
    }

    @Test func `a newer poll of a session ends the older one`() throws {
        let older = poll("after=0&wait=55", phone)
        let other = poll("after=0&wait=55", laptop)
        let newer = poll("after=0&wait=55", phone)
        #expect(older.peek?.status == 409 && older.peek.flatMap(problem) == "superseded")
        #expect(newer.peek == nil && other.peek == nil)
        // One that waits for nothing ends no one's.
        _ = poll("after=0", phone)
        #expect(newer.peek == nil)
        let stream = try Listening(server, phone: phone)
        #expect(newer.peek?.status == 409)
        let last = poll("after=0&wait=55", phone)
        #expect(stream.heard().last == nil && stream.isOver)
        try push(by: 1, laptop)
        #expect(try head(last) == 1 && head(other) == 1)
    }

    @Test func `an account has ten channels, and another account has its own ten`() throws {
        let sessions = try (0..<11).map { try server.login(device: "device \($0)") }
        let held = sessions.dropLast().map { poll("after=0&wait=55", $0) }
        let refused = poll("after=0&wait=55", sessions[10]).get()
        #expect(refused.status == 429 && refused.field("retry-after") == "55")
        #expect(problem(refused) == "too_many_requests")
        #expect(poll("after=0&wait=55", try server.login("ben@example.org")).peek == nil)
        #expect(held.allSatisfy { $0.peek == nil })
        server.advance(seconds: 55)
        server.server.tick()
        #expect(held.allSatisfy { $0.peek?.status == 204 })
        #expect(poll("after=0&wait=55", sessions[10]).peek == nil)
    }

    @Test func `beyond all places polls are refused and syncs are not`() throws {
        let server = try TestServer { $0.liveChannelsMax = 1 }
        let ana = try server.login()
        let ben = try server.login("ben@example.org")
        let held = poll("after=0&wait=55", ana, on: server)
        let refused = poll("after=0&wait=55", ben, on: server).get()
        #expect(refused.status == 503 && problem(refused) == "busy")
        try push(by: 1, ben, on: server)
        #expect(held.peek == nil)
        try push(by: 2, ana, on: server)
        #expect(try head(held) == 1)
        #expect(poll("after=1&wait=55", ben, on: server).peek == nil)
    }

    @Test func `revoking a session ends its channel and no other`() throws {
        let held = poll("after=0&wait=55", phone)
        let stream = try Listening(server, phone: laptop)
        #expect(
            server.call("DELETE", "/v1/devices/\(phone.session)", token: laptop.access).status
                == 204)
        #expect(held.peek?.status == 401 && held.peek.flatMap(problem) == "unauthorized")
        #expect(!stream.isOver)
        #expect(poll("after=0&wait=55", phone).get().status == 401)
        #expect(server.post("/v1/auth/logout", [:], token: laptop.access).status == 204)
        #expect(stream.isOver)
    }

    @Test func `revoking all others leaves the asking one`() throws {
        let held = poll("after=0&wait=55", phone)
        let own = poll("after=0&wait=55", laptop)
        #expect(server.call("DELETE", "/v1/devices", token: laptop.access).status == 204)
        #expect(held.peek?.status == 401 && own.peek == nil)
    }

    @Test func `a stream tells heads, melts what comes too fast, and shows that it lives`() throws {
        try push(by: 1, laptop)
        let stream = try Listening(server, phone: phone)
        #expect(stream.heard() == ["event: head\ndata: {\"head\":1}\n\n"])
        for number in UInt64(2)...4 { try push(by: number, laptop) }
        #expect(stream.wakes == 3)
        #expect(stream.heard() == ["event: head\ndata: {\"head\":4}\n\n"])
        server.advance(seconds: 14)
        server.server.tick()
        #expect(stream.heard() == [])
        server.advance(seconds: 1)
        server.server.tick()
        #expect(stream.heard() == [":\n\n"])
        server.advance(seconds: 15)
        server.server.tick()
        #expect(stream.wakes == 5 && stream.heard() == [":\n\n"])
    }

    @Test func `a stream ends after an hour, and its place is free when its reader goes`() throws {
        let server = try TestServer { $0.liveChannelsMax = 1 }
        let tokens = try server.login()
        let stream = try Listening(server, phone: tokens)
        server.advance(seconds: 3_599)
        server.server.tick()
        #expect(!stream.isOver)
        server.advance(seconds: 1)
        server.server.tick()
        #expect(stream.isOver)
        let second = try Listening(server, phone: tokens)
        second.leave()
        #expect(poll("after=0&wait=55", tokens, on: server).peek == nil)
    }

    @Test func `a closing server ends what waits`() throws {
        let held = poll("after=0&wait=55", phone)
        let stream = try Listening(server, phone: laptop)
        server.server.endLive()
        #expect(held.peek?.status == 503 && held.peek?.field("retry-after") == "1")
        #expect(stream.isOver)
        #expect(poll("after=0&wait=55", phone).get().status == 503)
    }

    @Test(arguments: [
        "", "wait=5", "after=", "after=-1", "after=x", "after=1&after=2", "after=1&wait=56",
        "after=1&wait", "after=1&more=1", "after=99999999999999999999", "after=1&wait=+5",
    ])
    func `a question that is not one is refused`(query: String) throws {
        let answer = poll(query, phone).get()
        #expect(answer.status == 400 && problem(answer) == "malformed_request")
    }

    @Test func `who is not logged in hears nothing`() throws {
        for path in ["/v1/events", "/v1/live"] {
            #expect(server.call("GET", path, token: "x").status == 401)
            #expect(server.call("POST", path, token: phone.access).status == 405)
        }
    }

    @Test func `polls that begin while events are admitted miss none of them`() throws {
        let token = laptop.access
        let server = server
        // A queue's threads may all be busy with other tests for longer than anybody waits here.
        Thread.detachNewThread {
            for number in UInt64(1)...200 {
                var device = TestDevice(number)
                device.record("x")
                _ = server.sync(device.request, token: token)
            }
        }
        var seen: Int64 = 0
        while seen < 200 {
            let next = try #require(try head(poll("after=\(seen)&wait=55", phone)))
            #expect(next > seen)
            seen = next
        }
    }
}

/// A stream as its reader's socket would play it.
private final class Listening: Sendable {
    private let stream: BodyStream
    private let woken = Atomic<Int>(0)
    var wakes: Int { woken.load(ordering: .relaxed) }

    init(_ server: TestServer, phone tokens: Tokens) throws {
        let response = server.call("GET", "/v1/live", token: tokens.access)
        #expect(response.status == 200 && response.field("content-type") == "text/event-stream")
        let stream = try #require(response.stream)
        self.stream = stream
        stream.begin { [weak self] in self?.woken.add(1, ordering: .relaxed) }
    }

    /// Everything until there is nothing new.
    func heard() -> [String] {
        var texts: [String] = []
        while let piece = stream.next(), !piece.isEmpty {
            texts.append(String(decoding: piece, as: UTF8.self))
        }
        return texts
    }

    var isOver: Bool {
        _ = heard()
        return stream.next() == nil
    }

    func leave() { stream.end() }
}
