import Dispatch
import MacrologEvents
import MacrologWire
package import MacrologHTTP
import MacrologHTTPClient
import MacrologLog
import MacrologReadModels
import Synchronization

/// A person's account at a server, seen from one replica.
///
///     let account = Account(of: replica, session: SessionFile(path: path + ".session"))
///     try await account.logIn(
///         email: email, password: password, at: "https://sync.example.org", deviceName: "phone")
///     let report = try await account.sync()
///
/// Recording works without an account, for ever.
public final class Account: Sendable {
    /// The replica that is synced.
    package let replica: Replica
    let sessions: any SessionStore
    let connect: @Sendable (Origin) -> any Transport
    /// A file of certificates that are trusted, too.
    private let certificates: String?
    /// The protocol versions that this client speaks.
    let versions: ClosedRange<Int64>
    /// The queue on which exchanges block, one after another.
    let queue = DispatchQueue(label: "macrolog.sync")
    /// The queue on which a poll blocks, so that it delays no exchange.
    let liveQueue = DispatchQueue(label: "macrolog.live")
    /// The queue on which a photo is sent, so that it delays no exchange.
    let photoQueue = DispatchQueue(label: "macrolog.photos")
    /// The queue on which a photo is fetched that a person wants to see, so that none that is sent delays it.
    let fetchQueue = DispatchQueue(label: "macrolog.fetch")
    /// The queue on which a question of a person blocks, so that neither an exchange nor another question delays it.
    let questionQueue = DispatchQueue(label: "macrolog.questions", attributes: .concurrent)
    /// The queue on which tokens are renewed, one call after another: a refresh token works once.
    let renewalQueue = DispatchQueue(label: "macrolog.renewal")
    /// Held while the session is replaced, so that none comes back after the person has logged out.
    let replacement = Mutex(())

    /// The account of a replica.
    ///
    /// - Parameter certificates: A file of certificates, as PEM, that are trusted besides those of
    ///   the system: for a server with a certificate of its own. Kept with the session.
    public convenience init(
        of replica: Replica, session: any SessionStore, certificates: String? = nil
    ) {
        self.init(of: replica, session: session, certificates: certificates) {
            ServerTransport($0, certificates: certificates)
        }
    }

    /// The account of a replica, over the caller's transport.
    ///
    /// - Parameter versions: The protocol versions that this client speaks.
    package init(
        of replica: Replica, session: any SessionStore, certificates: String? = nil,
        versions: ClosedRange<Int64> = Limits.protocolVersions,
        connect: @escaping @Sendable (Origin) -> any Transport
    ) {
        self.certificates = certificates
        self.versions = versions
        self.replica = replica
        self.sessions = session
        self.connect = connect
    }

    /// The session; `nil` when not logged in.
    public var session: Session? {
        get throws { try sessions.load() }
    }

    /// The session, which only the server that gave it may see.
    ///
    /// - Throws: ``AccountError/loggedOut`` when it is not one of this server, as after this log has
    ///   moved to another one while an exchange was under way.
    func session(at server: String) throws -> Session {
        guard let session = try session, session.server == server else {
            throw AccountError.loggedOut
        }
        return session
    }

    /// The access token for what this log holds, and for that server alone.
    ///
    /// - Throws: ``AccountError/otherAccount`` when the session is one of another account than the
    ///   log's, as when a file was replaced by a copy of another one.
    func ownToken(at server: String) throws -> String {
        let session = try session(at: server)
        try requireOwner(session)
        return session.accessToken
    }

    func requireOwner(_ session: Session) throws {
        let owner = try replica.withStore { try SyncMemory.account(in: &$0.db) }
        guard owner == nil || owner == session.account else { throw AccountError.otherAccount }
    }

    /// Whether a session at another server has taken the place of one at this server, or none is left.
    func hasLeft(_ server: String) -> Bool {
        // What cannot be read now says nothing.
        do { return try session?.server != server } catch { return false }
    }

