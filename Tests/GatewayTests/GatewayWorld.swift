import Macrolog
import MacrologDiary
import MacrologEngine
import MacrologEvents
import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologSeal
import MacrologService
import MacrologSystem
import MacrologTestSupport
import Synchronization
import Testing

/// A server with a gateway in one process, people who log in, and devices that sync with it.
final class GatewayWorld: Sendable {
    let server: SyncServer
    let gateway: Gateway
    private let scratch: ScratchFolder
    private let log = Log()

    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
    }

    /// - Parameter scratch: A folder in which a world was before.
    init(
        in scratch: ScratchFolder = ScratchFolder(),
        _ change: (inout GatewaySettings) -> Void = { $0.requestsPerHour = nil }
    ) throws {
        self.scratch = scratch
        let store = try SQLiteServerStore.open(scratch.file("server.db"), newEpoch: 9) {
            fatalError($0)
        }
        var settings = ServerSettings()
        settings.passwordCost = PasswordCost(operations: 1, memoryBytes: 8_192)
        settings.rates = .none
        server = SyncServer(
            store: store, secrets: Secrets([UInt8](repeating: 3, count: Secrets.byteCount)),
            settings: settings, clock: { SystemClock.wallMilliseconds })
        var gatewaySettings = GatewaySettings()
        change(&gatewaySettings)
        gateway = try Gateway(
            server, folder: scratch.file("gateway"), settings: gatewaySettings,
            note: { [log] line in log.lines.withLock { $0.append(line) } })
    }

    /// Where replicas are.
    var folder: String { scratch.file("gateway") }

    /// What the gateway told its log.
    var notes: [String] { log.lines.withLock { $0 } }

    /// Stops the gateway and the server; their files stay.
    func stop() {
        gateway.close()
        server.close()
    }

    deinit { stop() }

    static let password = "nine purple lanterns hum"

    /// The response of the gateway, or of the server where the path is not the gateway's.
    func send(_ request: HTTPRequest) -> HTTPResponse {
        let waiting = Monitor<HTTPResponse?>(nil)
        let reply: @Sendable (HTTPResponse) -> Void = { response in
            waiting.withLock { $0 = response }
            waiting.wakeOne()
        }
        if gateway.owns(request) {
            gateway.respond(to: request, reply: reply)
        } else {
            server.respond(to: request, reply: reply)
        }
        return waiting.wait { $0 }
    }

    /// Registers if need be, and logs in.
    func logIn(_ email: String = "ana@example.org", device: String = "shell") throws -> Client {
        let credentials: JSON = [
            "email": .string(email), "password": .string(Self.password), "device": .string(device),
        ]
        let stranger = Client(world: self, token: nil)
        _ = stranger.call(
            "POST", "/v1/auth/register",
            ["email": .string(email), "password": .string(Self.password)])
        let answer = stranger.call("POST", "/v1/auth/login", credentials)
        let token = try #require(answer.json["access_token"]?.string)
        return Client(world: self, token: token)
    }

    /// A device of a person, which talks to the server without sockets.
    func device(_ name: String, of email: String = "ana@example.org") async throws
        -> MacrologEngine.Account
    {
        let account = MacrologEngine.Account(
            of: try Replica.open(at: scratch.file("\(name).db")),
            session: SessionFile(path: scratch.file("\(name).session"))
        ) { _ in Wire(world: self) }
        try await account.register(email: email, password: Self.password, at: "http://localhost")
        try await account.logIn(
            email: email, password: Self.password, at: "http://localhost", deviceName: name)
        return account
    }

    private struct Wire: Transport {
        let world: GatewayWorld

        func send(_ request: HTTPRequest, heldSeconds: Int64) throws(TransportError) -> HTTPResponse
        {
            world.send(request)
        }

        func cancel() {}
    }
}

/// A program that knows JSON and no events.
struct Client {
    let world: GatewayWorld
    let token: String?

    func call(
        _ method: String, _ target: String, _ body: JSON? = nil, _ fields: [HTTPField] = []
    ) -> HTTPResponse {
        let halves = target.split(separator: "?", maxSplits: 1).map(String.init)
        var all = fields
        if let token { all.append(HTTPField("authorization", "Bearer \(token)")) }
        if body != nil { all.append(HTTPField("content-type", "application/json")) }
        return world.send(
            HTTPRequest(
                method: method, path: halves[0], query: halves.count == 2 ? halves[1] : "",
                fields: all, body: body.map { Array($0.compact.utf8) } ?? [], peer: "192.0.2.1"))
    }

    func get(_ target: String) -> HTTPResponse { call("GET", target) }

    /// Adds a meal, and gives its id.
    func addMeal(_ body: JSON, key: String? = nil) throws -> String {
        let answer = call(
            "POST", "/api/v1/meals", body, key.map { [HTTPField("idempotency-key", $0)] } ?? [])
        #expect(answer.status == 201, "\(answer.text)")
        return try #require(answer.json["id"]?.string)
    }
}

extension HTTPResponse {
    var json: JSON { (try? JSON.parse(body)) ?? .null }
    var text: String { "\(status) " + String(decoding: body, as: UTF8.self) }

    /// The last part of the type of a problem.
    var problem: String? {
        json["type"]?.string?.split(separator: ":").last.map(String.init)
    }
}
