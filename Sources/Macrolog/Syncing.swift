import Events
import HTTP
import Log
import Projections
import Sync

/// How far a sync has come.
public struct SyncProgress: Hashable, Sendable {
    /// Events of this device that the server has not sealed yet.
    public let unsealed: Int64
    /// How many of the server's events this device holds.
    public let cursor: Int64
    /// How many the server has.
    public let head: Int64
    /// How far a device that is new has come; `nil` for one that holds its events.
    public let arrival: SyncArrival?

    init(unsealed: Int64, cursor: Int64, head: Int64, arrival: SyncArrival? = nil) {
        self.unsealed = unsealed
        self.cursor = cursor
        self.head = head
        self.arrival = arrival
    }
}

/// How far a new device of an account with a long past has come. It shows what the server has
/// prepared, and fetches the past meanwhile.
public struct SyncArrival: Hashable, Sendable {
    /// Whether the last month, the foods and the settings are here, so that the device can be used.
    public let isUsable: Bool
    /// Parts of what is known that are here.
    public let parts: Int64
    /// How many there are.
    public let partCount: Int64

    init?(_ log: EventLog) {
        guard let preview = log.preview else { return nil }
        isUsable = preview.stage >= .usable
        parts = preview.partCount - Int64(preview.missing.count)
        partCount = preview.partCount
    }
}

/// What is known about syncing without asking the network.
public struct SyncStatus: Hashable, Sendable {
    /// Events of this device that the server has not sealed yet.
    public let unsealed: Int64
    /// How many of the server's events this device holds.
    public let cursor: Int64
    /// How many the server had when it was last heard of.
    public let head: Int64
    /// When a sync last succeeded, in milliseconds since 1970 UTC; `nil` for never.
    public let lastSuccess: Int64?
    /// Why the last sync failed, in a sentence; `nil` when it did not.
    public let lastFailure: String?
    /// What happened when the server was last found restored, or moved; `nil` for never.
    public let lastHealing: SyncHealing?
    /// How far a device that is new has come; `nil` for one that holds its events.
    public let arrival: SyncArrival?
}

extension Replica {
    /// What is known about syncing without asking the network.
    public func syncStatus() throws -> SyncStatus {
        try withStore { store in
            SyncStatus(
                unsealed: store.log.unsealedCount, cursor: store.log.cursor,
                head: max(store.log.cursor, try Memo.int(MemoName.head, in: &store.db) ?? 0),
                lastSuccess: try Memo.int(MemoName.lastSuccess, in: &store.db),
                lastFailure: try Memo.text(MemoName.lastFailure, in: &store.db),
                lastHealing: try SyncHealing.remembered(in: &store.db),
                arrival: SyncArrival(store.log))
        }
    }
}

extension Account {
    /// Syncs once: sends what the server does not have and takes what this device does not have,
    /// until both have everything.
    ///
    /// - Parameters:
    ///   - sharesFile: Lets other processes use the replica while the network is waited for.
    ///   - progress: Told after every page.
    /// - Throws: ``AccountError``. What has been exchanged so far is kept.
    @discardableResult
    public func sync(
        sharesFile: Bool = false,
        progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) async throws -> SyncProgress {
        var round = try SyncRound(self, sharesFile: sharesFile, progress: progress)
        return try await round.run()
    }

