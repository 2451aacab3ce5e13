import MacrologCryptography
import MacrologEvents
import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologPostgreSQL
import MacrologService
import MacrologSystem
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: the gateway answers alike on any of several nodes, and does once what is asked once.
/// Method: two servers with a gateway each in one process, on one PostgreSQL; they share nothing else.
@Suite(
    .serialized,
    .enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct NodesTests {
    private let database: String
    private let nodes: [GatewayWorld]

    init() throws {
        let server = try PostgreSQLServer.shared()
        let database = try server.newDatabase()
        let files = ScratchFolder()
        self.database = database
        nodes = try (0..<2).map { number in
            let store = try PostgreSQLServerStore.open(
                try PostgreSQLAddress(server.address(of: database)),
                beside: files.file("server.db"), node: "\(number)",
                secrets: GatewayWorld.secrets, newEpoch: 9, connections: 8
            ) { fatalError($0) }
            return try GatewayWorld(on: store) {
                $0.requestsPerHour = nil
                var webhooks = WebhookSettings(reachesPrivate: true)
                webhooks.growthPause = 0
                $0.webhooks = webhooks
            }
        }
    }

    /// One person's client at each node, with the same token.
    private func clients() throws -> [Client] {
        let token = try nodes[0].logIn().token
        return nodes.map { Client(world: $0, token: token) }
    }

    private static let soup: JSON = [
        "day": "2026-11-20", "name": "Soup",
    ]

    @Test func `what is written at one node is seen at the other at once`() throws {
        let clients = try clients()
        var ids: [String] = []
        for round in 0..<10 {
            let (here, there) = (clients[round % 2], clients[1 - round % 2])
            ids.append(try here.addMeal(Self.soup))
            for client in [there, here] {
                let day = client.get("/api/v1/day/2026-11-20")
                #expect(day.status == 200)
                for id in ids { #expect(day.text.contains(id), "round \(round)") }
            }
            let bodies = clients.map { $0.get("/api/v1/meals/\(ids[round])").body }
            #expect(bodies[0] == bodies[1] && !bodies[0].isEmpty)
        }
        let changed = clients[1].call(
            "PATCH", "/api/v1/meals/\(ids[0])", ["name": "Stew"])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(clients[0].get("/api/v1/meals/\(ids[0])").json["name"] == "Stew")
        #expect(clients[0].call("DELETE", "/api/v1/meals/\(ids[1])").status == 204)
        #expect(clients[1].get("/api/v1/meals/\(ids[1])").status == 410)
        // One session for the gateway, whatever the node.
        let devices = try #require(clients[0].get("/v1/devices").json["devices"]?.array)
        #expect(devices.count == 2)
    }

    @Test func `the same request at both nodes at once is one event`() throws {
        let clients = try clients()
        for round in 0..<12 {
            let answers = Mutex<[HTTPResponse]>([])
            let workers = (0..<4).map { number in
                Worker.start {
                    let answer = clients[number % 2].call(
                        "POST", "/api/v1/meals", Self.soup,
                        [HTTPField("idempotency-key", "key \(round)")])
                    answers.withLock { $0.append(answer) }
                }
            }
            for worker in workers { worker.join() }
            let all = answers.withLock { $0 }
            #expect(all.allSatisfy { $0.status == 201 }, "\(all.map(\.text))")
            #expect(Set(all.map(\.body)).count == 1)
            let other = clients[round % 2].call(
                "POST", "/api/v1/meals", ["day": "2026-11-20", "name": "Tea"],
                [HTTPField("idempotency-key", "key \(round)")])
            #expect(other.status == 422)
        }
        let server = try PostgreSQLServer.shared()
        #expect(try server.query("SELECT count(*) FROM event", in: database) == "12")
    }

    private final class Over: Sendable { let value = Atomic<Bool>(false) }

    @Test func `a message is sent by one node, and by another when that one has ended`() throws {
        let receiver = try ModelServer([.json(204, .null)])
        let clients = try clients()
        let made = clients[0].call(
            "POST", "/api/v1/webhooks",
            ["url": .string(receiver.address), "events": ["milestone.reached"]])
        let id = try #require(made.json["id"]?.string, "\(made.text)")
        func send(_ count: Int, at client: Client) {
            for _ in 0..<count {
                #expect(client.call("POST", "/api/v1/webhooks/\(id)/test").status == 202)
            }
        }
        send(8, at: clients[1])
        let over = Over()
        // Both look as often as they can.
        let ticking = Worker.start {
            while !over.value.load(ordering: .relaxed) { nodes[1].gateway.tickWebhooks() }
        }
        #expect(
            eventually {
                nodes[0].gateway.tickWebhooks()
                return receiver.requests.count >= 8
            })
        for _ in 0..<50 { nodes[0].gateway.tickWebhooks() }
        over.value.store(true, ordering: .relaxed)
        ticking.join()
        let sent = receiver.requests.compactMap { $0.field("webhook-id") }
        #expect(sent.count == 8 && Set(sent).count == 8)

        // A node that has ended in the middle keeps its lease until that is over.
        let server = try PostgreSQLServer.shared()
        let owner = "UPDATE lease SET node = '\\x01', ends = "
        try server.query(owner + "now() + interval '1 hour'", in: database)
        send(1, at: clients[1])
        for _ in 0..<50 { nodes[1].gateway.tickWebhooks() }
        #expect(receiver.requests.count == 8)
        try server.query(owner + "now() - interval '1 second'", in: database)
        nodes[1].stopClock(at: SystemClock.wallMilliseconds + 60_000)
        #expect(
            eventually {
                nodes[1].gateway.tickWebhooks()
                return receiver.requests.count == 9
            })
    }

    @Test func `a live answer ends with its session, wherever that was ended`() throws {
        let clients = try clients()
        var request = clients[1].request("GET", "/api/v1/day/2026-11-20")
        request.fields.append(HTTPField("accept", "text/event-stream"))
        let stream = try #require(nodes[1].send(request).stream)
        stream.begin {}
        #expect(stream.next()?.isEmpty == false)
        #expect(clients[0].call("POST", "/v1/auth/logout").status == 204)
        nodes[1].stopClock(at: SystemClock.wallMilliseconds + 2_500)
        nodes[1].gateway.endRevoked()
        #expect(stream.next() == nil)
        stream.end()
    }
}
