/// Admitting events and reading them (`protocol.md` §5, §6).
import MacrologEvents
import MacrologWire

extension SQLServerStore {
    package func eventBytes(of space: Space) throws(StoreError) -> Int64 {
        try read { db throws(Database.Failure) in try db.eventBytes(of: space) }
    }

    package func digests(
        of space: Space, upTo ns: [LogNumber]
    ) throws(StoreError) -> [PrefixDigest] {
        let missing = StoreError.failed("an event is missing in the middle of a log")
        guard ns.allSatisfy({ $0 >= 0 && $0 <= Place.numberMax }) else { throw missing }
        let found = try read { db throws(Database.Failure) -> [PrefixDigest]? in
            var digests: [PrefixDigest] = []
            for n in ns {
                var found: PrefixDigest? = .empty
                if n > 0 {
                    found = try db.first(
                        "SELECT digest FROM event WHERE place = ?", try db.place(space, n)
                    ) { $0.digest(0) }
                }
                guard let digest = found else { return nil }
                digests.append(digest)
            }
            return digests
        }
        guard let found else { throw missing }
        return found
    }

    package func page(
        of space: Space, after n: LogNumber, for device: Identifier, limits: PageLimits
    ) throws(StoreError) -> Page {
        let cipher = try atRest.cipher(of: space)
        return try read { db throws(Database.Failure) in
            var page = Page(rows: [], end: n, digest: nil)
            var bytes: Int64 = 0
            // What does not fit is cut after it was read, so few rows are read where they may be long.
            var (step, isCut) = (min(limits.events, Self.firstStep), false)
            while !isCut, step > 0 {
                let count = page.rows.count
                try db.forEachWhile(
                    """
                    SELECT place, t, device, seq, digest, body FROM event
                    WHERE place > ? AND place <= ? ORDER BY place LIMIT ?
                    """, try db.place(space, min(page.end, LogNumber(Place.numberMax))),
                    try db.endPlace(of: space), step
                ) { row in
                    let isOwn = row.withBytes(2) { Identifier(bytes: $0) } == device
                    let content: SyncAnswer.Content =
                        isOwn
                        ? .own(seq: row.seq(3)) : .event(row.body(5, at: row.int(0), cipher))
                    if case .event(let body) = content {
                        // The answer consists of headers, which every admitted event has.
                        guard (try? body.withUnsafeBytes { try EventHeader.peeked($0) }) != nil
                        else {
                            row.damaged(5)
                            return false
                        }
                        isCut = !page.rows.isEmpty && bytes + Int64(body.count) > limits.bytes
                        guard !isCut else { return false }
                        bytes += Int64(body.count)
                    }
                    page.rows.append(SyncAnswer.Row(t: row.time(1), content: content))
                    page.end = row.number(0)
                    page.digest = row.digest(4)
                    return true
                }
                let read = Int64(page.rows.count - count)
                let left = limits.events - Int64(page.rows.count)
                // As long as those before, the rows of another step fit in.
                let fitting =
                    bytes == 0 ? left : (limits.bytes - bytes) * Int64(page.rows.count) / bytes
                step = read < step ? 0 : min(left, max(Self.firstStep, fitting))
            }
            return page
        }
    }

    /// How many events of a page are read at first.
    private static var firstStep: Int64 { 64 }

    package func push(_ push: Push, then done: @escaping Done<PushOutcome>) {
        let cipher: AccountCipher
        do throws(StoreError) { cipher = try atRest.cipher(of: push.space) } catch {
            return done(.failure(error))
        }
        change(
            .push(push, cipher),
            { db, overlay in try Admission(push, cipher, &db, &overlay).run(&db, &overlay) },
            then: done)
    }
}

/// One push inside the writer's transaction.
private struct Admission {
    let push: Push
    let cipher: AccountCipher
    let key: DeviceKey
    let before: SpaceHead
    let known: DeviceHead

    init<Database: SQLDatabase & ~Copyable>(
        _ push: Push, _ cipher: AccountCipher, _ db: inout Database, _ overlay: inout LogOverlay
    ) throws(Database.Failure) {
        self.push = push
        self.cipher = cipher
        key = DeviceKey(space: push.space, device: push.device)
        if let head = overlay.space(push.space) {
            before = head
        } else {
            before = try db.head(of: push.space)
        }
        if let head = overlay.device(key) {
            known = head
        } else {
            known = try db.head(of: key, cipher)
        }
    }

    /// Validates everything before the first write.
    func run<Database: SQLDatabase & ~Copyable>(
        _ db: inout Database, _ overlay: inout LogOverlay
    ) throws(Database.Failure) -> PushOutcome {
        if let difference = try difference(&db, &overlay) { return .differs(difference) }
        guard let next = known.seq.successor() else { throw .number("no event can follow") }
        if let first = push.events.first, first.header.dot.seq > next {
            return .expected(seq: next)
        }
        var new = push.events.drop { $0.header.dot.seq <= known.seq }
        if let problem = try reuse(in: push.events.prefix(push.events.count - new.count), &db) {
            return problem
        }
        var times: [SealedTime] = []
        times.reserveCapacity(new.count)
        var last = known.base
        var seen = (base: before.n, t: before.t)
        for event in new {
            let base = event.header.base.n
            // The base must not decrease either: a one-integer vector clock depends on that.
            guard base >= last, base <= before.n else {
                return .unknownBase(seq: event.header.dot.seq)
            }
            last = base
            if base != seen.base {
                if let t = overlay.greatestTime(push.space, upTo: base) {
                    seen = (base, t)
                } else {
                    seen = (base, try db.greatestTime(push.space, upTo: base))
                }
            }
            times.append(seen.t)
        }
        let firsts = known.seq == .zero && !new.isEmpty ? 1 : 0
        guard try db.hasRoom(for: firsts, in: push.quota, of: push.space) else { return .overQuota }
        // Admits what fits; refuses only if nothing fits.
        let stored: Int64
        if let known = overlay.eventBytes(of: push.space) {
            stored = known
        } else {
            stored = try db.eventBytes(of: push.space)
        }
        let fitting = push.quota.fitting(
            new.lazy.map { $0.body.count }, besides: before.n, stored)
        guard fitting > 0 || new.isEmpty else { return .overQuota }
        new = new.prefix(fitting)
        return try admit(new, greatestTimes: times, &db, &overlay)
    }