    /// Syncs now, after whatever is recorded here, as soon as another device has recorded something,
    /// and again and again: at least so often as asked, sooner after failures. Ends when the task that reads the stream is cancelled, or when nobody
    /// is signed in any more.
    ///
    /// - Parameter sharesFile: Lets other processes use the replica between and during exchanges.
    public func sync(
        every interval: Duration, sharesFile: Bool = false
    ) -> AsyncStream<SyncStatus> {
        let milliseconds = max(1, interval.components.seconds * 1_000)
        return AsyncStream { continuation in
            let task = Task {
                await keepSyncing(restMilliseconds: milliseconds, sharesFile: sharesFile) {
                    continuation.yield($0)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func keepSyncing(
        restMilliseconds: Int64, sharesFile: Bool,
        report: @escaping @Sendable (SyncStatus) -> Void
    ) async {
        let events = AsyncStream.makeStream(of: SyncSignal.self)
        let replica = replica
        // First of all: a machine that is off ignores what is recorded.
        events.continuation.yield(.event(.start))
        let watching = Task {
            for await _ in replica.changes.stream() { events.continuation.yield(.event(.recorded)) }
        }
        defer { watching.cancel() }
        let cursor = KnownCursor((try? replica.withStore { $0.log.cursor }) ?? 0)
        guard
            var round = try? SyncRound(
                self, restMilliseconds: restMilliseconds, sharesFile: sharesFile,
                progress: { cursor.set($0.cursor) }),
            var live = try? Listening(self)
        else { return }
        let listening = Task {
            await live.run(cursor: cursor) { events.continuation.yield(.news(head: $0)) }
        }
        defer { listening.cancel() }
        await withTaskCancellationHandler {
            await round.keepRunning(on: events) {
                if let status = try? replica.syncStatus() { report(status) }
                if sharesFile { replica.letGo() }
            }
        } onCancel: {
            events.continuation.finish()
        }
    }
}

/// What wakes the syncing.
enum SyncSignal: Sendable {
    case event(SyncMachine.Event)
    /// The hub's log is said to go that far.
    case news(head: Int64)
}

/// Performs the actions of the state machine: the one place where syncing touches socket and file.
struct SyncRound {
    private var machine: SyncMachine
    private var random = SystemRandomNumberGenerator()
    /// The greatest number of a device that the hub is known to have.
    private var admitted = (device: Identifier(high: 0, low: 0), seq: Int64(0))
    private var lastError: SyncError?
    /// What is known of the hub's log while it is another one than this device's.
    var healing = Healing()
    /// What the hub has refused of a snapshot, and how many steps it took.
    private var bootstrapping = Bootstrapping()
    let account: Account
    let transport: any Transport
    let sharesFile: Bool
    private let progress: @Sendable (SyncProgress) -> Void

    init(
        _ account: Account, restMilliseconds: Int64 = 60_000, sharesFile: Bool = false,
        progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) throws {
        guard let session = try account.session else { throw AccountError.signedOut }
        self.account = account
        self.sharesFile = sharesFile
        self.progress = progress
        transport = account.connect(try account.origin(session.server))
        machine = SyncMachine(
            eventsMax: Limits.pageEventsMax, restMilliseconds: restMilliseconds)
    }

    /// Runs until nothing is missing anywhere, or until the first failure.
    mutating func run() async throws -> SyncProgress {
        var event = SyncMachine.Event.start
        while true {
            try Task.checkCancellation()
            let actions = machine.handle(event, random: &random)
            guard let next = await perform(actions) else { break }
            event = next
        }
        remember()
        guard machine.state == .resting, let done = machine.progress else {
            throw lastError.map { AccountError($0) }
                ?? .sync("syncing was stopped", isOffline: false)
        }
        return SyncProgress(unsealed: done.unsealed, cursor: done.cursor, head: done.head)
    }

    /// Brings a snapshot on by one step, if that is what comes next.
    ///
    /// - Returns: How things stand then; `nil` when an ordinary exchange comes next.
    private mutating func bootstrap(eventsMax: Int) async throws -> SyncMachine.Progress? {
        let (account, transport, sharesFile) = (account, transport, sharesFile)
        let (replica, known) = (account.replica, admitted)
        let (before, head) = (bootstrapping, machine.progress?.head ?? 0)
        let (after, result) = try await account.offload(cancelling: transport) {
            var bootstrapping = before
            let result = Result<Arriving?, any Error> {
                guard let token = try account.session?.accessToken else {
                    throw AccountError.signedOut
                }
                let reading = replica.clock.read()
                let step = try replica.withStore { store in
                    try bootstrapping.next(
                        in: &store, head: head,
                        admitted: known.device == store.log.device ? known.seq : 0,
                        eventsMax: eventsMax, now: reading, accessToken: token)
                }
                switch step {
                case .exchange: return nil
                case .done: break
                case .send(let request, let asked):
                    if sharesFile { replica.letGo() }
                    // The hub may have to build it first.
                    let held =
                        if case .manifest = asked { LiveListener.waitSeconds } else { Int64(0) }
                    let answer = Account.send(request, transport, heldSeconds: held)
                    try replica.withStore { try bootstrapping.take(answer, for: asked, into: &$0) }
                }
                return try replica.withStore { store in
                    Arriving(
                        device: store.log.asker, arrival: SyncArrival(store.log),
                        progress: SyncMachine.Progress(
                            unsealed: store.log.unsealedCount, cursor: store.log.cursor,
                            head: max(head, bootstrapping.head, store.log.cursor),
                            isUnfinished: bootstrapping.isUnfinished(store),
                            snapshotSteps: bootstrapping.steps))
                }
            }
            return (bootstrapping, result)
        }
        // What was refused is remembered, also where it failed.
        bootstrapping = after
        guard let now = try result.get() else { return nil }
        if after.admitted != before.admitted { admitted = (now.device, after.admitted) }
        progress(
            SyncProgress(
                unsealed: now.progress.unsealed, cursor: now.progress.cursor,
                head: now.progress.head, arrival: now.arrival))
        return now.progress
    }

    /// How things stand after a step.
    private struct Arriving: Sendable {
        let device: Identifier
        let arrival: SyncArrival?
        let progress: SyncMachine.Progress
    }

    /// Runs until syncing is not allowed any more, or the stream of events ends.
    mutating func keepRunning(
        on events: (
            stream: AsyncStream<SyncSignal>, continuation: AsyncStream<SyncSignal>.Continuation
        ), report: () -> Void
    ) async {
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        for await signal in events.stream {
            var event: SyncMachine.Event?
            switch signal {
            case .event(let happened): event = happened
            // What the last exchange has brought is no news any more.
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
            remember()
            report()
            if case .stopped = machine.state { return }
        }
    }

    /// Performs an exchange or a renewal, if one is asked for, and says how it went.
    private mutating func perform(_ actions: [SyncMachine.Action]) async -> SyncMachine.Event? {
        var refusal: (any Error)?
        for action in actions {
            switch action {
            case .takeNewDevice:
                do { try takeNewDevice() } catch { refusal = error }
            case .exchange(let number, let eventsMax):
                do {
                    if let refusal { throw refusal }
                    let result = try await exchange(eventsMax: eventsMax)
                    lastError = nil
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
            case .heal(let number, let isFirst, let eventsMax):
                do {
                    if isFirst { healing = Healing() }
                    let isLast = try await heal(eventsMax: eventsMax)
                    lastError = nil
                    return .healed(exchange: number, isLast: isLast)
                } catch {
                    return .failed(exchange: number, note(error))
                }
            case .arm, .disarm: continue
            }
        }
        return nil
    }

    private func takeNewDevice() throws {
        let device = account.replica.newID()
        try account.replica.withStore { try $0.leaveDevice(for: device) }
    }

    private mutating func note(_ error: any Error) -> SyncMachine.Failure {
        let error = error as? SyncError ?? SyncError(.storage(detail: "\(error)"))
        lastError = error
        admitted.seq = 0
        return error.failure
    }

    private mutating func exchange(eventsMax: Int) async throws -> SyncMachine.Progress {
        if let standing = try await bootstrap(eventsMax: eventsMax) { return standing }
        let (account, transport, sharesFile) = (account, transport, sharesFile)
        let (replica, known) = (account.replica, admitted)
        let next = replica.newID()
        let (answer, device, unsealed, cursor, arrival) = try await account.offload(
            cancelling: transport
        ) {
            guard let token = try account.session?.accessToken else { throw AccountError.signedOut }
            let reading = replica.clock.read()
            let message = try replica.withStore { store in
                try store.syncRequest(
                    eventsMax: eventsMax,
                    admitted: known.device == store.log.device ? known.seq : 0, now: reading)
            }
            if sharesFile { replica.letGo() }
            let request = SyncExchange.request(message, accessToken: token)
            let answer = try SyncExchange.answer(Account.send(request, transport))
            let (unsealed, cursor, arrival) = try replica.withStore { store in
                guard store.log.asker == message.device else {
                    throw SyncError(.storage(detail: "the device has taken a new name meanwhile"))
                }
                // Another process may have folded this page, or another one, meanwhile.
                if store.log.cursor == message.cursor { try Self.apply(answer, to: &store) }
                if store.log.owesOrphans { try store.leaveDevice(for: next) }
                return (store.log.unsealedCount, store.log.cursor, SyncArrival(store.log))
            }
            return (answer, message.device, unsealed, cursor, arrival)
        }
        admitted = (device, answer.admitted)
        let head = max(answer.head, cursor)
        progress(
            SyncProgress(unsealed: unsealed, cursor: cursor, head: head, arrival: arrival))
        return SyncMachine.Progress(
            unsealed: unsealed, cursor: cursor, head: head, isUnfinished: arrival != nil,
            snapshotSteps: bootstrapping.steps)
    }

    private static func apply(_ answer: SyncAnswer, to store: inout Store) throws {
        do { try store.apply(answer) } catch let error as LogError {
            throw SyncError(error)
        }
    }

    private func refresh() async throws {
        let (account, transport) = (account, transport)
        try await account.offload(cancelling: transport) {
            guard var session = try account.session else { throw AccountError.signedOut }
            let tokens = try AccountExchange.tokens(
                Account.send(AccountExchange.refresh(session.refreshToken), transport))
            session.accessToken = tokens.accessToken
            session.refreshToken = tokens.refreshToken
            try account.sessions.save(session)
        }
    }

    /// Remembers how it went, for those who ask later.
    private func remember() {
        let now = account.replica.now
        let (error, head) = (lastError, machine.progress?.head)
        try? account.replica.withStore { store in
            if let error {
                try Memo.set(MemoName.lastFailure, error.description, in: &store.db)
                try Memo.set(MemoName.lastFailureTime, now, in: &store.db)
            } else {
                try Memo.set(MemoName.lastFailure, String?.none, in: &store.db)
                try Memo.set(MemoName.lastSuccess, now, in: &store.db)
            }
            if let head { try Memo.set(MemoName.head, head, in: &store.db) }
        }
    }
}
