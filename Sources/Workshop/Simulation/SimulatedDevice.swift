import MacrologEvents
import MacrologHTTP
import MacrologLog
import Macrolog
import MacrologReadModels
import MacrologSQLite
import MacrologEngine

/// A device of the simulated world: the real store and the real state machine on clocks, a disk and
/// a network of the world's own.
final class SimulatedDevice {
    let name: String
    let path: String
    /// Where its files lie.
    let disk: FaultDisk
    private var opened: Store?
    /// Its open file. It is switched on.
    // swift-format-ignore: NeverForceUnwrap
    var store: Store {
        _read { yield opened! }
        _modify { yield &opened! }
    }
    var machine: SyncMachine
    private let restMilliseconds: Int64
    var accessToken: String
    /// When its timer runs out, in the world's milliseconds.
    var timerAt: Int64?
    /// Whether its requests leave, and whether answers come.
    var sends = true
    var hears = true
    /// Whether it is cut off in no direction.
    var isOnline: Bool { sends && hears }
    /// What its wall clock is ahead of the world's, in milliseconds.
    var skew: Int64 = 0
    var boot: Identifier
    /// When it booted, in the world's milliseconds.
    var bootedAt: Int64
    var admitted: Int64 = 0
    /// Whom the last request came from.
    private var asker: Identifier?
    private var askedAt: Int64 = 0
    /// What the hub's clock said, and when it was asked, in the world's milliseconds.
    private var hubClock: (hub: Int64, at: Int64)?
    /// The exchange that is awaited; answers to others come too late.
    var awaited: Int?
    /// Its live channel: what it decides, the poll that it waits for, the one after which it
    /// pauses, and when the last one began.
    var live = LiveListener()
    var awaitedPoll: Int?
    var pausedPoll: Int?
    var pollBegan: Int64 = 0
    /// What it has recorded since it was last asked.
    private(set) var recorded: [(event: Event, seen: [Identifier: Int64])] = []
    /// What it was recording when the power failed: it may be there or not, whole.
    private var attempted: Set<Fact> = []
    /// Every name it ever had.
    private(set) var names: Set<Identifier> = []
    /// What tells its file from a copy.
    let place: Incarnation.Place
    /// What the file beside its database held when it was backed up; `nil` before the first time.
    var backup: [UInt8]?
    /// The photos that were taken with it.
    private(set) var ownPhotos: [[UInt8]] = []
    var lastError: SyncError?
    /// What it knows of the hub's log while that is another one, and what it has told of its own.
    private var healing = Healing()
    private var told: HealRequest?
    /// How far its search for damaged rows has come, while it is repairing.
    private var search: Repairing?
    /// When it last looked through its file, in the world's milliseconds; `nil` when that is due.
    var lookedAt: Int64?
    /// The events of which a bit flipped on its disk before it knew them to be sealed.
    var spoiled: [Dot: Fact] = [:]
    /// How many events it has said to be damaged and set aside.
    private(set) var toldSpoiled: Int64 = 0

    init(
        name: String, path: String, place: Incarnation.Place? = nil, accessToken: String,
        restMilliseconds: Int64, now: Int64, random: inout Dice
    ) throws {
        self.name = name
        self.path = path
        try Blank.putReplica(at: path)
        disk = FaultDisk([path], beside: [InstanceFile(of: path).path])
        self.accessToken = accessToken
        self.place =
            place
            ?? Incarnation.Place(
                machine: Array(name.utf8), file: FileBirth(path: name, inode: 1, birth: 1))
        boot = Identifier.v4(random: &random)
        bootedAt = now
        self.restMilliseconds = restMilliseconds
        machine = SyncMachine(eventsMax: 20, restMilliseconds: restMilliseconds)
        opened = try SimulatedDevice.open(path, self.place, &random, now)
        names.formUnion([store.log.device, store.log.asker])
    }

    private static func open(
        _ path: String, _ place: Incarnation.Place, _ random: inout Dice, _ now: Int64
    ) throws -> Store {
        var store = try Store.open(
            try Connection.open(path, pages: .small, isAlone: true),
            newDevice: Identifier.v7(milliseconds: now, random: &random))
        try Incarnation.settle(&store, at: path, place: place, random: &random, now: now)
        return store
    }

    private func newMachine() -> SyncMachine {
        SyncMachine(eventsMax: 20, restMilliseconds: restMilliseconds)
    }

    func reading(now: Int64) -> ClockReading {
        ClockReading(wall: now + skew, monotonic: now - bootedAt, boot: boot)
    }

    func record(_ actions: [Action], group: Identifier?, now: Int64) throws {
        try record(actions.map { Draft($0.type, $0.changes, group: group) }, now: now)
    }

