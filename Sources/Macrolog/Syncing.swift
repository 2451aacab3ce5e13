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
    /// Milliseconds since the last success; `nil` for never.
    public let sinceSuccess: Int64?
    /// Milliseconds since the first failure after the last success; `nil` when the last sync did
    /// not fail.
    public let failingFor: Int64?
    /// Whether the last sync failed because the server could not be reached.
    public let isOffline: Bool
    /// Which devices have what; `nil` while no server has told.
    public let receipts: DeviceReceipts?
    /// How this device's clock stands to the server's; `nil` while no server has told.
    public let clock: ClockComparison?
    /// Since when this device has recorded under a new name, because its file had been restored or
    /// copied or the server's log had changed: what its clock said, in milliseconds since 1970 UTC.
    /// `nil` when it never did.
    public let renamed: Int64?
    /// What was last found damaged here and put right; `nil` for never.
    public let lastRepair: SyncRepair?
    /// How far a device that is new has come; `nil` for one that holds its events.
    public let arrival: SyncArrival?
}

extension Replica {
    /// What is known about syncing without asking the network.
    public func syncStatus() throws -> SyncStatus {
        let now = clock.read()
        return try withStore { store in
            let failure = try Memo.text(MemoName.lastFailure, in: &store.db)
            let device = store.log.device
            return SyncStatus(
                unsealed: store.log.unsealedCount, cursor: store.log.cursor,
                head: max(store.log.cursor, try Memo.int(MemoName.head, in: &store.db) ?? 0),
                lastSuccess: try Memo.int(MemoName.lastSuccess, in: &store.db),
                lastFailure: failure,
                lastHealing: try SyncHealing.remembered(in: &store.db),
                sinceSuccess: try SyncMemory.elapsed(
                    since: MemoName.succeeded, now: now, in: &store.db),
                failingFor: failure == nil
                    ? nil
                    : try SyncMemory.elapsed(
                        since: MemoName.failingSince, now: now, in: &store.db),
                isOffline: try failure != nil && Memo.int(MemoName.isOffline, in: &store.db) == 1,
                receipts: try DeviceReceipts.remembered(now: now, in: &store)?.receipts,
                clock: try HubClock.remembered(in: &store.db)?.comparison(now: now),
                renamed: try store.log.hasFormerName(in: &store.db) ? device.v7Milliseconds : nil,
                lastRepair: try SyncRepair.remembered(in: &store.db),
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
        let done = try await round.run()
        // Photos come last, and what becomes of them changes nothing: ``Replica/photoStatus()``.
        _ = try? await sendPhotos(sharesFile: sharesFile)
        try Task.checkCancellation()
        return done
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
        // On a connection and a thread of their own, so that no photo holds up an event.
        let photos = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let sending = Task { await keepSendingPhotos(on: photos.stream, sharesFile: sharesFile) }
        defer {
            photos.continuation.finish()
            sending.cancel()
        }
        await withTaskCancellationHandler {
            await round.keepRunning(on: events) {
                if let status = try? replica.syncStatus() {
                    report(status)
                    if status.lastFailure == nil { photos.continuation.yield() }
                }
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
    /// The version of the protocol that is asked in: the newest, until the hub wants another.
    private var version: Int64
    /// What the hub's clock said in the last answer.
    private var hubClock: HubClock?
    /// Whether the hub can't know yet that this device has what the last answer brought.
    private var owesReceipt = false
    /// What is known of the hub's log while it is another one than this device's.
    var healing = Healing()
    /// What is known of damage.
    var repair = RepairState()
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
        version = account.versions.upperBound
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
        if machine.state == .resting { await settleReceipts() }
        guard machine.state == .resting, let done = machine.progress else {
            throw lastError.map { AccountError($0) }
                ?? .sync("syncing was stopped", isOffline: false)
        }
        return SyncProgress(unsealed: done.unsealed, cursor: done.cursor, head: done.head)
    }

    /// Brings a snapshot on by one step, if that is what comes next.
    ///
    /// - Returns: How things stand then; `nil` when an ordinary exchange comes next.
    private mutating func bootstrap(
        eventsMax: Int, version: Int64
    ) async throws -> SyncMachine.Progress? {
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
                        eventsMax: eventsMax, version: version, now: reading, accessToken: token)
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
            if machine.state == .resting { await askReceipts(isHasty: false) }
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
            case .exchange(let number, let eventsMax, let pushMax):
                do {
                    if let refusal { throw refusal }
                    try await look()
                    let result = try await inCommonVersion { round, version in
                        try await round.exchange(
                            eventsMax: eventsMax, pushMax: pushMax, version: version)
                    }
                    repair.done = nil
                    // What the server refuses is still refused, though others' events come.
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
            case .heal(let number, let isFirst, let eventsMax):
                do {
                    if isFirst { healing = Healing() }
                    let isLast = try await inCommonVersion { round, version in
                        try await round.heal(eventsMax: eventsMax, version: version)
                    }
                    lastError = nil
                    return .healed(exchange: number, isLast: isLast)
                } catch {
                    return .failed(exchange: number, note(error))
                }
            case .repair(let number, let isFirst):
                do {
                    let (isLast, hasChanged) = try await inCommonVersion { round, version in
                        try await round.mend(isFirst: isFirst, version: version)
                    }
                    return .repaired(exchange: number, isLast: isLast, hasChanged: hasChanged)
                } catch {
                    return .failed(exchange: number, note(error))
                }
            case .arm, .disarm: continue
            }
        }
        return nil
    }

    /// Asks in the version that is known to be understood; where the hub wants another that is
    /// spoken here, once more in that one, and in that from then on.
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

    private func takeNewDevice() throws {
        let device = account.replica.newID()
        try account.replica.withStore { try $0.leaveDevice(for: device) }
    }

    private mutating func note(_ error: any Error) -> SyncMachine.Failure {
        let isOwn = error is LogError
        let error = error as? SyncError ?? SyncError(.storage(detail: "\(error)"))
        // An event that can't be read, or that the server can't read, may be a damaged one.
        if isOwn || error.failure == .pushRefused(after: error.retryAfter) {
            repair.suspect(now: account.replica.clock.read().monotonic)
        }
        lastError = error
        admitted.seq = 0
        return error.failure
    }

    private mutating func exchange(
        eventsMax: Int, pushMax: Int, version: Int64
    ) async throws -> SyncMachine.Progress {
        if let standing = try await bootstrap(eventsMax: eventsMax, version: version) {
            return standing
        }
        let (account, transport, sharesFile) = (account, transport, sharesFile)
        let (replica, known) = (account.replica, admitted)
        let next = replica.newID()
        let (answer, standing, heard) = try await account.offload(
            cancelling: transport
        ) {
            guard let token = try account.session?.accessToken else { throw AccountError.signedOut }
            let reading = replica.clock.read()
            var message = try replica.withStore { store in
                try store.syncRequest(
                    eventsMax: eventsMax, pushMax: pushMax,
                    admitted: known.device == store.log.device ? known.seq : 0, now: reading)
            }
            message.version = version
            if sharesFile { replica.letGo() }
            let request = SyncExchange.request(message, accessToken: token)
            let answer = try SyncExchange.answer(Account.send(request, transport))
            let heard = HubClock(hub: answer.now, between: reading, and: replica.clock.read())
            let standing = try replica.withStore { store in
                guard store.log.asker == message.device else {
                    throw SyncError(.storage(detail: "the device has taken a new name meanwhile"))
                }
                // Another process may have folded this page, or another one, meanwhile.
                if store.log.cursor == message.cursor { try Self.apply(answer, to: &store) }
                if store.log.owesOrphans { try store.leaveDevice(for: next) }
                return (
                    device: message.device, unsealed: store.log.unsealedCount,
                    cursor: store.log.cursor, arrival: SyncArrival(store.log)
                )
            }
            return (answer, standing, heard)
        }
        admitted = (standing.device, answer.admitted)
        hubClock = heard
        owesReceipt = answer.rows.contains { row in
            if case .event = row.content { true } else { false }
        }
        let head = max(answer.head, standing.cursor)
        progress(
            SyncProgress(
                unsealed: standing.unsealed, cursor: standing.cursor, head: head,
                arrival: standing.arrival))
        return SyncMachine.Progress(
            unsealed: standing.unsealed, cursor: standing.cursor, head: head,
            isUnfinished: standing.arrival != nil, snapshotSteps: bootstrapping.steps)
    }

    private static func apply(_ answer: SyncAnswer, to store: inout Store) throws {
        do { try store.apply(answer) } catch let error as LogError {
            throw SyncError(error)
        }
    }

    private func refresh() async throws {
        let (account, transport) = (account, transport)
        try await account.offload(cancelling: transport) { try account.renewTokens(transport) }
    }

    /// Remembers how it went, for those who ask later.
    private func remember() {
        let reading = account.replica.clock.read()
        let (head, hub) = (machine.progress?.head, hubClock)
        let failure = lastError.map { (told: $0.description, isOffline: $0.isOffline) }
        try? account.replica.withStore { store in
            try SyncMemory.note(failure: failure, head: head, hub: hub, at: reading, in: &store)
        }
        // Should it fail, it is tried again after the next exchange; nothing depends on it.
        if lastError == nil { try? account.replica.compactIfDue() }
    }

    /// When nothing is left to do: lets the hub know what this device has, and asks what the others
    /// have. That is told, not needed: where it fails, nothing has failed.
    private mutating func settleReceipts() async {
        if owesReceipt {
            _ = try? await exchange(
                eventsMax: Limits.pageEventsMax, pushMax: Limits.pageEventsMax, version: version)
        }
        await askReceipts(isHasty: true)
    }

    private func askReceipts(isHasty: Bool) async {
        let (account, transport) = (account, transport)
        let replica = account.replica
        if sharesFile { replica.letGo() }
        try? await account.offload(cancelling: transport) {
            let reading = replica.clock.read()
            let isDue = try replica.withStore { store in
                try ReceiptQuestion.isDue(isHasty: isHasty, now: reading, in: &store)
            }
            guard isDue, let token = try account.session?.accessToken else { return }
            if sharesFile { replica.letGo() }
            let list = try AccountExchange.devices(
                Account.send(AccountExchange.listDevices(accessToken: token), transport))
            let heard = replica.clock.read()
            try replica.withStore { try DeviceReceipts.remember(list, at: heard, in: &$0) }
        }
    }
}
