import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologRecovery
import MacrologEngine

/// What a device of a model world has on its disk, by `protocol.md` §6.4 to §6.7 and without a
/// database. A value: a backup is a copy, and a failed step leaves no trace.
struct ModelLog {
    private(set) var device: Identifier
    /// The device ID to which it rotates before it records or sends anything; usually `nil`.
    private(set) var next: Identifier?
    private(set) var epoch: UInt32 = 0
    /// The server's log, as far as it is held.
    private(set) var rows: [ModelRow] = []
    /// Events that were recorded under its device ID.
    private(set) var own: [ModelEvent] = []
    private(set) var sealedSeq: Int64 = 0
    private var lastSeqByName: [Identifier: Int64] = [:]
    /// Void events: an event that was sealed earlier has the same content.
    private var voids: Set<Int> = []
    /// Reissued events, by their first dot.
    private var reissues: [Dot: [ModelEvent]] = [:]
    /// Events of other devices that a server has lost.
    private(set) var orphans: [ModelEvent] = []
    private var fork: Int64?
    /// The sealed times from a server that has lost the events since, by serial.
    private var lostTimes: [Int: Int64] = [:]
    /// Folded events.
    private(set) var states: [EntityKey: EntityState] = [:]

    init(device: Identifier) { self.device = device }

    var cursor: Int64 { Int64(rows.count) }
    var digest: PrefixDigest { rows.last?.digest ?? .empty }
    var lastSeq: Int64 { Int64(own.count) }
    var unsealed: ArraySlice<ModelEvent> { own[Int(sealedSeq)...] }
    /// The device ID under which the server should be asked.
    var asker: Identifier { next ?? device }
    var owesOrphans: Bool { !orphans.isEmpty && next == nil && unsealed.isEmpty }

    /// Whether an event of this log is folded.
    func counts(_ event: ModelEvent) -> Bool { !voids.contains(event.serial) }

    /// The valid events that it holds, and the orphans that it holds.
    var facts: [UInt64] {
        rows.map(\.event).filter { counts($0) }.map(\.fact)
            + unsealed.filter { counts($0) }.map(\.fact)
    }

    // Recording.

    /// What a new event has seen of each device except its own.
    private func seen(upTo n: Int64, _ names: ModelNames) -> [Int64] {
        var clock = [Int64](repeating: 0, count: names.count)
        for row in rows.prefix(Int(n)) { clock[row.event.place] = row.event.event.dot.seq.rawValue }
        return clock
    }

    /// Records an action.
    mutating func record(
        _ changes: [Change], fact: UInt64, wall: Int64, monotonic: Int64, boot: UInt64,
        _ names: ModelNames
    ) -> ModelEvent {
        takeNext(names)
        let dot = Dot(device: device, seq: lastSeq + 1)
        var clock = seen(upTo: cursor, names)
        clock[names.place(of: device)] = dot.seq.rawValue
        let event = ModelEvent(
            Event(
                dot: dot, base: epoch == 0 ? .none : Base(epoch: epoch, n: cursor), wall: wall,
                type: "acted", changes: changes, group: Identifier(high: 0, low: fact)),
            names, clock: clock, monotonic: monotonic, boot: boot)
        own.append(event)
        fold(event, nil)
        return event
    }

    // Sync.

    /// Applies a page as a whole, or throws the reason why not.
    mutating func apply(
        epoch answered: UInt32, head: Int64, admitted: Int64, _ page: ArraySlice<ModelRow>,
        _ expected: PrefixDigest, _ names: ModelNames
    ) throws(ModelError) {
        if epoch != answered {
            guard epoch == 0 else { throw ModelError(.differs) }
            epoch = answered
        }
        guard admitted <= (next == nil ? lastSeq : 0) else { throw ModelError(.deviceIDTaken) }
        for row in page { try take(row, names) }
        guard digest == expected else { throw ModelError(.differs) }
        if cursor >= head { takeNext(names) }
    }