    /// Asks a server for a new account. The server does not tell whether the address is new: log
    /// in to find out.
    ///
    /// - Parameter invitation: The code of the server's operator, where one is needed.
    /// - Throws: ``AccountError/refused(_:)`` without a valid invitation; ``AccountError/invalid(_:)``
    ///   for an address that is none, and for a password that is too short or too easy to guess.
    public func register(
        email: String, password: String, invitation: String? = nil, at server: String
    ) async throws {
        let request = AccountExchange.register(
            email: email, password: password, invitation: invitation)
        try await askStranger(request, at: server)
    }

    /// Sets a new password with the code of the server's operator. All sessions end.
    ///
    /// - Throws: ``AccountError/refused(_:)`` for a code that is wrong, used or too old;
    ///   ``AccountError/invalid(_:)`` for a password that is too short or too easy to guess.
    public func resetPassword(
        email: String, code: String, password: String, at server: String
    ) async throws {
        try await askStranger(
            AccountExchange.reset(email: email, code: code, password: password), at: server)
    }

    /// Sends a request that needs no session.
    private func askStranger(_ request: HTTPRequest, at server: String) async throws {
        let transport = connect(try origin(server))
        do {
            _ = try await ask(transport) {
                try AccountExchange.success(Self.send(request, transport))
            }
        } catch AccountError.notAllowed(let cause) {
            throw AccountError.refused(cause)
        }
    }

    /// Logs this device in: from now on it can sync. The session that it had at this server ends.
    ///
    /// - Parameters:
    ///   - deviceName: The person's name for this device, such as `phone`.
    ///   - code: The code of the second factor, or a recovery code, for an account with one.
    ///   - moves: Allows the replica to move to another account, which gets everything it holds.
    /// - Throws: ``AccountError`` when the replica belongs to another account, or a code is needed.
    public func logIn(
        email: String, password: String, code: String? = nil, at server: String,
        deviceName: String, moves: Bool = false
    ) async throws {
        let origin = try origin(server)
        let transport = connect(origin)
        let tokens = try await ask(transport) {
            try AccountExchange.tokens(
                Self.send(
                    AccountExchange.logIn(
                        email: email, password: password, code: code, deviceName: deviceName),
                    transport))
        }
        // However the address was typed, it is the same server.
        let server = "\(origin)"
        let session = Session(
            server: server, email: email, account: tokens.account,
            accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
            certificates: certificates)
        let previous = try? sessions.load()
        do {
            try belong(to: tokens.account, moves: moves)
            try replacement.withLock { _ in try sessions.save(session) }
        } catch {
            await end(session)
            throw error
        }
        if let previous, previous.server == server { await end(previous) }
    }

    /// Notes whose log this is.
    ///
    /// - Throws: ``AccountError/otherAccount`` when it is another account's, and may not move.
    private func belong(to account: String, moves: Bool) throws {
        try replica.withStore { store in
            let owner = try SyncMemory.account(in: &store.db)
            guard owner == nil || owner == account || moves else {
                throw AccountError.otherAccount
            }
            if owner != account {
                try store.forgetServerBlobs()
                if owner != nil { try SyncMemory.forget(in: &store.db) }
            }
            try SyncMemory.note(account: account, in: &store.db)
            try SyncMemory.forgetError(in: &store.db)
        }
    }

    /// Notes that no server is known to have what this log holds.
    func forgetServer() throws {
        try replica.withStore { store in
            try store.forgetServerBlobs()
            try SyncMemory.forget(in: &store.db)
        }
    }

    /// Ends a session that no device has any more. Where the server does not answer, it expires there.
    private func end(_ session: Session) async {
        guard let transport = (try? origin(session.server)).map(connect) else { return }
        _ = try? await ask(transport) {
            func logOut(_ accessToken: String) throws {
                try AccountExchange.success(
                    Self.send(AccountExchange.logOut(accessToken: accessToken), transport))
            }
            do { try logOut(session.accessToken) } catch let error as SyncError
                where error.errorClass == .unauthorized
            {
                let tokens = try AccountExchange.tokens(
                    Self.send(AccountExchange.refresh(session.refreshToken), transport))
                try logOut(tokens.accessToken)
            }
        }
    }

