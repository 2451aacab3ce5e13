import MacrologEvents
import MacrologLog
import MacrologEngine

/// What a device of a model world has on its disk, by `protocol.md` §6.4 to §6.7 and without a
/// database. A value: a backup is a copy, and a failed step leaves no trace.
struct ModelLog {
    private(set) var device: Identifier
    /// The name that it takes before it records or sends anything; `nil` mostly.
    private(set) var next: Identifier?
    private(set) var epoch: UInt32 = 0
    /// The hub's log, as far as it is held.
    private(set) var rows: [ModelRow] = []
    /// What was recorded under its name.
    private(set) var own: [ModelEvent] = []
    private(set) var sealedSeq: Int64 = 0
    private var lastSeqByName: [Identifier: Int64] = [:]
    /// What counts no more, because something that was sealed before says the same.
    private var voids: Set<Int> = []
    /// What was issued anew, by the first name.
    private var reissues: [Dot: [ModelEvent]] = [:]
    /// What a hub has lost, and others had recorded.
    private(set) var orphans: [ModelEvent] = []
    private var fork: Int64?
    /// The times that a hub had given what it has lost since, by serial.
    private var lostTimes: [Int: Int64] = [:]
    /// What is folded.
    private(set) var states: [EntityKey: EntityState] = [:]

    init(device: Identifier) { self.device = device }

    var cursor: Int64 { Int64(rows.count) }
    var digest: PrefixDigest { rows.last?.digest ?? .empty }
    var lastSeq: Int64 { Int64(own.count) }
    var unsealed: ArraySlice<ModelEvent> { own[Int(sealedSeq)...] }
    /// Whom the hub should be asked as.
    var asker: Identifier { next ?? device }
    var owesOrphans: Bool { !orphans.isEmpty && next == nil && unsealed.isEmpty }

    /// Whether an event of this log is folded.
    func counts(_ event: ModelEvent) -> Bool { !voids.contains(event.serial) }

    /// What it holds that counts, and what it holds for others.
    var facts: [UInt64] {
        rows.map(\.event).filter { counts($0) }.map(\.fact)
            + unsealed.filter { counts($0) }.map(\.fact)
    }

    // Recording.

    /// What somebody who records now has seen of each name, but for themselves.
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

    // The exchange.

    /// Takes a page as a whole, or throws why not.
    mutating func apply(
        epoch answered: UInt32, head: Int64, admitted: Int64, _ page: ArraySlice<ModelRow>,
        _ expected: PrefixDigest, _ names: ModelNames
    ) throws(ModelRefusal) {
        if epoch != answered {
            guard epoch == 0 else { throw ModelRefusal(.divergent) }
            epoch = answered
        }
        guard admitted <= (next == nil ? lastSeq : 0) else { throw ModelRefusal(.identityTaken) }
        for row in page { try take(row, names) }
        guard digest == expected else { throw ModelRefusal(.divergent) }
        if cursor >= head { takeNext(names) }
    }

    private mutating func take(_ row: ModelRow, _ names: ModelNames) throws(ModelRefusal) {
        let (event, t) = (row.event, row.seal.t.rawValue)
        let dot = event.event.dot
        if dot.device == device {
            // To whom has lost its memory even its own events come with their bytes.
            let held = dot.seq <= lastSeq ? own[Int(dot.seq.rawValue) - 1] : nil
            if held === event {
                guard dot.seq == sealedSeq + 1 else { throw ModelRefusal(.retry(after: 0)) }
                sealedSeq = dot.seq.rawValue
                rows.append(event, t: t)
                let seal = rows[rows.count - 1].seal
                for change in event.event.changes { states[change.entity]?.seal(dot, seal) }
                return
            }
            guard next != nil else { throw ModelRefusal(.identityTaken) }
            takeNext(names)
        }
        guard dot.seq == lastSeqByName[dot.device, default: 0] + 1 else {
            throw ModelRefusal(.retry(after: 0))
        }
        lastSeqByName[dot.device] = dot.seq.rawValue
        rows.append(event, t: t)
        guard isFirst(event) else { return }
        fold(event, rows[rows.count - 1].seal)
    }

