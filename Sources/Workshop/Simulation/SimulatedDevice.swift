import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologLog
import Macrolog
import MacrologNutritionModels
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import MacrologEngine
import MacrologSystem
import MacrologTestSupport

/// A device of the simulated world: the real store and the real state machine on simulated clocks,
/// a simulated disk and a simulated network.
final class SimulatedDevice {
    let name: String
    let path: String
    /// The folder of its files.
    let disk: FaultDisk
    private var opened: Store?
    /// Its open file, while it is switched on.
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
    /// Whether its requests are sent, and whether answers arrive.
    var sends = true
    var hears = true
    /// Whether it is online in both directions.
    var isOnline: Bool { sends && hears }
    /// How far its wall clock is ahead of the world's, in milliseconds.
    var skew: Int64 = 0
    var boot: Identifier
    /// When it booted, in the world's milliseconds.
    var bootedAt: Int64
    var admitted: Int64 = 0
    /// The device ID of the last request.
    private var asker: Identifier?
    private var askedAt: Int64 = 0
    /// The server's clock at the last exchange, and when that was, in the world's milliseconds.
    private var serverClock: (server: Int64, at: Int64)?
    /// The exchange that is awaited; answers to others are ignored.
    var awaited: Int?
    /// Its live channel: the state machine, the poll that it waits for, the poll after which it
    /// pauses, and when the last one began.
    var live = LiveListener()
    var awaitedPoll: Int?
    var pausedPoll: Int?
    var pollBegan: Int64 = 0
    /// What it has recorded since this was last read.
    private(set) var recorded: [(event: Event, seen: [Identifier: Int64])] = []
    /// What it was recording when the power failed: it may be there as a whole, or not.
    private var attempted: Set<Fact> = []
    /// Every device ID it ever had.
    private(set) var names: Set<Identifier> = []
    /// What distinguishes its file from a copy.
    let place: CloneDetector.Place
    /// The contents of the file beside its database at the backup; `nil` before the first one.
    var backup: [UInt8]?
    /// The photos that were taken with it.
    private(set) var ownPhotos: [[UInt8]] = []
    var lastError: SyncError?
    /// How far a recovery has come, and what it has asked; `nil` while none is running.
    private var recovering: (known: Recovering, asked: RecoveryRequest)?
    /// When it last verified its file, in the world's milliseconds; `nil` when that is due.
    var lookedAt: Int64?
    /// Events in which a bit flipped on its disk before it knew that they were sealed.
    var spoiled: [Dot: Fact] = [:]
    /// How many events it has reported as damaged and set aside.
    private(set) var toldSpoiled: Int64 = 0

    init(
        name: String, path: String, place: CloneDetector.Place? = nil, accessToken: String,
        restMilliseconds: Int64, now: Int64, random: inout Dice
    ) throws {
        self.name = name
        self.path = path
        try Blank.putReplica(at: path)
        disk = FaultDisk([path], beside: [InstanceFile(of: path).path])
        self.accessToken = accessToken
        self.place =
            place
            ?? CloneDetector.Place(
                machine: Array(name.utf8), file: FileBirth(path: name, inode: 1, birth: 1))
        boot = Identifier.v4(random: &random)
        bootedAt = now
        self.restMilliseconds = restMilliseconds
        machine = SyncMachine(eventsMax: 20, restMilliseconds: restMilliseconds)
        opened = try SimulatedDevice.open(path, self.place, &random, now)
        names.formUnion([store.log.device, store.log.asker])
    }

    private static func open(
        _ path: String, _ place: CloneDetector.Place, _ random: inout Dice, _ now: Int64
    ) throws -> Store {
        var store = try Store.open(
            try LogConnection.open(path, pages: .small, isAlone: true),
            newDevice: Identifier.v7(milliseconds: now, random: &random))
        try CloneDetector.detect(&store, at: path, place: place, random: &random, now: now)
        return store
    }

    private func newMachine() -> SyncMachine {
        SyncMachine(eventsMax: 20, restMilliseconds: restMilliseconds)
    }

    func reading(now: Int64) -> ClockSample {
        ClockSample(wall: now + skew, monotonic: now - bootedAt, boot: boot)
    }

    func record(_ drafts: [Draft], group: Identifier?, now: Int64) throws {
        try record(drafts.map { $0.grouped(group) }, now: now)
    }

    /// Undoes the last action, if there is one; returns its name.
    func undo(now: Int64, random: inout Dice) throws -> UTF8Text? {
        do throws(any Error) {
            let (drafts, undone) = try UndoableAction.undoLatest(
                passing: .max, in: &store, group: Identifier.v4(random: &random))
            try record(drafts, now: now)
            return undone.type
        } catch let error as LogError where error.isNoFault {
            return nil
        }
    }