    /// Takes back what was done last, if there is such a thing; says what that was.
    func undo(now: Int64) throws -> Text? {
        do throws(any Error) {
            guard let action = try UndoableAction.latest(in: &store) else { return nil }
            let (drafts, undone) = try action.takingBack(in: &store, wall: reading(now: now).wall)
            try record(drafts, now: now)
            return undone.type
        } catch let error as ReplicaError where error.isNoFault {
            return nil
        }
    }

    /// Does again what was taken back last, if there is such a thing; says what that was.
    func redo(now: Int64) throws -> Text? {
        do throws(any Error) {
            guard let undoing = try Undoing.latest(in: &store) else { return nil }
            let (drafts, redone) = try undoing.doingAgain(
                in: &store, wall: reading(now: now).wall)
            try record(drafts, now: now)
            return redone.type
        } catch let error as ReplicaError where error.isNoFault {
            return nil
        }
    }

    private func record(_ drafts: [Draft], now: Int64) throws {
        attempted = Set(drafts.map { Fact($0, wall: reading(now: now).wall) })
        let seen = try self.seen()
        for event in try store.record(drafts, at: reading(now: now)) {
            var seen = seen
            seen[event.dot.device] = event.dot.seq.rawValue
            recorded.append((event, seen))
        }
        attempted = []
        names.formUnion([store.log.device, store.log.asker])
    }

    /// How many sealed events of each name it holds: a version vector, counted row by row.
    private func seen() throws -> [Identifier: Int64] {
        var seen: [Identifier: Int64] = [:]
        try store.db.forEach(
            """
            SELECT device.id, max(dot & 0xFFFFFFFFFF) FROM seal JOIN device ON key = dot >> 40
            GROUP BY key
            """
        ) { row in
            seen[row.identifier(0)] = max(seen[row.identifier(0)] ?? 0, row.int(1))
        }
        return seen
    }

    /// Where its photos lie, which no backup of its database holds.
    var blobs: BlobFolder { BlobFolder(of: path) }

    /// A photo to be attached: a new one, or one that it had before.
    func photo(_ dice: inout Dice) throws -> [UInt8] {
        if dice.percent(30), let old = dice.pick(ownPhotos) {
            // Named anew: the hub may have deleted it meanwhile.
            try store.forgetPhoto(old)
            return old
        }
        let count = dice.roll(1...3_000)
        let photo = try blobs.keep((0..<count).map { _ in UInt8(truncatingIfNeeded: dice.next()) })
        ownPhotos.append(photo)
        return photo
    }

    /// What it has recorded since it was last asked.
    func takeRecorded() -> [(event: Event, seen: [Identifier: Int64])] {
        defer { recorded = [] }
        return recorded
    }

    /// What it was recording when it was cut off.
    func takeAttempted() -> Set<Fact> {
        defer { attempted = [] }
        return attempted
    }

    func takeNewDevice(_ id: Identifier) throws {
        try store.leaveDevice(for: id)
        names.formUnion([store.log.device, store.log.asker])
    }

    /// Switches off: nothing holds the file any more.
    func stop() {
        timerAt = nil
        live = LiveListener()
        (awaitedPoll, pausedPoll) = (nil, nil)
        awaited = nil
        lookedAt = nil
        admitted = 0
        machine = newMachine()
        opened = nil
    }

    /// Switches on: only what is on the disk is there.
    func start(now: Int64, random: inout Dice) throws {
        boot = Identifier.v4(random: &random)
        bootedAt = now
        do {
            opened = try SimulatedDevice.open(path, place, &random, now)
        } catch {
            // The power has failed while it was switched off or on.
            guard disk.isOff else { throw error }
            disk.restore(
                Damage.allCases.randomElement(using: &random) ?? .lost, seed: random.next())
            opened = try SimulatedDevice.open(path, place, &random, now)
        }
        names.formUnion([store.log.device, store.log.asker])
    }

    /// Looks through its file, and puts right what is derived.
    func look(now: Int64, next: Identifier) throws {
        if let lookedAt, now - lookedAt < 60_000 { return }
        lookedAt = now
        var verification = Verification()
        defer { toldSpoiled += verification.lost }
        while !verification.isDone { try store.verify(&verification, next: next) }
        guard verification.isSound else { throw SyncError(.damaged) }
    }

    /// Looks only through what waits to be sent.
    func lookAtQueue(next: Identifier) throws {
        var verification = Verification()
        defer { toldSpoiled += verification.lost }
        try store.verify(&verification, next: next)
    }