    /// Whether an event that has just been sealed is the first to say what it says.
    private mutating func isFirst(_ event: ModelEvent) -> Bool {
        guard !reissues.isEmpty || event.event.origin != nil else { return true }
        note(event)
        for twin in twins(of: event) where twin.event !== event && counts(twin.event) {
            voids.insert(twin.isSealed ? event.serial : twin.event.serial)
            if twin.isSealed { return false }
            for change in twin.event.event.changes { refold(change.entity) }
        }
        return true
    }

    private mutating func note(_ event: ModelEvent) {
        guard let origin = event.event.origin else { return }
        reissues[origin, default: []].append(event)
    }

    /// What says the same, sealed or of this device.
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
        states[entity] = state.cells.isEmpty ? nil : state
    }

    /// Everything folded anew.
    mutating func refold() {
        let entities = Array(states.keys)
        for entity in entities { refold(entity) }
    }

    // New names.

    /// Nothing more is recorded or sent under the name: it is not this device's alone.
    mutating func leave(for name: Identifier, _ names: ModelNames) {
        next = name
        if unsealed.isEmpty { takeNext(names) }
    }

    private mutating func takeNext(_ names: ModelNames) {
        guard let name = next else { return }
        let tail = unsealed.filter { counts($0) }
        // What comes under the old name from here on comes as another's.
        for event in unsealed { voids.remove(event.serial) }
        // What the hub has under the old name follows what it had sealed of it.
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
                // A base never goes back under one name: the rest needs another.
                let next = min(orphan.event.base.n.rawValue, fork ?? .max)
                guard next >= base else { break }
                base = next
                reissue(orphan, names)
            }
            orphans.removeAll { $0 === orphan }
        }
    }

    // Healing.

    /// What the next step of healing tells; `nil` when everything has been told.
    func healRequest(
        _ healing: Healing, eventsMax: Int
    ) -> (message: HealRequest, rows: ArraySlice<ModelRow>)? {
        switch healing.step(cursor: cursor) {
        case .done, .fork: return nil
        case .compare(let numbers):
            let marks = numbers.map { HealRequest.Mark(n: $0, digest: rows.digest(upTo: $0)) }
            let digest = marks.last?.digest ?? .empty
            return (HealRequest(marks: marks, rows: [], digest: digest), [])
        case .give(let agreed):
            let given = rows[Int(agreed)...].prefix(eventsMax)
            let marks = [HealRequest.Mark(n: agreed, digest: rows.digest(upTo: agreed))]
            return (
                HealRequest(
                    marks: agreed == 0 ? [] : marks,
                    rows: given.map { HealRequest.Row(t: $0.seal.t, body: []) },
                    digest: rows.digest(upTo: agreed + Int64(given.count))), given
            )
        }
    }

    /// Ends a healing: goes on in the hub's epoch, or from where the hub's log goes on otherwise.
    mutating func finish(_ healing: Healing, as name: Identifier) {
        epoch = healing.epoch
        guard case .fork(let n) = healing.step(cursor: cursor) else { return }
        next = next ?? name
        fork = min(fork ?? .max, n)
        orphans += rows[Int(n)...].map(\.event).filter {
            $0.event.dot.device != device && counts($0)
        }
        for row in rows[Int(n)...] { lostTimes[row.event.serial] = row.seal.t.rawValue }
        // What others said twice there may come again, and be the first to say it.
        for row in rows[Int(n)...] where row.event.event.dot.device != device {
            voids.remove(row.event.serial)
        }
        rows.removeSubrange(Int(n)...)
        lastSeqByName = [:]
        for row in rows {
            lastSeqByName[row.event.event.dot.device] = row.event.event.dot.seq.rawValue
        }
        sealedSeq = lastSeqByName[device] ?? 0
        // What only such events had said before is said by nobody now.
        for event in unsealed {
            voids.remove(event.serial)
            if twins(of: event).contains(where: { $0.isSealed && counts($0.event) }) {
                voids.insert(event.serial)
            }
        }
        refold()
    }
}

/// Why a page was not taken.
struct ModelRefusal: Error {
    let failure: SyncMachine.Failure

    init(_ failure: SyncMachine.Failure) { self.failure = failure }
}
