import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologService
import MacrologSystem
import Testing

/// Goal: what was under way when a password was set, or a session ended, begins no sending.
/// Method: the steps of a delivery and of an addition, with the change between them.
@Suite(.onBothStores) struct WebhookStopTests {
    private let webhook = Identifier(high: 7, low: 1)

    private func request(_ tokens: Tokens) -> HTTPRequest {
        HTTPRequest(
            method: "GET", path: "/",
            fields: [HTTPField("authorization", "Bearer \(tokens.access)")], peer: "192.0.2.1")
    }

    /// What a change gives.
    private func result<T: Sendable>(
        _ begin: (@escaping @Sendable (Result<T, Problem>) -> Void) -> Void
    ) throws -> T {
        let given = Monitor<Result<T, Problem>?>(nil)
        begin { result in
            given.withLock { $0 = result }
            given.wakeAll()
        }
        return try given.wait { $0 }.get()
    }

    private func add(
        _ server: TestServer, _ caller: Caller, _ tokens: Tokens
    ) throws -> WebhookAddition {
        let new = NewWebhook(
            id: webhook, events: ["test"], target: "https://hooks.example.org/a",
            secret: [1, 2, 3], countMax: 10, look: WebhookLook(at: 1 << 50, state: "{}"))
        return try result { server.server.add(new, of: caller, for: request(tokens), then: $0) }
    }

    /// Queues a message, and gives it as one that is being sent.
    private func sending(
        _ server: TestServer, _ caller: Caller, _ number: UInt64
    ) throws -> DueMessage {
        let message = WebhookMessage(
            id: Identifier(high: 8, low: number), webhook: webhook, body: Array("{}".utf8))
        try result { server.server.keep([message], of: caller, then: $0) }
        let due = try server.server.dueMessages(by: server.server.now, besides: [])
        return try #require(due.first { $0.id == message.id })
    }

    @Test func `a message that was on its way when the password was set lifts no stop`() throws {
        let server = try TestServer { $0.rates = .none }
        let ana = try server.login()
        let caller = try server.server.caller(of: request(ana))
        #expect(try add(server, caller, ana) == .added)
        let early = try sending(server, caller, 1)
        let renewed: JSON = [
            "password": .string(password), "new_password": "another purple lantern hums",
        ]
        #expect(server.post("/v1/account/password", renewed, token: ana.access).status < 300)
        let taken = WebhookDelivery(
            Webhook.Attempt(at: 6, status: 200, failure: nil), retry: nil)
        try result { server.server.note(taken, of: early, then: $0) }
        #expect(try server.server.webhooks(of: caller).map(\.stopped) == [.password])

        // A test that the owner asks for later lifts it.
        let late = try sending(server, caller, 2)
        try result { server.server.note(taken, of: late, then: $0) }
        #expect(try server.server.webhooks(of: caller).map(\.stopped) == [nil])
    }

    @Test func `a session that has ended meanwhile adds no address`() throws {
        let server = try TestServer { $0.rates = .none }
        let ana = try server.login()
        let caller = try server.server.caller(of: request(ana))
        #expect(server.call("POST", "/v1/auth/logout", token: ana.access).status == 204)
        var refusal: Problem?
        do { _ = try add(server, caller, ana) } catch let problem as Problem { refusal = problem }
        #expect(refusal?.kind == .unauthorized)
        let again = try server.login()
        let other = try server.server.caller(of: request(again))
        #expect(try server.server.webhooks(of: other).isEmpty)
        #expect(try add(server, other, again) == .added)
    }
}