    /// Redoes the last undone action, if there is one; returns its name.
    func redo(now: Int64, random: inout Dice) throws -> UTF8Text? {
        do throws(any Error) {
            let (drafts, redone) = try Undoing.redoLatest(
                passing: .max, in: &store, group: Identifier.v4(random: &random))
            try record(drafts, now: now)
            return redone.type
        } catch let error as LogError where error.isNoFault {
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

    /// How many sealed events of each device it holds: a version vector, counted row by row.
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

    /// The folder of its photos, which no backup of its database contains.
    var blobs: BlobFolder { BlobFolder(of: path) }

    /// A photo to attach: a new one, or an earlier one.
    func photo(_ dice: inout Dice) throws -> [UInt8] {
        if dice.percent(30), let old = dice.pick(ownPhotos) {
            // Named again: the server may have deleted it meanwhile.
            try store.forgetBlob(old)
            return old
        }
        let count = dice.roll(1...3_000)
        let photo = try blobs.keep((0..<count).map { _ in UInt8(truncatingIfNeeded: dice.next()) })
        ownPhotos.append(photo)
        return photo
    }

    /// What it has recorded since this was last read.
    func takeRecorded() -> [(event: Event, seen: [Identifier: Int64])] {
        defer { recorded = [] }
        return recorded
    }

    /// What it was recording when the power failed.
    func takeAttempted() -> Set<Fact> {
        defer { attempted = [] }
        return attempted
    }

    func rotateDeviceID(_ id: Identifier) throws {
        try store.beginRotation(to: id)
        names.formUnion([store.log.device, store.log.asker])
    }

    /// Switches off: the file is closed.
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

    /// Switches on: only the contents of the disk survive.
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

    /// Verifies its file, and rebuilds read models that are wrong.
    func look(now: Int64, next: Identifier) throws {
        if let lookedAt, now - lookedAt < 60_000 { return }
        lookedAt = now
        var verification = Verification()
        defer { toldSpoiled += verification.lost }
        while !verification.isDone { try store.verify(&verification, next: next) }
        guard verification.isSound else { throw SyncError(.damaged) }
    }

    /// Verifies only unsealed events.
    func lookAtQueue(next: Identifier) throws {
        var verification = Verification()
        defer { toldSpoiled += verification.lost }
        try store.verify(&verification, next: next)
    }

    func request(eventsMax: Int, pushMax: Int, now: Int64) throws -> HTTPRequest {
        recovering = nil
        let message = try store.syncRequest(
            eventsMax: eventsMax, pushMax: pushMax, admitted: admitted, now: reading(now: now),
            serverNow: serverClock.map { $0.server + now - $0.at })
        (asker, askedAt) = (message.device, now)
        return SyncExchange.request(message, accessToken: accessToken)
    }

    /// The next step of a recovery.
    func recoverRequest(isFirst: Bool, eventsMax: Int) throws -> HTTPRequest? {
        let known = try isFirst ? store.recovering() : recovering?.known ?? store.recovering()
        recovering = nil
        let asked = try known.request(of: &store, eventsMax: eventsMax, accessToken: accessToken)
        recovering = asked.map { (known, $0) }
        return asked?.request
    }

    /// An exchange failed; `nil` when the failure comes too late.
    func fail(_ error: SyncError, exchange: Int) -> SyncMachine.Event? {
        guard awaited == exchange else { return nil }
        (awaited, lastError) = (nil, error)
        return .failed(exchange: exchange, error.errorClass)
    }

    /// Applies the answer to an exchange; `nil` when it comes too late.
    func receive(
        _ result: Result<HTTPResponse, TransportError>, exchange: Int, next: Identifier
    ) -> SyncMachine.Event? {
        guard awaited == exchange else { return nil }
        awaited = nil
        do {
            defer { names.formUnion([store.log.device, store.log.asker]) }
            if recovering != nil { return try recover(result, exchange: exchange, next: next) }
            let answer = try SyncExchange.answer(result)
            guard asker == store.log.asker else {
                throw SyncError(.storage(detail: "the device has rotated its ID meanwhile"))
            }
            do throws(LogError) { try store.apply(answer) } catch {
                guard error.sqlite == nil else { throw error }
                throw SyncError(error)
            }
            admitted = answer.admitted.rawValue
            serverClock = (answer.now.rawValue, askedAt)
            if store.log.owesOrphans { try store.beginRotation(to: next) }
            return .answered(exchange: exchange, progress(head: answer.head.rawValue))
        } catch let error as SyncError {
            admitted = 0
            lastError = error
            return .failed(exchange: exchange, error.errorClass)
        } catch {
            lastError = SyncError(.storage(detail: "\(error)"))
            return .failed(exchange: exchange, .retry(after: 0))
        }
    }

    private func recover(
        _ result: Result<HTTPResponse, TransportError>, exchange: Int, next: Identifier
    ) throws -> SyncMachine.Event {
        guard let (begun, asked) = recovering else { preconditionFailure("nothing was asked") }
        var known = begun
        try learn { try known.learn(result, to: asked) }
        guard case .finish = known.action else {
            recovering = (known, asked)
            return .stepped(exchange: exchange, next: known.phase)
        }
        recovering = nil
        var done = RecoveryResult()
        try learn { done = try store.recover(known, as: next) }
        if done.hasRepaired { lookedAt = nil }
        return .recovered(exchange: exchange, hasRepaired: done.hasRepaired)
    }

    private func learn(_ body: () throws -> Void) throws {
        do { try body() } catch let error as LogError where error.sqlite == nil {
            throw SyncError(error)
        }
    }

    private func progress(head: Int64) -> SyncMachine.Progress {
        SyncMachine.Progress(
            unsealed: store.log.unsealedCount, cursor: store.log.cursor,
            head: max(head, store.log.cursor))
    }
}

extension LogError {
    /// Whether there is nothing to undo or redo, or it was changed, or compacted, meanwhile.
    fileprivate var isNoFault: Bool {
        guard case .history(let error) = code else { return false }
        return [.nothingToUndo, .nothingToRedo, .supersededByLaterEdits, .compacted]
            .contains(error.code)
    }
}