    /// How the log differs from the device's.
    private func difference<Database: SQLDatabase & ~Copyable>(
        _ db: inout Database, _ overlay: inout LogOverlay
    ) throws(Database.Failure) -> ClaimedPrefix.Difference? {
        guard let claim = push.claim else { return nil }
        let cursor = claim.cursor
        var digest: PrefixDigest? = cursor == 0 ? .empty : overlay.digest(push.space, upTo: cursor)
        if digest == nil, cursor <= before.n {
            digest = try db.first(
                "SELECT digest FROM event WHERE place = ?", try db.place(push.space, cursor)
            ) { $0.digest(0) }
        }
        return claim.difference(from: before, digest)
            ?? claim.difference(of: push.events, from: before.epoch)
    }

    /// The refusal of a push whose events are not those that the log has under the same dots.
    private func reuse<Database: SQLDatabase & ~Copyable>(
        in events: ArraySlice<PushedEvent>, _ db: inout Database
    ) throws(Database.Failure) -> PushOutcome? {
        guard let first = events.first, let last = events.last else { return nil }
        var hashes: [Seq: [UInt8]] = [:]
        try db.forEach(
            "SELECT seq, hash FROM event WHERE space = ? AND device = ? AND seq BETWEEN ? AND ?",
            push.space, push.device.bytes, first.header.dot.seq.rawValue,
            last.header.dot.seq.rawValue
        ) { row in hashes[row.seq(0)] = row.bytes(1) }
        let other = events.first { hashes[$0.header.dot.seq] != SHA256.bytes($0.hash) }
        return other.map { .dotReuse(seq: $0.header.dot.seq) }
    }

    private func admit<Database: SQLDatabase & ~Copyable>(
        _ events: ArraySlice<PushedEvent>, greatestTimes: [SealedTime], _ db: inout Database,
        _ overlay: inout LogOverlay
    ) throws(Database.Failure) -> PushOutcome {
        var head = before
        var own = known
        var rows: [SyncAnswer.Row] = []
        rows.reserveCapacity(events.count)
        var added: [NewEvent] = []
        added.reserveCapacity(events.count)
        let device = push.device.bytes
        for (event, greatest) in zip(events, greatestTimes) {
            let t = Sealing.time(age: event.age, now: push.now, floor: max(greatest, own.t))
            let place = try db.place(push.space, head.n.successor())
            head.n = Place.number(place)
            head.t = max(head.t, t)
            head.digest.add(hash: event.hash, seal: Seal(n: head.n, t: t))
            own = DeviceHead(
                seq: event.header.dot.seq, t: t, base: event.header.base.n)
            added.append(
                NewEvent(
                    place: place, t: t, greatest: head.t, device: device, seq: own.seq,
                    hash: SHA256.bytes(event.hash), digest: head.digest.bytes,
                    stored: cipher.stored(event.body, at: place), bytes: event.body.count,
                    mentions: event.mentions))
            rows.append(SyncAnswer.Row(t: t, content: .own(seq: own.seq)))
        }
        try db.add(added, to: push.space, now: push.now, &overlay)
        overlay.set(head, of: push.space)
        overlay.set(own, of: key)
        return .admitted(before: before, rows: rows, after: head, seq: own.seq)
    }
}

extension SQLDatabase where Self: ~Copyable {
    mutating func head(of space: Space) throws(Failure) -> SpaceHead {
        let head = try first(
            """
            SELECT coalesce(account.epoch, server.epoch), event.place, event.t_max, event.digest
            FROM server LEFT JOIN account ON account.space = ?1
            LEFT JOIN event ON event.place = (
                SELECT max(last.place) FROM event AS last WHERE last.place > ?2 AND last.place <= ?3)
            """, space, try place(space, .zero), try endPlace(of: space)
        ) { $0.spaceHead(0) }
        guard let head else { throw .number("the store has no epoch") }
        return head
    }

    mutating func head(
        of key: DeviceKey, _ cipher: AccountCipher
    ) throws(Failure) -> DeviceHead {
        try first(
            """
            SELECT seq, t, body, place FROM event WHERE space = ? AND device = ?
            ORDER BY seq DESC LIMIT 1
            """, key.space, key.device.bytes
        ) { $0.deviceHead(0, cipher) } ?? .none
    }

    /// The greatest sealed time of the first `n` events.
    mutating func greatestTime(
        _ space: Space, upTo n: LogNumber
    ) throws(Failure) -> SealedTime {
        if n == 0 { return .zero }
        return try first(
            "SELECT t_max FROM event WHERE place = ?", try place(space, n)
        ) { $0.time(0) } ?? .zero
    }
}
