import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologLog
import MacrologReadModels
import MacrologRecovery

/// Performs the actions of the state machine: the only place where exchanges and recovery touch
/// socket and file.
struct SyncRound {
    private var machine: SyncMachine
    private var random = SystemRandomNumberGenerator()
    /// The greatest `seq` of a device that the server is known to have.
    private var admitted = (device: Identifier(high: 0, low: 0), seq: Int64(0))
    /// Why the last exchange failed: as it is stored for a person.
    private var lastError: SyncError? { didSet { if lastError == nil { ownError = nil } } }
    /// What failed on this side, where it says more than ``lastError``; `nil` where nothing did.
    private var ownError: (any Error)?
    /// The protocol version of requests: the newest, until the server asks for another.
    private var version: Int64
    /// The server's clock, from the last answer.
    private var serverClock: ServerClock?
    /// Whether the server cannot know yet that this device has what the last answer brought.
    private var owesReceipt = false
    /// How far a recovery has come.
    var recovering: Recovering?
    /// What is known of damage.
    var repair = RepairState()
    let account: Account
    let server: String
    let transport: any Transport
    let sharesFile: Bool
    private let progress: @Sendable (SyncMachine.Progress) -> Void

    init(
        _ account: Account, restMilliseconds: Int64 = 60_000, sharesFile: Bool = false,
        progress: @escaping @Sendable (SyncMachine.Progress) -> Void = { _ in }
    ) throws {
        guard let session = try account.session else { throw AccountError.loggedOut }
        try account.requireOwner(session)
        self.account = account
        server = session.server
        self.sharesFile = sharesFile
        self.progress = progress
        version = account.versions.upperBound
        transport = account.connect(try account.origin(session.server))
        machine = SyncMachine(
            eventsMax: Limits.pageEventsMax, restMilliseconds: restMilliseconds)
    }

    /// Runs until nothing is missing anywhere, or until the first failure.
    ///
    /// - Throws: ``AccountError``; ``ReplicaError`` where the file cannot be used, and what the store of
    ///   the session throws.
    mutating func run() async throws {
        var event = SyncMachine.Event.start
        while true {
            try Task.checkCancellation()
            let actions = machine.handle(event, random: &random)
            guard let next = await perform(actions) else { break }
            event = next
        }
        if !hasEnded { remember() }
        if machine.state == .resting { await exchangeReceipts() }
        guard machine.state == .resting, machine.progress != nil else {
            throw ownError ?? lastError.map { AccountError($0) } ?? AccountError.stopped
        }
    }

    /// Runs until syncing is no longer allowed, the session is one of another server, or the stream of
    /// events ends.
    mutating func keepRunning(
        on events: (
            stream: AsyncStream<SyncSignal>, continuation: AsyncStream<SyncSignal>.Continuation
        ), report: () -> Void
    ) async {
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        for await signal in events.stream {
            if account.hasLeft(server) { return }
            var event: SyncMachine.Event?
            switch signal {
            case .event(let happened): event = happened
            // What the last exchange has brought is no longer news.
            case .news(let head) where head <= machine.progress?.cursor ?? 0: continue
            case .news: event = .hint
            }
            while let now = event {
                let actions = machine.handle(now, random: &random)
                for case .arm(let milliseconds) in actions {
                    timer?.cancel()
                    timer = Task {
                        try? await Task.sleep(for: .milliseconds(milliseconds))
                        if !Task.isCancelled { events.continuation.yield(.event(.timer)) }
                    }
                }
                event = await perform(actions)
            }
            if hasEnded { return }
            remember()
            if machine.state == .resting { await askReceipts(isHasty: false) }
            report()
            if case .stopped = machine.state { return }
        }
    }

    /// Whether an exchange broke off because the app itself has ended it, or has logged out meanwhile: that
    /// is no failure.
    private var hasEnded: Bool {
        lastError != nil && (Task.isCancelled || account.hasLeft(server))
    }

    /// Performs an exchange or a renewal, if one is requested, and returns its outcome.
    private mutating func perform(_ actions: [SyncMachine.Action]) async -> SyncMachine.Event? {
        var rotationError: (any Error)?
        for action in actions {
            switch action {
            case .rotateDeviceID:
                do { try rotateDeviceID() } catch { rotationError = error }
            case .exchange(let number, let eventsMax, let pushMax):
                do {
                    if let rotationError { throw rotationError }
                    try await verifyFile()
                    let result = try await inCommonVersion { round, version in
                        try await round.exchange(
                            eventsMax: eventsMax, pushMax: pushMax, version: version)
                    }
                    repair.done = nil
                    // What the server has refused is still refused, even if events of other devices
                    // arrive.
                    if pushMax > 0 { lastError = nil }
                    return .answered(exchange: number, result)
                } catch {
                    return .failed(exchange: number, note(error))
                }
            case .refresh(let number):
                do {
                    try await refresh()
                    return .refreshed(exchange: number)
                } catch {
                    return .failed(exchange: number, note(error))
                }
            case .recover(let number, let isFirst, let eventsMax):
                do {
                    return try await inCommonVersion { round, version in
                        try await round.recover(
                            number, isFirst: isFirst, eventsMax: eventsMax, version: version)
                    }
                } catch {
                    return .failed(exchange: number, note(error))
                }
            case .arm, .disarm: continue
            }
        }
        return nil
    }

