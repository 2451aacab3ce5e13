import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologNutrition
import MacrologSQLite
import MacrologService
import MacrologEngine
import MacrologTestSupport

/// A server on a disk: the real service and the real store, called with requests.
final class ServerSubject: Subject {
    /// A row of one of its tables, without columns that are overwritten.
    struct Holding: Hashable {
        let table: String
        let bytes: [UInt8]
    }

    /// Why a step was not done.
    struct RequestError: Error, CustomStringConvertible {
        let status: Int
        let causeOfDeath: String?
        /// The request.
        var path = ""
        var description: String { "status \(status), \(causeOfDeath ?? "alive")" }
    }

    static let databases = ["server.db", "copy.db.partial"]
    static let trees = FaultDisk.holdsTrees ? ["server.db.blobs", "copy.db.blobs"] : []
    static let filesBeside = ["copy.db"]
    static let failsUndone = false

    private let folder: String
    private let disk: FaultDisk
    private let hasWriter: Bool
    private var server: SimulatedServer
    /// Whether it was closed and failed to reopen.
    private var isGone = false
    /// The tokens of the current session.
    private var tokens: SessionTokens?
    /// The moment of its requests, in milliseconds since 1970 UTC.
    private(set) var now = Peer.now

    init(in folder: String, on disk: FaultDisk, hasWriter: Bool) throws {
        self.folder = folder
        self.disk = disk
        self.hasWriter = hasWriter
        server = try SimulatedServer(path: "\(folder)/server.db", hasWriter: hasWriter)
    }

    var isDead: Bool { isGone || server.causeOfDeath != nil }

    func mustStart(after error: any Error) -> Bool { isDead }

    func close() { if !isGone { server.close() } }

    /// Allocation does not fail while the holdings are read.
    func holdings() throws -> Set<Holding> { try FaultMemory.sparing { try rows() } }

    private func rows() throws -> Set<Holding> {
        var db = try Connection.open("\(folder)/server.db", mode: .readOnly)
        var holdings: Set<Holding> = []
        for (table, sql) in Self.tables {
            try db.forEach(sql) { row in
                var writer = CBORWriter(capacity: 256)
                for column in 0..<row.columnCount {
                    switch row.type(column) {
                    case .null: writer.null()
                    case .integer: writer.int(row.int(column))
                    case .text: writer.text(UTF8Text(row.text(column)))
                    case .blob: writer.byteString(row.bytes(column))
                    }
                }
                holdings.insert(Holding(table: table, bytes: writer.bytes))
            }
        }
        if hasCopy { holdings.insert(Holding(table: "copy", bytes: [])) }
        return holdings
    }

    private static let tables: [(String, StaticString)] = [
        ("server", "SELECT epoch FROM server"),
        ("account", "SELECT space, name, email_key, email, password, created FROM account"),
        ("session", "SELECT id, space, label, created FROM session"),
        ("revoked", "SELECT id FROM session WHERE revoked IS NOT NULL"),
        ("refresh", "SELECT digest, session, created FROM refresh"),
        ("used", "SELECT digest, used FROM refresh WHERE used IS NOT NULL"),
        ("event", "SELECT place, t, t_max, device, seq, hash, digest, body FROM event"),
        ("blob", "SELECT space, name, bytes FROM blob"),
        ("mention", "SELECT space, name, place, removes FROM blob_mention"),
    ]

    private var copy: String { "\(folder)/copy.db" }
    private var hasCopy: Bool { FileManager.default.fileExists(atPath: copy) }

    /// Everything derived from it is a cache.
    func derived() throws -> [UInt8] { [] }

    func deepProblems() throws -> [String] { [] }

    func problems() throws -> [String] { try FaultMemory.sparing { try wrong() } }

    private func wrong() throws -> [String] {
        var problems = try server.problems() + receiptProblems()
        if hasCopy { problems += try ServerFile.check(copy).problems.map { "the copy: \($0)" } }
        return problems
    }

    /// A receipt never claims more than there is.
    private func receiptProblems() throws -> [String] {
        var db = try Connection.open("\(folder)/server.db", mode: .readOnly)
        let wrong = try db.first(
            """
            SELECT count(*) FROM session WHERE cursor >
                (SELECT count(*) FROM event WHERE event.space = session.space)
            """
        ) { $0.int(0) }
        return wrong == 0 ? [] : ["a receipt says more than there is"]
    }

    func goOn() throws {
        tokens = nil
        try logIn()
        var dice = Dice(seed: 98)
        try push(2, &dice)
    }

    // Its actions.

    private func ask(_ request: HTTPRequest, accepts: Set<Int> = [200, 201, 204]) throws
        -> HTTPResponse
    {
        let response = server.answer(request, at: now)
        guard accepts.contains(response.status) else {
            throw RequestError(
                status: response.status, causeOfDeath: server.causeOfDeath, path: request.path)
        }
        return response
    }

    /// Creates the account if it does not exist.
    func register() throws {
        _ = try ask(
            AccountExchange.register(email: Peer.email, password: Peer.password),
            accepts: [200, 201, 202, 409])
    }

