/// The whole service as a function of an untrusted request.
import MacrologEvents
import MacrologWire
import MacrologGzip
import MacrologHTTP
import MacrologJSON
import MacrologCryptography
import MacrologService
import Synchronization
import MacrologZstd
import MacrologPlatform
import MacrologTestSupport

extension FuzzTarget {
    /// First byte: which door, and whether with a token. Second: how the body is said to be packed
    /// and of which type. Up to the first line feed: the query or the rest of the path. Then the body.
    static let service = FuzzTarget("service", inputBytesMax: 2_048) { input in
        guard input.count >= 2 else { return }
        let end = input[2...].firstIndex(of: 0x0A) ?? input.endIndex
        let line = String(decoding: input[2..<end], as: UTF8.self)
        let door = Self.doors[Int(input[0] & 0x3F) % Self.doors.count]
        var request = HTTPRequest(
            method: door.method, path: door.path + (door.takesRest ? line : ""), fields: [],
            body: Array(input[min(end + 1, input.endIndex)...]), peer: "192.0.2.1")
        if !door.takesRest { request.query = line }
        let types = ["application/json", "application/cbor", "text/plain"]
        request.fields = [HTTPField("content-type", types[Int(input[1] & 3) % types.count])]
        switch input[1] >> 2 & 7 {
        case 1: request.fields.append(HTTPField("content-encoding", "gzip"))
        case 2: request.fields.append(HTTPField("content-encoding", "zstd"))
        case 3:
            request.fields.append(HTTPField("content-encoding", "gzip"))
            request.body = gzip(request.body)
        case 4:
            var encoder = ZstdEncoder()
            request.fields.append(HTTPField("content-encoding", "zstd"))
            request.body = encoder.encode(request.body)
        default: break
        }
        try PlayedServer.shared.check(request, withToken: input[0] & 0x80 == 0)
    }

    private static let doors: [(method: String, path: String, takesRest: Bool)] = [
        ("POST", "/v1/sync", false), ("POST", "/v1/heal", false), ("GET", "/v1/events", false),
        ("GET", "/v1/live", false), ("POST", "/v1/auth/register", false),
        ("POST", "/v1/auth/login", false), ("POST", "/v1/auth/refresh", false),
        ("GET", "/v1/devices", false), ("DELETE", "/v1/devices/", true), ("GET", "/v1/", true),
        ("POST", "/v1/", true), ("PUT", "/v1/", true),
    ]
}

/// A server with one account whose clock advances with every request, so that no poll waits.
final class PlayedServer: Sendable {
    static let shared = PlayedServer()
    /// The epoch of its log.
    static let epoch: UInt32 = 7

    /// Where its files would be: neither the database nor the folder has a name any more.
    let folder: ScratchFolder
    /// The blobs; the folder is created again for each run.
    let blobs: BlobFiles

    private let server: SyncServer
    private let clock = ManualClock()
    private let token = Mutex("")
    private let addresses = Atomic(0)

    private init() {
        // The file is unlinked as soon as it is open.
        folder = ScratchFolder()
        guard
            // A commit of unknown outcome must end the process: libFuzzer keeps the input that led to it.
            let store = try? SQLiteServerStore.open(
                "\(folder.path)/server.db", newEpoch: Self.epoch, fatal: { fatalError($0) })
        else { preconditionFailure("no server in \(folder.path)") }
        folder.remove()
        blobs = BlobFiles(of: "\(folder.path)/server.db")
        var settings = ServerSettings()
        settings.blobQuota = 1 << 50
        settings.passwordCost = PasswordCost(operations: 1, memoryBytes: 8_192)
        settings.rates = .none
        server = SyncServer(
            store: store, secrets: Secrets([UInt8](repeating: 7, count: Secrets.byteCount)),
            settings: settings, clock: { [clock] in clock.now }, monotonic: { [clock] in clock.now }
        )
        logIn()
    }

    private func logIn() {
        let access = logIn("a@b.c")
        token.withLock { $0 = access }
    }

    /// An address that has no account yet.
    func newAddress() -> String {
        "\(addresses.add(1, ordering: .relaxed).newValue)@b.c"
    }

    /// An access token of the account of an address; the account is made where there is none.
    func logIn(_ address: String) -> String {
        let body = Array(
            #"{"email":"\#(address)","password":"four words in a row","device":"x"}"#.utf8)
        var token = ""
        for path in ["/v1/auth/register", "/v1/auth/login"] {
            let answer = answer(
                HTTPRequest(
                    method: "POST", path: path,
                    fields: [HTTPField("content-type", "application/json")], body: body))
            token = (try? JSON.parse(answer.body))?["access_token"]?.string ?? token
        }
        return token
    }

    /// Sends a request with the token of the one account, or with none, and checks the answer.
    @discardableResult
    func check(
        _ request: HTTPRequest, withToken: Bool, statuses: Set<Int> = statuses
    ) throws -> HTTPResponse {
        let token = withToken ? token.withLock { $0 } : nil
        let response = try check(request, token: token, statuses: statuses)
        if response.status == 401, withToken { logIn() }
        return response
    }

    /// Sends a request and checks the answer.
    @discardableResult
    func check(
        _ request: HTTPRequest, token: String?, statuses: Set<Int>
    ) throws -> HTTPResponse {
        var request = request
        if let token { request.fields.append(HTTPField("authorization", "Bearer \(token)")) }
        let response = answer(request)
        response.stream?.end()
        try promise(
            response.status != 500,
            "no request makes the service fail: \(request.method) \(request.path)?\(request.query)")
        try promise(
            statuses.contains(response.status), "status \(response.status) is of protocol.md")
        if response.status >= 400 {
            let problem = try? JSON.parse(response.body)
            try promise(
                problem?["status"]?.integer == Int64(response.status)
                    && problem?["type"]?.string?.utf8.starts(with: "urn:macrolog:problem:".utf8)
                        == true,
                "a refusal is a problem document")
            try promise(response.body.count < 1_024, "a refusal repeats nothing of the request")
        }
        guard response.status == 200 else { return response }
        switch request.path {
        case "/v1/sync":
            try promise((try? SyncAnswer.decoded(response.body)) != nil, "an answer is an answer")
        case "/v1/heal":
            try promise(
                (try? HealAnswer.decoded(response.body)) != nil, "an answer is an answer")
        case "/v1/digest":
            try promise((try? DigestAnswer.decoded(response.body)) != nil, "an answer is an answer")
        default: break
        }
        return response
    }

    static let statuses: Set<Int> = [
        200, 202, 204, 400, 401, 404, 405, 409, 413, 415, 426, 429,
    ]

    private func answer(_ request: HTTPRequest) -> HTTPResponse {
        let waiting = Waiting()
        server.respond(to: request) { waiting.set($0) }
        while true {
            for _ in 0..<1_000 {
                if let response = waiting.response { return response }
                sched_yield()
            }
            // A poll may be held, but not a minute later. A request that waits for a password hash
            // must not wait longer than hashing may take.
            guard request.path == "/v1/events" else { continue }
            clock.advance(milliseconds: 60_000)
            server.tick()
        }
    }
}

/// An answer that arrives on another thread.
private final class Waiting: Sendable {
    private let state = Mutex<HTTPResponse?>(nil)

    var response: HTTPResponse? { state.withLock { $0 } }

    func set(_ response: HTTPResponse) {
        state.withLock {
            precondition($0 == nil, "a request was answered twice")
            $0 = response
        }
    }
}
