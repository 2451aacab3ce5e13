/// One person's replica on the server: one more device, which reads what the server has and answers for a
/// write only when the server has sealed it.
import Macrolog
import MacrologDiary
import MacrologEngine
import MacrologEvents
import MacrologHTTP
import MacrologService
import MacrologSystem
import Synchronization

final class Person: Sendable {
    let replica: Replica
    private let account: MacrologEngine.Account
    private let zone: PersonZone
    /// How many of the server's events the replica holds; `nil` before the first exchange.
    private let cursor = Mutex<Int64?>(nil)
    private let caller: Caller
    let server: SyncServer
    /// Where messages are sent; `nil` for nowhere.
    let webhooks: Webhooks?
    private let spools: Spools
    private let pass: GatewayPass

    /// Opens the replica in a folder, which is created if missing.
    init(
        _ caller: Caller, _ server: SyncServer, in folder: String, _ spools: Spools,
        _ webhooks: Webhooks?
    ) throws {
        self.webhooks = webhooks
        try Files.makeFolder(folder)
        self.caller = caller
        self.server = server
        self.spools = spools
        let zone = PersonZone()
        self.zone = zone
        replica = try Replica.open(at: "\(folder)/log.db", clock: zone.clock)
        let pass = GatewayPass(server, of: caller)
        self.pass = pass
        account = MacrologEngine.Account(
            of: replica, session: InProcessSession(account: "\(caller.account)")
        ) { _ in InProcess(pass: pass) }
    }

    /// Pulls what the server has; without news it compares two numbers.
    func refresh(head: Int64) throws {
        guard cursor.withLock({ $0 }) != head else { return }
        try exchange()
    }

    /// Reads one state of the log.
    func read<T: Sendable>(_ body: (borrowing Diary) throws -> T) throws -> T {
        try replica.read(body)
    }

    /// What the server itself answers to the sender of a request.
    func ask(
        _ method: String, _ path: String, _ body: [UInt8], of request: HTTPRequest
    ) -> HTTPResponse {
        var fields = request.fields.filter {
            ["host", "x-forwarded-for"].contains(asciiLowercased($0.name))
        }
        if !body.isEmpty { fields.append(HTTPField("content-type", "application/cbor")) }
        return pass.answer(
            to: HTTPRequest(
                method: method, path: path, fields: fields, body: body, peer: request.peer))
    }

    /// 32 bytes that no one can guess: the same ones for the same name.
    func unguessable(_ name: Identifier?) -> [UInt8] { server.unguessable(name) }

    /// Where this server is, as the sender of a request reaches it.
    func address(for request: HTTPRequest) -> String { server.address(for: request, prefix: "") }

    /// The id of what is shown under a token; `nil` if nothing is.
    func share(token digits: String) throws -> Identifier? { try server.share(token: digits) }

    /// A file for an answer.
    func spool() throws -> Spool { try spools.spool(of: caller.account) }

    /// Records, and returns when the server has sealed what was recorded. What the server has no room
    /// for is not recorded. If it refuses nevertheless, the replica must be thrown away: what no device
    /// was answered for is recorded nowhere.
    func write<T: Sendable>(_ body: (inout Diary) throws -> T) throws -> T {
        let result = try replica.write { diary in
            let result = try body(&diary)
            try server.checkRoom(for: diary.unsealedSizes(), of: caller)
            return result
        }
        try exchange()
        return result
    }

    private func exchange() throws {
        let account = account
        let done = try WaitingThread<SyncStatus>().value { try await account.sync() }
        guard done.unsealed == 0 else { throw APIProblem.busy }
        cursor.withLock { $0 = done.cursor }
        zone.set(try replica.read { try $0.preferences() }.zone)
    }
}