    /// Logs this device out. What is recorded stays.
    ///
    /// - Parameter evenUnsynced: Log out although some events have not reached the server.
    /// - Throws: ``AccountError/unsynced(_:)`` when some have not.
    public func logOut(evenUnsynced: Bool = false) async throws {
        guard let session = try sessions.load() else { return }
        let status = try replica.syncStatus()
        let unsynced = status.unsealed + (status.head < status.cursor ? status.cursor : 0)
        guard unsynced == 0 || evenUnsynced else { throw AccountError.unsynced(unsynced) }
        try replacement.withLock { _ in try sessions.save(nil) }
        // Logging out works offline too: the session then expires on the server.
        await end(session)
    }

    func origin(_ server: String) throws -> Origin {
        do { return try Origin(server) } catch { throw AccountError(error) }
    }

    static func send(
        _ request: HTTPRequest, _ transport: any Transport, heldSeconds: Int64 = 0
    ) -> Result<HTTPResponse, TransportError> {
        do throws(TransportError) {
            return .success(try transport.send(request, heldSeconds: heldSeconds))
        } catch {
            return .failure(error)
        }
    }

    /// Sends a request to the server, and converts its error for an app.
    private func ask<T: Sendable>(
        _ transport: any Transport, _ work: @escaping @Sendable () throws -> T
    ) async throws -> T {
        do {
            return try await offload(cancelling: transport, on: questionQueue, work)
        } catch let error as SyncError {
            throw AccountError(error)
        }
    }

    /// Runs blocking work on a queue, and cancels it when the task is cancelled; while it waits for its turn,
    /// it is given up at once.
    ///
    /// - Throws: What the work throws; `CancellationError` where its exchange was cancelled with the task.
    func offload<T: Sendable>(
        cancelling transport: any Transport, on other: DispatchQueue? = nil,
        _ work: @escaping @Sendable () throws -> T
    ) async throws -> T {
        let waiting = Waiting<T>()
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    waiting.continuation.withLock { $0 = continuation }
                    (other ?? queue).async {
                        waiting.take()?.resume(with: Result { try work() })
                    }
                    // The handler may have run before there was anything to cancel.
                    if Task.isCancelled { waiting.cancel() }
                }
            } onCancel: {
                transport.cancel()
                waiting.cancel()
            }
        } catch let error as SyncError where error.isCancelled && Task.isCancelled {
            throw CancellationError()
        }
    }
}

/// A task that waits for the turn of its work.
private final class Waiting<T: Sendable>: Sendable {
    /// `nil` once the work has begun, or was cancelled.
    let continuation = Mutex<CheckedContinuation<T, any Error>?>(nil)

    func take() -> CheckedContinuation<T, any Error>? { continuation.withLock { $0.take() } }

    func cancel() { take()?.resume(throwing: CancellationError()) }
}

/// The system's HTTP client as a transport.
package struct ServerTransport: Transport {
    private let http: HTTPTransport
    private let origin: Origin

    /// Carries requests to a server.
    ///
    /// - Parameter certificates: A file of certificates that are trusted, too.
    package init(_ origin: Origin, certificates: String? = nil) {
        http = HTTPTransport(certificates: certificates)
        self.origin = origin
    }

    package func send(
        _ request: HTTPRequest, heldSeconds: Int64
    ) throws(TransportError) -> HTTPResponse {
        var limits = ExchangeLimits()
        if request.file != nil || request.receiver != nil {
            // A photo may take long, as long as data flows: what has arrived is kept.
            limits.exchangeMilliseconds = 900_000
        }
        if heldSeconds > 0 {
            // The server sends nothing while it holds the request: silence is not a stall.
            limits.exchangeMilliseconds = Int(LiveListener.watchdogMilliseconds)
            limits.stallSeconds = Int(LiveListener.watchdogMilliseconds / 1_000)
        }
        return try http.send(request, to: origin, limits: limits)
    }

    package func cancel() { http.cancel() }
}