    private mutating func take(_ row: ModelRow, _ names: ModelNames) throws(ModelError) {
        let (event, t) = (row.event, row.seal.t.rawValue)
        let dot = event.event.dot
        if dot.device == device {
            // A device that has lost its memory gets even its own events with their bytes.
            let held = dot.seq <= lastSeq ? own[Int(dot.seq.rawValue) - 1] : nil
            if held === event {
                guard dot.seq == sealedSeq + 1 else { throw ModelError(.retry(after: 0)) }
                sealedSeq = dot.seq.rawValue
                rows.append(event, t: t)
                let seal = rows[rows.count - 1].seal
                for change in event.event.changes { states[change.entity]?.seal(dot, seal) }
                return
            }
            guard next != nil else { throw ModelError(.deviceIDTaken) }
            takeNext(names)
        }
        guard dot.seq == lastSeqByName[dot.device, default: 0] + 1 else {
            throw ModelError(.retry(after: 0))
        }
        lastSeqByName[dot.device] = dot.seq.rawValue
        rows.append(event, t: t)
        guard isFirst(event) else { return }
        fold(event, rows[rows.count - 1].seal)
    }

    /// Whether an event that has just been sealed is the first with its content.
    private mutating func isFirst(_ event: ModelEvent) -> Bool {
        guard !reissues.isEmpty || event.event.reissuedFrom != nil else { return true }
        note(event)
        for twin in twins(of: event) where twin.event !== event && counts(twin.event) {
            voids.insert(twin.isSealed ? event.serial : twin.event.serial)
            if twin.isSealed { return false }
            for change in twin.event.event.changes { refold(change.entity) }
        }
        return true
    }

    private mutating func note(_ event: ModelEvent) {
        guard let origin = event.event.reissuedFrom else { return }
        reissues[origin, default: []].append(event)
    }

    /// Duplicates of an event, sealed or of this device.
    private func twins(of event: ModelEvent) -> [(event: ModelEvent, isSealed: Bool)] {
        let name = event.event.original.dot
        let candidates = (reissues[name] ?? [])
        let sealed = rows.lazy.map(\.event).filter { [self] other in
            (other.event.dot == name || candidates.contains { $0 === other })
                && says(other, event)
        }
        let mine = unsealed.lazy.filter { other in
            (other.event.dot == name || candidates.contains { $0 === other })
                && says(other, event)
        }
        return sealed.map { ($0, true) } + mine.map { ($0, false) }
    }

    private func says(_ left: ModelEvent, _ right: ModelEvent) -> Bool {
        left === right || left.event.said == right.event.said
    }

    // Folding.

    private mutating func fold(_ event: ModelEvent, _ seal: Seal?) {
        let stamp = Stamp(dot: event.event.dot, base: event.event.base, seal: seal)
        for change in event.event.changes {
            states[change.entity, default: EntityState()].fold(change, stamp: stamp)
        }
    }

    private mutating func refold(_ entity: EntityKey) {
        var state = EntityState()
        for row in rows where counts(row.event) {
            for change in row.event.event.changes where change.entity == entity {
                state.fold(change, stamp: row.stamp)
            }
        }
        for event in unsealed where counts(event) {
            let stamp = Stamp(dot: event.event.dot, base: event.event.base, seal: nil)
            for change in event.event.changes where change.entity == entity {
                state.fold(change, stamp: stamp)
            }
        }
        states[entity] = state.isEmpty ? nil : state
    }

    /// Folds everything again.
    mutating func refold() {
        let entities = Array(states.keys)
        for entity in entities { refold(entity) }
    }

    // Rotation of the device ID.

    /// Nothing more is recorded or sent under the device ID, because another file uses it too.
    mutating func leave(for name: Identifier, _ names: ModelNames) {
        next = name
        if unsealed.isEmpty { takeNext(names) }
    }