    /// Begins a session.
    func logIn() throws {
        try register()
        let response = try ask(
            AccountExchange.logIn(email: Peer.email, password: Peer.password, deviceName: "a"))
        tokens = try AccountExchange.tokens(.success(response))
    }

    private func session() throws -> SessionTokens {
        if tokens == nil { try logIn() }
        guard let tokens else { throw RequestError(status: 0, causeOfDeath: nil) }
        return tokens
    }

    /// Admits what a device pushes.
    func push(_ count: Int, _ dice: inout Dice) throws {
        let request = Peer.push(of: count, &dice)
        _ = try ask(SyncExchange.request(request, accessToken: session().accessToken))
    }

    /// Admits the pushes of several devices while the disk is busy.
    func pushTogether(_ devices: Int, _ dice: inout Dice) throws {
        let token = try session().accessToken
        let requests = (0..<devices).map { _ in
            SyncExchange.request(Peer.push(of: 2, &dice), accessToken: token)
        }
        for response in server.answers(requests, at: now) where response.status != 200 {
            throw RequestError(status: response.status, causeOfDeath: server.causeOfDeath)
        }
    }

    /// Exchanges the refresh token for the next one.
    func rotate() throws {
        let response = try ask(AccountExchange.refresh(session().refreshToken))
        tokens = try AccountExchange.tokens(.success(response))
    }

    /// Ends the session.
    func logOut() throws {
        _ = try ask(AccountExchange.logOut(accessToken: session().accessToken))
        tokens = nil
    }

    /// Writes a backup of the file.
    func backUp() throws {
        if hasCopy { return }
        try server.backUp(to: copy)
    }

    /// Gives the log a new epoch, as after a restore.
    func renew() throws {
        close()
        isGone = true
        tokens = nil
        try ServerFile.renew("\(folder)/server.db", epoch: 9, endsSessions: true, now: Peer.now)
        server = try SimulatedServer(path: "\(folder)/server.db", hasWriter: hasWriter)
        isGone = false
    }

    /// Pulls the whole log, as a separate device: this leaves a receipt.
    func pull() throws {
        let device = Identifier(high: 0xD, low: 1)
        var (cursor, digest, epoch) = (Int64(0), PrefixDigest.empty, UInt32(0))
        // The last pull only reports the cursor.
        for _ in 0..<3 {
            let request = SyncRequest(
                device: device, epoch: epoch, cursor: cursor, digest: digest, pushed: [],
                eventsMax: 100)
            let answer = try SyncExchange.answer(
                .success(ask(SyncExchange.request(request, accessToken: session().accessToken))))
            cursor += Int64(answer.rows.count)
            (digest, epoch) = (answer.digest, answer.epoch)
        }
    }

    /// Some bytes, the same in each trial.
    static func photo(_ number: UInt64) -> [UInt8] {
        var dice = Dice(seed: 4_000 + number)
        return (0..<1_400).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
    }

    /// Uploads bytes of a photo, some of which may have been sent before. Like a client, it
    /// continues at the offset that the server names.
    func upload(_ number: UInt64, through end: Int = .max) throws {
        let bytes = Self.photo(number)
        let name = SHA256.hash(bytes)
        let token = try session().accessToken
        let held = try BlobExchange.held(
            name, .success(ask(BlobExchange.ask(name, accessToken: token), accepts: [200, 404])))
        guard case .bytes(let count) = held else { return }
        let (first, last) = (count < bytes.count ? Int(count) : 0, min(end, bytes.count))
        guard first < last else { return }
        var request = BlobExchange.upload(
            name, file: "", from: Int64(first), of: Int64(bytes.count), accessToken: token)
        request.file = nil
        request.body = Array(bytes[first..<last])
        request.fields.removeAll { ["content-range", "content-length"].contains($0.name) }
        request.fields.append(HTTPField("content-length", "\(request.body.count)"))
        request.fields.append(
            HTTPField("content-range", "bytes \(first)-\(last - 1)/\(bytes.count)"))
        _ = try ask(request, accepts: [201, 202, 204])
    }

    /// Admits a meal that names a photo.
    func name(_ number: UInt64, _ dice: inout Dice) throws {
        let request = Peer.push(of: 1, &dice) { _, dice in
            var meal = Peer.meal(&dice)
            meal.photoHashes = [SHA256.hash(Self.photo(number))]
            return Peer.drafts(adding: meal)
        }
        _ = try ask(SyncExchange.request(request, accessToken: session().accessToken))
    }

    /// Deletes blobs that no device holds.
    func collect() throws {
        _ = server.collect(at: now)
        guard server.causeOfDeath == nil else {
            throw RequestError(status: 502, causeOfDeath: server.causeOfDeath)
        }
    }

    /// Lets time pass; sessions expire.
    func wait(days: Int64) {
        now += days * 86_400_000
        tokens = nil
    }

    /// Time passes.
    func wait(seconds: Int64) { now += seconds * 1_000 }
}