    func request(eventsMax: Int, pushMax: Int, now: Int64) throws -> HTTPRequest {
        (told, search) = (nil, nil)
        let message = try store.syncRequest(
            eventsMax: eventsMax, pushMax: pushMax, admitted: admitted, now: reading(now: now),
            hubNow: hubClock.map { $0.hub + now - $0.at })
        (asker, askedAt) = (message.device, now)
        return SyncExchange.request(message, accessToken: accessToken)
    }

    /// The next step of healing; `nil` when nothing can be told, which the answer would have said.
    func healRequest(isFirst: Bool, eventsMax: Int) throws -> HTTPRequest? {
        if isFirst { healing = Healing() }
        told = try store.healRequest(healing, eventsMax: eventsMax)
        return told.map { SyncExchange.request($0, accessToken: accessToken) }
    }

    /// The next step of repair.
    ///
    /// - Returns: `nil` when nothing needs to be asked, because the log is empty.
    func repairRequest(isFirst: Bool) throws -> HTTPRequest? {
        told = nil
        let search = isFirst ? nil : search
        let known = try search ?? store.repairing()
        self.search = known
        switch known.step {
        case .ask(let message): return SyncExchange.request(message, accessToken: accessToken)
        case .fetch(let message): return SyncExchange.request(message, accessToken: accessToken)
        case .mend: return nil
        }
    }

    /// What has kept it from asking; `nil` when that comes too late.
    func fail(_ error: SyncError, exchange: Int) -> SyncMachine.Event? {
        guard awaited == exchange else { return nil }
        (awaited, lastError) = (nil, error)
        return .failed(exchange: exchange, error.failure)
    }

    /// Takes in the answer to an exchange; `nil` when it comes too late.
    func receive(
        _ result: Result<HTTPResponse, TransportError>, exchange: Int, next: Identifier
    ) -> SyncMachine.Event? {
        guard awaited == exchange else { return nil }
        awaited = nil
        do {
            defer { names.formUnion([store.log.device, store.log.asker]) }
            if let told { return try heal(result, told, exchange: exchange, next: next) }
            if let search { return try repair(result, search, exchange: exchange, next: next) }
            let answer = try SyncExchange.answer(result)
            guard asker == store.log.asker else {
                throw SyncError(.storage(detail: "the device has taken a new name meanwhile"))
            }
            do { try store.apply(answer) } catch let error as LogError {
                throw SyncError(error)
            }
            admitted = answer.admitted.rawValue
            hubClock = (answer.now.rawValue, askedAt)
            if store.log.owesOrphans { try store.leaveDevice(for: next) }
            return .answered(exchange: exchange, progress(head: answer.head.rawValue))
        } catch let error as SyncError {
            admitted = 0
            lastError = error
            return .failed(exchange: exchange, error.failure)
        } catch {
            lastError = SyncError(.storage(detail: "\(error)"))
            return .failed(exchange: exchange, .retry(after: 0))
        }
    }

    private func repair(
        _ result: Result<HTTPResponse, TransportError>, _ known: Repairing, exchange: Int,
        next: Identifier
    ) throws -> SyncMachine.Event {
        var known = known
        switch known.step {
        case .ask: try learn { try known.learn(try SyncExchange.digestAnswer(result)) }
        case .fetch: try learn { try known.learn(try SyncExchange.answer(result)) }
        case .mend: break
        }
        search = known
        guard known.step == .mend else {
            return .repaired(exchange: exchange, isLast: false, hasChanged: false)
        }
        search = nil
        var mended = Mended()
        try learn { mended = try store.mend(known, as: next) }
        if mended.hasChanged { lookedAt = nil }
        return .repaired(exchange: exchange, isLast: true, hasChanged: mended.hasChanged)
    }

    private func learn(_ body: () throws -> Void) throws {
        do { try body() } catch let error as LogError { throw SyncError(error) }
    }

    private func progress(head: Int64) -> SyncMachine.Progress {
        SyncMachine.Progress(
            unsealed: store.log.unsealedCount, cursor: store.log.cursor,
            head: max(head, store.log.cursor))
    }

    private func heal(
        _ result: Result<HTTPResponse, TransportError>, _ told: HealRequest, exchange: Int,
        next: Identifier
    ) throws -> SyncMachine.Event {
        guard healing.learn(try SyncExchange.healAnswer(result), to: told) else {
            throw SyncError(.malformed(detail: "it does not fit what was asked"))
        }
        switch healing.step(cursor: store.log.cursor) {
        case .compare, .give: return .healed(exchange: exchange, isLast: false)
        case .done, .fork:
            try store.finish(healing, as: next)
            return .healed(exchange: exchange, isLast: true)
        }
    }
}

extension ReplicaError {
    /// Whether somebody has changed, or given up, what was to be taken back.
    fileprivate var isNoFault: Bool {
        switch reason {
        case .movedOn, .compacted: true
        default: false
        }
    }
}