    private mutating func takeNext(_ names: ModelNames) {
        guard let name = next else { return }
        let tail = unsealed.filter { counts($0) }
        // From here on, events with the old ID count as another device's.
        for event in unsealed { voids.remove(event.serial) }
        // The server's events with the old ID follow those that it had sealed.
        if sealedSeq > 0 { lastSeqByName[device] = sealedSeq }
        (device, next, own, sealedSeq) = (name, nil, [], 0)
        for event in tail { reissue(event, names) }
        while own.isEmpty, !orphans.isEmpty { issueOrphans(names) }
        if orphans.isEmpty { fork = nil }
        refold()
    }

    private mutating func reissue(_ old: ModelEvent, _ names: ModelNames) {
        let dot = Dot(device: device, seq: lastSeq + 1)
        var event = old.event.reissued(as: dot)
        if let fork, event.base.n > fork { event.base = Base(epoch: epoch, n: fork) }
        var clock = seen(upTo: event.base.n.rawValue, names)
        clock[names.place(of: device)] = dot.seq.rawValue
        let new = ModelEvent(
            event, names, clock: clock, monotonic: old.monotonic, boot: old.boot,
            lostTime: lostTimes[old.serial] ?? old.lostTime)
        own.append(new)
        note(new)
        for change in event.changes where states[change.entity] == nil {
            states[change.entity] = EntityState()
        }
    }

    private mutating func issueOrphans(_ names: ModelNames) {
        guard let author = orphans.first?.event.dot.device else { return }
        var base: Int64 = 0
        for orphan in orphans where orphan.event.dot.device == author {
            if !twins(of: orphan).contains(where: { counts($0.event) }) {
                // The base of one device ID never decreases: the rest needs another ID.
                let next = min(orphan.event.base.n.rawValue, fork ?? .max)
                guard next >= base else { break }
                base = next
                reissue(orphan, names)
            }
            orphans.removeAll { $0 === orphan }
        }
    }

    // Recovery.

    /// The server's log has all of this one.
    mutating func adopt(_ epoch: UInt32) { self.epoch = epoch }

    /// Begins a recovery.
    func recovering() -> Recovering {
        var held = HeldDigests()
        for row in rows {
            held.add(
                PrefixDigest.summand(hash: row.event.hash, seal: row.seal), at: row.seal.n.rawValue)
        }
        return Recovering(cursor: cursor, held: held)
    }

    /// What the server has lost after a number.
    func healRequest(
        after: Int64, eventsMax: Int
    ) -> (message: HealRequest, rows: ArraySlice<ModelRow>) {
        let given = rows[Int(after)...].prefix(eventsMax)
        let message = HealRequest(
            after: after, rows: given.map { HealRequest.Row(t: $0.seal.t, body: []) },
            digest: rows.digest(upTo: after + Int64(given.count)))
        return (message, given)
    }

    /// Continues from where the server's log continues otherwise.
    mutating func fork(after n: Int64, epoch: UInt32, as name: Identifier) {
        self.epoch = epoch
        next = next ?? name
        fork = min(fork ?? .max, n)
        orphans += rows[Int(n)...].map(\.event).filter {
            $0.event.dot.device != device && counts($0)
        }
        for row in rows[Int(n)...] { lostTimes[row.event.serial] = row.seal.t.rawValue }
        // Duplicates by other devices may arrive again there, and be the first with their content.
        for row in rows[Int(n)...] where row.event.event.dot.device != device {
            voids.remove(row.event.serial)
        }
        rows.removeSubrange(Int(n)...)
        lastSeqByName = [:]
        for row in rows {
            lastSeqByName[row.event.event.dot.device] = row.event.event.dot.seq.rawValue
        }
        sealedSeq = lastSeqByName[device] ?? 0
        // Values that only such events held are held by none now.
        for event in unsealed {
            voids.remove(event.serial)
            if twins(of: event).contains(where: { $0.isSealed && counts($0.event) }) {
                voids.insert(event.serial)
            }
        }
        refold()
    }
}

/// Why a page was rejected.
struct ModelError: Error {
    let errorClass: SyncMachine.ErrorClass

    init(_ errorClass: SyncMachine.ErrorClass) { self.errorClass = errorClass }
}