    /// Asks in the version that is known to be understood. If the server asks for another version
    /// that this client speaks, repeats the request in that one, and uses it from then on.
    private mutating func inCommonVersion<Result: Sendable>(
        _ ask: (inout SyncRound, _ version: Int64) async throws -> Result
    ) async throws -> Result {
        do { return try await ask(&self, version) } catch let error as SyncError {
            guard
                let other = SyncExchange.version(
                    after: error, asked: version, speaking: account.versions)
            else { throw error }
            version = other
            return try await ask(&self, other)
        }
    }

    private func rotateDeviceID() throws {
        let device = account.replica.newID()
        try account.replica.withStore { try $0.beginRotation(to: device) }
    }

    private mutating func note(_ error: any Error) -> SyncMachine.ErrorClass {
        let isOwn = (error as? ReplicaError)?.log != nil
        let known: any Error = (error as? LogError).map { ReplicaError($0) } ?? error
        ownError = Self.isOfPages(known) ? nil : known
        let error = error as? SyncError ?? SyncError(.storage(detail: "\(error)"))
        // An event that this device or the server cannot read may be damaged.
        if isOwn || error.errorClass == .pushRefused(after: error.retryAfter) {
            repair.suspect(now: account.replica.clock.read().monotonic)
        }
        lastError = error
        admitted.seq = 0
        return error.errorClass
    }

    /// Whether an error may be due to what the server sent, and not to this side alone.
    private static func isOfPages(_ error: any Error) -> Bool {
        guard let error = error as? ReplicaError else { return error is SyncError }
        return error.log != nil || error.code == .fault || error.code == .tooLarge
    }

    private mutating func exchange(
        eventsMax: Int, pushMax: Int, version: Int64
    ) async throws -> SyncMachine.Progress {
        let (account, server, transport) = (account, server, transport)
        let (replica, known, clock) = (account.replica, admitted, serverClock)
        let sharesFile = sharesFile
        let next = replica.newID()
        let (answer, standing, heard) = try await account.offload(
            cancelling: transport
        ) {
            let token = try account.ownToken(at: server)
            let reading = replica.clock.read()
            var message = try replica.withStore { store in
                let remote = try clock ?? ServerClock.remembered(in: &store.db)
                return try store.syncRequest(
                    eventsMax: eventsMax, pushMax: pushMax,
                    admitted: known.device == store.log.device ? known.seq : 0, now: reading,
                    serverNow: remote?.now(at: reading))
            }
            message.version = version
            if sharesFile { replica.releaseFile() }
            let request = SyncExchange.request(message, accessToken: token)
            let answer = try SyncExchange.answer(Account.send(request, transport))
            let heard = ServerClock(
                server: answer.now.rawValue, between: reading, and: replica.clock.read())
            let standing = try replica.withStore { store in
                guard store.log.asker == message.device else {
                    throw SyncError(.storage(detail: "the device has rotated its ID meanwhile"))
                }
                // Another process may have folded this page, or another one, in the meantime.
                if store.log.cursor == message.cursor { try Self.apply(answer, to: &store) }
                if store.log.owesOrphans { try store.beginRotation(to: next) }
                return (
                    device: message.device, unsealed: store.log.unsealedCount,
                    cursor: store.log.cursor
                )
            }
            return (answer, standing, heard)
        }
        admitted = (standing.device, answer.admitted.rawValue)
        serverClock = heard
        owesReceipt = answer.rows.contains { row in
            if case .event = row.content { true } else { false }
        }
        let head = max(answer.head.rawValue, standing.cursor)
        progress(
            SyncMachine.Progress(unsealed: standing.unsealed, cursor: standing.cursor, head: head))
        return SyncMachine.Progress(
            unsealed: standing.unsealed, cursor: standing.cursor, head: head)
    }

    private static func apply(_ answer: SyncAnswer, to store: inout Store) throws {
        do throws(LogError) { try store.apply(answer) } catch {
            guard error.sqlite == nil else { throw error }
            throw SyncError(error)
        }
    }

    private func refresh() async throws {
        try await account.renewTokens(transport, at: server)
    }

    /// Stores the outcome for later status queries.
    private func remember() {
        let reading = account.replica.clock.read()
        let (head, server) = (machine.progress?.head, serverClock)
        let error = lastError.map { (text: $0.description, isOffline: $0.isOffline) }
        try? account.replica.withStore { store in
            try SyncMemory.note(
                error: error, head: head, server: server, at: reading, in: &store)
        }
        // If it fails, it is tried again after the next exchange; nothing depends on it.
        if lastError == nil { try? account.replica.compactIfDue() }
    }

    /// When nothing is left to do: tells the server what this device has, and asks what the other
    /// devices have. This is information only: its failure is no failure of the sync.
    private mutating func exchangeReceipts() async {
        if owesReceipt {
            _ = try? await exchange(
                eventsMax: Limits.pageEventsMax, pushMax: Limits.pageEventsMax, version: version)
        }
        await askReceipts(isHasty: true)
    }

    private func askReceipts(isHasty: Bool) async {
        let (account, server, transport) = (account, server, transport)
        let replica = account.replica
        if sharesFile { replica.releaseFile() }
        try? await account.offload(cancelling: transport) {
            let reading = replica.clock.read()
            let isDue = try replica.withStore { store in
                try ReceiptQuestion.isDue(isHasty: isHasty, now: reading, in: &store)
            }
            guard isDue else { return }
            let token = try account.session(at: server).accessToken
            if sharesFile { replica.releaseFile() }
            let list = try AccountExchange.devices(
                Account.send(AccountExchange.listDevices(accessToken: token), transport))
            let heard = replica.clock.read()
            try replica.withStore { try DeviceReceipts.remember(list, at: heard, in: &$0) }
        }
    }
}
