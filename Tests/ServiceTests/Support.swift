import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologSQLite
import MacrologSeal
import MacrologService
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A folder of its own for one test, removed with it.
final class Folder: Sendable {
    let path: String

    init() {
        let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
        var template = Array("\(temporary)/macrolog-service-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        BlobFiles(of: "\(path)/server.db").removeAll()
        for name in ["", "-wal", "-shm"] { unlink("\(path)/server.db\(name)") }
        rmdir(path)
    }
}

/// A server in a folder, a clock that the test moves, and requests in one line.
final class TestServer: Sendable {
    let server: SyncServer
    let store: SQLiteServerStore
    let clock: ManualClock
    /// What it told its log.
    let notes = Notes()
    private let folder: Folder

    init(
        folder: Folder = Folder(), epoch: UInt32 = 7, clock: ManualClock = ManualClock(),
        _ change: (inout ServerSettings) -> Void = { _ in }
    ) throws {
        self.folder = folder
        self.clock = clock
        store = try SQLiteServerStore.open(
            "\(folder.path)/server.db", newEpoch: epoch
        ) { message in fatalError(message) }
        var settings = ServerSettings()
        settings.passwordCost = PasswordCost(operations: 1, memoryBytes: 8_192)
        settings.rates.registerByNetwork = Rate(burst: 1_000, interval: 1)
        change(&settings)
        server = SyncServer(
            store: store, secrets: Secrets([UInt8](repeating: 9, count: Secrets.byteCount)),
            settings: settings, clock: { [clock] in clock.now },
            monotonic: { [clock] in clock.now },
            note: { [notes] in notes.keep($0) })
    }

    /// Returns when all that was queued before is on the disk.
    func waitForWriter() {
        let waiting = Answered()
        store.forgetEnded(before: 0, networksBefore: 0) { _ in
            waiting.set(HTTPResponse(status: 204))
        }
        _ = waiting.get()
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
        server.respond(to: request) { waiting.set($0) }
        let answer = waiting.get()
        checkDeclared(answer, to: request)
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

    /// Registers if need be, logs in, and gives the tokens.
    func login(_ email: String = "ana@example.org", device: String = "phone") throws -> Tokens {
        let credentials: JSON = ["email": .string(email), "password": .string(password)]
        _ = post("/v1/auth/register", credentials)
        let answer = post(
            "/v1/auth/login",
            ["email": .string(email), "password": .string(password), "device": .string(device)])
        return try Tokens(answer)
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

    /// Those of one event.
    func of(_ event: String) -> [ServerNote] {
        kept.withLock { $0 }.filter { "\($0.event)" == event }
    }
}

/// A clock that stands until it is moved.
final class ManualClock: Sendable {
    private let time = Atomic<Int64>(1_700_000_000_000)
    var now: Int64 { time.load(ordering: .relaxed) }
    func advance(milliseconds: Int64) { time.add(milliseconds, ordering: .relaxed) }
}

/// An answer that comes from another thread.
final class Answered: Sendable {
    private let state = Mutex<HTTPResponse?>(nil)

    func set(_ response: HTTPResponse) {
        state.withLock {
            precondition($0 == nil, "a request was answered twice")
            $0 = response
        }
    }

    /// The answer, if there is one yet.
    var peek: HTTPResponse? { state.withLock { $0 } }

    /// The answer, as soon as there is one. A minute is given up as never.
    func get() -> HTTPResponse {
        let begun = ContinuousClock.now
        while ContinuousClock.now - begun < .seconds(60) {
            if let response = state.withLock({ $0 }) { return response }
            sched_yield()
        }
        preconditionFailure("a request was never answered")
    }
}

/// The last part of a problem's type.
func problem(_ response: HTTPResponse) -> String? {
    guard let text = try? JSON.parse(response.body)["type"]?.string else { return nil }
    return text.split(separator: ":").last.map(String.init)
}

/// A device as a test plays it: it records, and keeps what it has seen of the log.
struct TestDevice {
    let id: Identifier
    var seq: Int64 = 0
    var epoch: UInt32 = 0
    var cursor: Int64 = 0
    var digest = PrefixDigest.empty
    /// What it recorded and has not been told to be admitted.
    var waiting: [SyncRequest.Pushed] = []
    /// Hashes of the log as it knows it.
    var log: [[UInt8]] = []
    /// Its own bodies by number.
    var own: [[UInt8]] = []

    init(_ number: UInt64) { id = Identifier(high: number, low: number) }

    mutating func record(_ text: String = "x", age: Int64 = 0) {
        record([.set(["name": .text(Text(text))])], age: age)
    }

    /// Does something with a meal of its own.
    mutating func record(_ operations: [MacrologEvents.Operation], age: Int64 = 0) {
        record([Change(EntityKey("meal", id), operations)], age: age)
    }

    mutating func record(_ changes: [Change], age: Int64 = 0) {
        seq += 1
        let event = Event(
            dot: Dot(device: id, seq: seq), base: Base(epoch: epoch, n: cursor), wall: 0,
            type: "meal.added", version: 1,
            changes: changes)
        own.append(event.encoded())
        waiting.append(SyncRequest.Pushed(age: age, body: event.encoded()))
    }

    var request: SyncRequest {
        SyncRequest(device: id, epoch: epoch, cursor: cursor, digest: digest, pushed: waiting)
    }

    /// Takes an answer in and checks its digest against its own sum.
    mutating func fold(_ response: HTTPResponse) throws -> SyncAnswer {
        guard response.status == 200 else {
            throw Unexpected(
                response: "\(response.status) \(String(decoding: response.body, as: UTF8.self))")
        }
        let answer = try SyncAnswer.decoded(response.body)
        for row in answer.rows {
            cursor += 1
            let body: [UInt8] =
                switch row.content {
                case .event(let body): body
                case .own(let seq): own[Int(seq.rawValue - 1)]
                }
            digest.add(
                hash: body.withUnsafeBytes { SHA256.words($0) }, seal: Seal(n: cursor, t: row.t))
            log.append(SHA256.hash(body))
        }
        guard digest == answer.digest else { throw Unexpected(response: "digest") }
        epoch = answer.epoch
        waiting.removeAll { pushed in
            (try? EventHeader.checked(pushed.body).dot.seq <= answer.admitted) ?? false
        }
        return answer
    }
}

/// How long a file is; 0 where there is none.
func fileBytes(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
}
