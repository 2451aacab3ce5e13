import Macrolog
import MacrologDiary
import MacrologEngine
import MacrologEvents
import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologCryptography
import MacrologService
import MacrologSystem
import MacrologTestSupport
import Synchronization
import Testing

/// A server with a gateway in one process, people who log in, and devices that sync with it.
final class GatewayWorld: Sendable {
    let server: SyncServer
    let gateway: Gateway
    let scratch: ScratchFolder
    private let log = Log()
    private let stopped: StoppedClock

    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
    }

    /// A clock that may stand still.
    private final class StoppedClock: Sendable {
        let time = Mutex<Int64?>(nil)
        var now: Int64 { time.withLock { $0 } ?? SystemClock.wallMilliseconds }
    }

    static let secrets = Secrets([UInt8](repeating: 3, count: Secrets.byteCount))

    /// - Parameters:
    ///   - scratch: A folder in which a world was before.
    ///   - store: `nil` for a file in the folder.
    init(
        in scratch: ScratchFolder = ScratchFolder(), on store: (any ServerStore)? = nil,
        _ change: (inout GatewaySettings) -> Void = { $0.requestsPerHour = nil },
        serving serve: (inout ServerSettings) -> Void = { _ in }
    ) throws {
        self.scratch = scratch
        let stopped = StoppedClock()
        self.stopped = stopped
        let store =
            try store
            ?? SQLiteServerStore.open(scratch.file("server.db"), newEpoch: 9) { fatalError($0) }
        var settings = ServerSettings()
        settings.passwordCost = PasswordCost(operations: 1, memoryBytes: 8_192)
        settings.rates = .none
        serve(&settings)
        server = SyncServer(
            store: store, secrets: Self.secrets, settings: settings, clock: { stopped.now },
            note: { [log] note in
                guard note.level == .error else { return }
                log.lines.withLock { $0.append("\(note.event) \(note.facts)") }
            })
        var gatewaySettings = GatewaySettings()
        change(&gatewaySettings)
        gateway = try Gateway(
            server, folder: scratch.file("gateway"), settings: gatewaySettings,
            note: { [log] line in log.lines.withLock { $0.append(line) } })
    }

    /// Where replicas are.
    var folder: String { scratch.file("gateway") }

    /// What the gateway told its log, and the errors of the server.
    var notes: [String] { log.lines.withLock { $0 } }

    /// Lets the server's clock stand at a time, in milliseconds since 1970 UTC.
    func stopClock(at time: Int64) { stopped.time.withLock { $0 = time } }

    /// Stops the gateway and the server; their files stay.
    func stop() {
        gateway.close()
        server.close()
    }

    deinit { stop() }

    static let password = "nine purple lanterns hum"

    /// Gives the response of the gateway, or of the server where the path is not the gateway's, later.
    func send(_ request: HTTPRequest, reply: @escaping @Sendable (HTTPResponse) -> Void) {
        if gateway.owns(request) {
            gateway.respond(to: request, reply: reply)
        } else {
            server.respond(to: request, reply: reply)
        }
    }

    /// The response, as it comes.
    func begin(_ request: HTTPRequest) -> HTTPResponse {
        let waiting = Monitor<HTTPResponse?>(nil)
        let noted = notes.count
        send(request) { response in
            waiting.withLock { $0 = response }
            waiting.wakeOne()
        }
        let answer = waiting.wait { $0 }
        if answer.status == 500 {
            #expect(notes.count > noted, "\(request.path): the log does not say why")
        }
        return answer
    }

    /// The response, read to its end unless it is a live one.
    func send(_ request: HTTPRequest) -> HTTPResponse {
        let response = begin(request)
        return response.field("content-type") == "text/event-stream" ? response : response.whole
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
            let response = world.send(request)
            guard let receiver = request.receiver, receiver.accepts(response) else {
                return response
            }
            _ = response.body.withUnsafeBytes { receiver.take($0) }
            return HTTPResponse(status: response.status, fields: response.fields)
        }

        func cancel() {}
    }
}

/// A program that knows JSON and no events.
struct Client {
    let world: GatewayWorld
    let token: String?
    var peer = "192.0.2.1"

    func call(
        _ method: String, _ target: String, _ body: JSON? = nil, _ fields: [HTTPField] = []
    ) -> HTTPResponse {
        world.send(request(method, target, body, fields))
    }

    func request(
        _ method: String, _ target: String, _ body: JSON? = nil, _ fields: [HTTPField] = []
    ) -> HTTPRequest {
        let halves = target.split(separator: "?", maxSplits: 1).map(String.init)
        var all = fields
        if let token { all.append(HTTPField("authorization", "Bearer \(token)")) }
        if body != nil { all.append(HTTPField("content-type", "application/json")) }
        return HTTPRequest(
            method: method, path: halves[0], query: halves.count == 2 ? halves[1] : "",
            fields: all, body: body.map { Array($0.compact.utf8) } ?? [], peer: peer)
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

extension APIRoute {
    /// Its example, with the id of a food of the account for the one of the documents.
    func example(naming food: String?) -> JSON? {
        guard let food else { return example }
        return example.flatMap {
            try? JSON.parse($0.compact.replacing(APIRoutes.exampleID, with: food))
        }
    }
}

extension HTTPResponse {
    /// With all of a body that is streamed, or in a file.
    var whole: HTTPResponse {
        if let file, let bytes = try? File.open(file.path).read(atMost: Int(file.count)) {
            return HTTPResponse(status: status, fields: fields, body: bytes)
        }
        guard let stream else { return self }
        var response = HTTPResponse(status: status, fields: fields)
        stream.begin {}
        while let piece = stream.next() { response.body += piece }
        stream.end()
        return response
    }

    var json: JSON { (try? JSON.parse(body)) ?? .null }
    var text: String { "\(status) " + String(decoding: body, as: UTF8.self) }

    /// The last part of the type of a problem.
    var problem: String? {
        json["type"]?.string?.split(separator: ":").last.map(String.init)
    }
}
