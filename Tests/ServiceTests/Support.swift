import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologJSON
import MacrologSQLite
import MacrologCryptography
import MacrologService
import MacrologSystem
import MacrologTestSupport
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A server in a folder, a clock that the test moves, and requests in one line.
final class TestServer: Sendable {
    let server: SyncServer
    let store: any ServerStore
    let clock: ManualClock
    static let secrets = Secrets([UInt8](repeating: 9, count: Secrets.byteCount))
    /// What it told its log.
    let notes = Notes()
    private let between = Between()
    private let beforeStream = Between()
    private let folder: ScratchFolder

    init(
        folder: ScratchFolder = ScratchFolder(), epoch: UInt32 = 7,
        clock: ManualClock = ManualClock(), keys: [DataKey] = [],
        blobs: (any BlobStorage)? = nil, hasThreads: Bool = true, node: String = "",
        store: (any ServerStore)? = nil, _ change: (inout ServerSettings) -> Void = { _ in }
    ) throws {
        self.folder = folder
        self.clock = clock
        self.store =
            try store
            ?? StoreUnderTest.current.open(
                folder.path, epoch: epoch, keys: keys, hasThreads: hasThreads, node: node,
                blobs: blobs)
        var settings = ServerSettings()
        settings.passwordCost = PasswordCost(operations: 1, memoryBytes: 8_192)
        settings.rates[.registerByNetwork] = Rate(burst: 1_000, interval: 1)
        change(&settings)
        server = SyncServer(
            store: self.store, secrets: Self.secrets,
            settings: settings,
            clock: { [clock, between] in
                between.read()
                return clock.now
            },
            monotonic: { [clock, beforeStream] in
                beforeStream.read()
                return clock.now
            },
            note: { [notes] in notes.keep($0) })
    }

    /// Does something within the next request that checks a password: after it has read its account, and
    /// before it hashes.
    func beforeNextHash(_ run: @escaping @Sendable () -> Void) { between.set(2, run) }

    /// Does something within the next request for a poll or a stream, after its session was read, and before the
    /// channel is one of those that a revocation ends.
    func beforeNextChannel(_ run: @escaping @Sendable () -> Void) { beforeStream.set(2, run) }

    /// Does something while the next request waits for its password to be hashed.
    func whileNextHashWaits(_ run: @escaping @Sendable () -> Void) { between.set(3, run) }

    /// Returns when all that was queued before is on the disk.
    func waitForWriter() {
        let waiting = Answered()
        store.forgetEnded(before: 0, networksBefore: 0, sharesBy: 0) { _ in
            waiting.set(HTTPResponse(status: 204))
        }
        _ = waiting.get()
        guard store.isShared else { return }
        // There only the changes of one account are made in their order.
        for space in Space(1)...8 {
            let waiting = Answered()
            let nothing = Push(
                space: space, device: Identifier(high: 0, low: 0), events: [], now: clock.now)
            store.push(nothing) { _ in waiting.set(HTTPResponse(status: 204)) }
            _ = waiting.get()
        }
    }

    /// Deletes what ended long ago, and returns when it is gone.
    func forgetEnded() {
        server.forgetEnded()
        for _ in 0..<8 { waitForWriter() }
    }

    deinit { server.close() }

    /// The database.
    var path: String { "\(folder.path)/server.db" }

    func advance(seconds: Int64) { clock.advance(milliseconds: seconds * 1_000) }

    /// Sends a request, waits for its answer, and compares it with what the route declares.
    func send(_ request: HTTPRequest) -> HTTPResponse {
        let waiting = Answered()
        let noted = notes.errorCount
        server.respond(to: request) { waiting.set($0) }
        let answer = waiting.get()
        checkDeclared(answer, to: request)
        if answer.status == 500 {
            #expect(notes.errorCount > noted, "\(request.path): the log does not say why")
        }
        return answer
    }

    func post(_ path: String, _ body: JSON, token: String? = nil, peer: String = "192.0.2.1")
        -> HTTPResponse
    {
        var fields = [HTTPField("Content-Type", "application/json")]
        if let token { fields.append(HTTPField("Authorization", "Bearer \(token)")) }
        return send(
            HTTPRequest(
                method: "POST", path: path, fields: fields, body: Array(body.compact.utf8),
                peer: peer))
    }

    func call(_ method: String, _ path: String, token: String) -> HTTPResponse {
        send(
            HTTPRequest(
                method: method, path: path, fields: [HTTPField("Authorization", "Bearer \(token)")])
        )
    }

    /// Asks as the operator, and gives the result.
    func administer(_ verb: String, _ members: JSON = [:]) throws -> JSON {
        let request = Administration.request(verb, members.object ?? [])
        return try Administration.result(of: server.administer(Array(request.compact.utf8)))
    }

