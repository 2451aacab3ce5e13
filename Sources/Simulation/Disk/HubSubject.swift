import Events
import HTTP
import SQLite
import Service
import Sync

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A hub on a disk: the real service and the real store, asked over requests.
final class HubSubject: Subject {
    /// A row of one of its tables, without what is overwritten in it.
    struct Holding: Hashable {
        let table: String
        let bytes: [UInt8]
    }

    /// Why a step was not done.
    struct Refusal: Error, CustomStringConvertible {
        let status: Int
        let causeOfDeath: String?
        var description: String { "status \(status), \(causeOfDeath ?? "alive")" }
    }

    static let databases = ["hub.db", "copy.db.partial"]
    static let filesBeside = ["copy.db"]

    private let folder: String
    private let disk: FaultDisk
    private var hub: SimulatedHub
    /// Whether it has been closed, and did not open again.
    private var isGone = false
    /// The tokens of somebody's session.
    private var tokens: SessionTokens?

    init(in folder: String, on disk: FaultDisk) throws {
        self.folder = folder
        self.disk = disk
        hub = try SimulatedHub(path: "\(folder)/hub.db")
    }

    var isDead: Bool { isGone || hub.causeOfDeath != nil }

    func mustStart(after error: any Error) -> Bool { isDead }

    func close() { if !isGone { hub.close() } }

    func holdings() throws -> Set<Holding> {
        var db = try Connection.open("\(folder)/hub.db", mode: .readOnly)
        var holdings: Set<Holding> = []
        for (table, sql) in Self.tables {
            try db.forEach(sql) { row in
                var writer = CBORWriter(capacity: 256)
                for column in 0..<row.columnCount {
                    switch row.type(column) {
                    case .null: writer.null()
                    case .integer: writer.int(row.int(column))
                    case .text: writer.text(Text(row.text(column)))
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
        ("hub", "SELECT epoch FROM hub"),
        ("account", "SELECT space, name, email_key, email, password, created FROM account"),
        ("session", "SELECT id, space, label, created FROM session"),
        ("revoked", "SELECT id FROM session WHERE revoked IS NOT NULL"),
        ("refresh", "SELECT digest, session, created FROM refresh"),
        ("used", "SELECT digest, used FROM refresh WHERE used IS NOT NULL"),
        ("event", "SELECT place, t, t_max, device, seq, hash, digest, body FROM event"),
    ]

    private var copy: String { "\(folder)/copy.db" }
    private var hasCopy: Bool { FileManager.default.fileExists(atPath: copy) }

    func problems() throws -> [String] {
        var problems = try hub.problems()
        if hasCopy { problems += try HubFile.check(copy).problems.map { "the copy: \($0)" } }
        return problems
    }

    func goOn() throws {
        tokens = nil
        try signIn()
        var dice = Dice(seed: 98)
        try push(2, &dice)
    }

    // What it does.

    private func ask(_ request: HTTPRequest, accepts: Set<Int> = [200, 201, 204]) throws
        -> HTTPResponse
    {
        let response = hub.answer(request, at: Peer.now)
        guard accepts.contains(response.status) else {
            throw Refusal(status: response.status, causeOfDeath: hub.causeOfDeath)
        }
        return response
    }

    /// Makes the account, unless there is one.
    func register() throws {
        _ = try ask(
            AccountExchange.register(email: Peer.email, password: Peer.password),
            accepts: [200, 201, 202, 409])
    }

    /// Begins a session.
    func signIn() throws {
        try register()
        let response = try ask(
            AccountExchange.logIn(email: Peer.email, password: Peer.password, deviceName: "a"))
        tokens = try AccountExchange.tokens(.success(response))
    }

    private func session() throws -> SessionTokens {
        if tokens == nil { try signIn() }
        guard let tokens else { throw Refusal(status: 0, causeOfDeath: nil) }
        return tokens
    }

    /// Admits what a device pushes.
    func push(_ count: Int, _ dice: inout Dice) throws {
        let request = try Peer.push(of: count, &dice)
        _ = try ask(SyncExchange.request(request, accessToken: session().accessToken))
    }

    /// Admits what several devices push while the disk is busy.
    func pushTogether(_ devices: Int, _ dice: inout Dice) throws {
        let token = try session().accessToken
        let requests = try (0..<devices).map { _ in
            SyncExchange.request(try Peer.push(of: 2, &dice), accessToken: token)
        }
        for response in hub.answers(requests, at: Peer.now) where response.status != 200 {
            throw Refusal(status: response.status, causeOfDeath: hub.causeOfDeath)
        }
    }

    /// Exchanges the refresh token for the next one.
    func rotate() throws {
        let response = try ask(AccountExchange.refresh(session().refreshToken))
        tokens = try AccountExchange.tokens(.success(response))
    }

    /// Ends the session.
    func signOut() throws {
        _ = try ask(AccountExchange.logOut(accessToken: session().accessToken))
        tokens = nil
    }

    /// Writes a copy of the file.
    func backUp() throws {
        if hasCopy { return }
        try hub.backUp(to: copy)
    }

    /// Gives the log another epoch, as after a restore.
    func renew() throws {
        close()
        isGone = true
        tokens = nil
        try HubFile.renew("\(folder)/hub.db", epoch: 9, endsSessions: true, now: Peer.now)
        hub = try SimulatedHub(path: "\(folder)/hub.db")
        isGone = false
    }
}

/// What a hub does with its file.
enum HubWorkloads {
    static let all: [Workload<HubSubject>] = [
        Workload(
            "admission",
            [Step("sign in", isWhole: false) { subject, _ in try subject.signIn() }]
                + [1, 5, 1, 20].map { count in
                    Step("push \(count)") { try $0.push(count, &$1) }
                }),
        Workload(
            "group commit",
            [
                Step("sign in", isWhole: false) { subject, _ in try subject.signIn() },
                Step("push together", isWhole: false) { try $0.pushTogether(6, &$1) },
                Step("push together", isWhole: false) { try $0.pushTogether(9, &$1) },
            ]),
        Workload(
            "sessions",
            [
                Step("register") { subject, _ in try subject.register() },
                Step("sign in", isWhole: false) { subject, _ in try subject.signIn() },
                Step("rotate") { subject, _ in try subject.rotate() },
                Step("rotate") { subject, _ in try subject.rotate() },
                Step("sign out") { subject, _ in try subject.signOut() },
                Step("sign in", isWhole: false) { subject, _ in try subject.signIn() },
            ]),
        Workload(
            "hub's backup",
            [
                Step("sign in", isWhole: false) { subject, _ in try subject.signIn() },
                Step("push") { try $0.push(6, &$1) },
                Step("back up", isWhole: false) { subject, _ in try subject.backUp() },
                Step("push") { try $0.push(2, &$1) },
            ]),
        Workload(
            "renewal",
            [
                Step("sign in", isWhole: false) { subject, _ in try subject.signIn() },
                Step("push") { try $0.push(6, &$1) },
                Step("renew", isWhole: false, forgets: true) { subject, _ in try subject.renew() },
                Step("push", isWhole: false) { try $0.push(2, &$1) },
            ]),
    ]
}