    /// Begins a second factor, and gives its secret.
    func beginSecondFactor(token: String) throws -> [UInt8] {
        let answer = post(
            "/v1/account/totp", ["password": .string(password)], token: token)
        let secret = try JSON.parse(answer.body)["secret"]?.string
        return try #require(secret.flatMap { Base32.decode($0) })
    }

    /// What an app shows at a moment.
    func code(of secret: [UInt8], at now: Int64) -> String {
        TimedCode.code(secret, step: TimedCode.step(at: now))
    }

    /// Registers if need be, logs in, and gives the tokens.
    func login(_ email: String = "ana@example.org", device: String = "phone") throws -> Tokens {
        let credentials: JSON = ["email": .string(email), "password": .string(password)]
        _ = post("/v1/auth/register", credentials)
        let answer = post(
            "/v1/auth/login",
            ["email": .string(email), "password": .string(password), "device": .string(device)])
        return try Tokens(answer)
    }

    /// Logs in with a password of the test's own.
    func logIn(_ password: String, email: String = "ana@example.org") -> HTTPResponse {
        post(
            "/v1/auth/login",
            ["email": .string(email), "password": .string(password), "device": "phone"])
    }

    func sync(
        _ request: SyncRequest, token: String, fields: [HTTPField] = [],
        encode: ([UInt8]) -> [UInt8] = { $0 }
    ) -> HTTPResponse {
        send(
            HTTPRequest(
                method: "POST", path: "/v1/sync",
                fields: [
                    HTTPField("Authorization", "Bearer \(token)"),
                    HTTPField("Content-Type", "application/cbor"),
                ] + fields, body: encode(request.encoded())))
    }
}

/// What happens within a request: the server reads its clock when a request comes, again when it queues a
/// password for hashing, and once more when its turn comes.
private final class Between: Sendable {
    private let waiting = Mutex<(readings: Int, run: @Sendable () -> Void)?>(nil)

    func set(_ readings: Int, _ run: @escaping @Sendable () -> Void) {
        waiting.withLock { $0 = (readings, run) }
    }

    func read() {
        let due: (@Sendable () -> Void)? = waiting.withLock {
            guard let (readings, run) = $0 else { return nil }
            $0 = readings == 1 ? nil : (readings - 1, run)
            return readings == 1 ? run : nil
        }
        due?()
    }
}

let password = "four words in a row"

/// What a login gives.
struct Tokens {
    let access: String
    let refresh: String
    let account: String
    let session: String

    init(_ response: HTTPResponse) throws {
        let body = try JSON.parse(response.body)
        guard response.status == 200, let access = body["access_token"]?.string,
            let refresh = body["refresh_token"]?.string, let account = body["account"]?.string,
            let session = body["session"]?.string
        else { throw Unexpected(response: "\(response.status) \(body.compact)") }
        self.access = access
        self.refresh = refresh
        self.account = account
        self.session = session
    }
}

struct Unexpected: Error { let response: String }

/// What a server tells its log, in order.
final class Notes: Sendable {
    private let kept = Mutex<[ServerNote]>([])

    func keep(_ note: ServerNote) { kept.withLock { $0.append(note) } }

    /// How many of them are errors.
    var errorCount: Int { kept.withLock { $0.count { $0.level == .error } } }

    /// Those of one event.
    func of(_ event: String) -> [ServerNote] {
        kept.withLock { $0 }.filter { "\($0.event)" == event }
    }
}

/// An answer that comes from another thread.
final class Answered: Sendable {
    private let state = Monitor<HTTPResponse?>(nil)

    func set(_ response: HTTPResponse) {
        state.withLock {
            precondition($0 == nil, "a request was answered twice")
            $0 = response
        }
        state.wakeAll()
    }

    /// The answer, if there is one yet.
    var peek: HTTPResponse? { state.withLock { $0 } }

    /// The answer, as soon as there is one. A minute is given up as never.
    func get() -> HTTPResponse {
        guard let response = state.wait(atMost: 60_000, until: { $0 }) else {
            preconditionFailure("a request was never answered")
        }
        return response
    }
}

/// The last part of a problem's type.
func problem(_ response: HTTPResponse) -> String? {
    guard let text = try? JSON.parse(response.body)["type"]?.string else { return nil }
    return text.split(separator: ":").last.map(String.init)
}

extension TestDevice {
    /// Takes an answer in and checks its digest against its own sum.
    mutating func fold(_ response: HTTPResponse) throws -> SyncAnswer {
        guard response.status == 200 else {
            throw Unexpected(
                response: "\(response.status) \(String(decoding: response.body, as: UTF8.self))")
        }
        return try fold(response.body)
    }
}

/// How long a file is; 0 where there is none.
func fileBytes(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
}
