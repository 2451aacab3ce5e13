import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import MacrologTestSupport
import Testing

/// Goal: whatever a disk does to what was sealed, it is found, fetched again and folded again, and
/// what no one else has is neither touched nor in the way.
/// Method: a device that has synced with a small server is damaged by hand, one way after the other;
/// then it looks through its file and repairs it, and must be equal to one that no one touched.
@Suite struct RepairTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest
    let stranger = Identifier(high: 0xB, low: 1)
    let next = Identifier(high: 0xA, low: 0x1000)

    func meal(_ index: Int) -> Identifier {
        Identifier(high: 0x0190_0000_0000_7000, low: UInt64(index))
    }

    func fields(_ index: Int) -> [CellOperation] {
        [
            .set([
                "local_date": LocalDate(day: day).value, "consumed": true, "meal_type": "lunch",
                "dish_name": "Oats", "energy": .int(Int64(index) * 1_000),
            ])
        ]
    }

    /// Two devices that have recorded some meals each, in turns, and hold the same log.
    func world(_ server: inout SyncServer) throws -> (sound: Device, phone: Device) {
        let (sound, phone) = (try Device("a"), try Device("b", isOnDisk: true))
        for index in 1...40 {
            let device = index % 2 == 0 ? sound : phone
            try device.record("meal.added", .meal, meal(index), fields(index))
            if index % 5 == 0 {
                try device.record(
                    "meal.edited", .meal, meal(index), [.set(["dish_name": "Porridge"])])
            }
            try device.sync(&server)
        }
        try phone.record(
            "meal.added", .mealItem, meal(1_000),
            [.set(["meal_id": .bytes(meal(3).bytes), "name": "Milk", "energy": 50_000])])
        try phone.record(
            "weight.logged", .weighIn, meal(2_000),
            [.set(["local_date": LocalDate(day: day).value, "weight_g": 80_000])])
        try phone.sync(&server)
        try sound.sync(&server)
        try phone.sync(&server)
        try #require(try sound.store.stateHash() == phone.store.stateHash())
        return (sound, phone)
    }

    func look(_ device: Device) throws -> Verification { try device.look(next: next) }

    @discardableResult
    func repair(
        _ device: Device, _ server: SyncServer, meanwhile: () throws -> Void = {}
    ) throws -> (repaired: RecoveryResult, trips: Int) {
        var recovering = try device.store.recovering()
        var (trips, server) = (0, server)
        while true {
            switch recovering.action {
            case .ask(let request): try recovering.handle(.digests(server.digests(request)))
            case .fetch(let request):
                #expect(request.device == .zero && request.pushed.isEmpty)
                try recovering.handle(.rows(try server.exchange(request)))
            case .give(let after):
                let request = try device.store.healRequest(recovering, after: after, eventsMax: 500)
                try recovering.handle(.given(request, try server.heal(request)))
            case .finish:
                try meanwhile()
                return (try device.store.recover(recovering, as: next), trips)
            }
            trips += 1
        }
    }

    static let logDamages: [(String, StaticString)] = [
        (
            "a bit of another's event",
            """
            UPDATE event SET body = CAST(substr(body, 1, 70) || x'7f' || substr(body, 72) AS BLOB)
            WHERE dot = (SELECT dot FROM seal WHERE n = 9)
            """
        ),
        ("all bytes of an event", "UPDATE event SET body = x'00' WHERE dot & 0xFFFFFFFF = 7"),
        ("an event that is missing", "DELETE FROM event WHERE dot = 1 << 40 | 4"),
        ("all events", "DELETE FROM event"),
        ("a seal's time", "UPDATE seal SET t = t + 65536 WHERE n = 11"),
        ("a seal that is missing", "DELETE FROM seal WHERE n IN (5, 12, 13)"),
        ("the last seals missing", "DELETE FROM seal WHERE n > 40"),
        ("all seals", "DELETE FROM seal"),
        ("a seal of another event", "UPDATE seal SET dot = dot + 1000 WHERE n = 20"),
        (
            "a stored digest",
            "UPDATE seal SET digest = x'00112233445566778899aabbccddeeff' WHERE n = 8"
        ),
        (
            "the last digest",
            "UPDATE seal SET digest = zeroblob(16) WHERE n = (SELECT max(n) FROM seal)"
        ),
        ("all digests", "UPDATE seal SET digest = zeroblob(16)"),
    ]

    @Test(arguments: logDamages.indices)
    func `a damaged log is found by looking through it, and repaired from the server`(
        _ index: Int
    ) throws {
        let (name, sql) = Self.logDamages[index]
        var server = SyncServer()
        let (sound, phone) = try world(&server)
        try phone.unlock()
        try phone.store.db.run(sql)
        try phone.reopen()
        let found = try look(phone)
        if !name.hasPrefix("the last seals"), !name.hasPrefix("all seals") {
            #expect(!found.isSound, "\(name)")
        }
        try repair(phone, server)
        // What was lost at the end comes by the next exchange.
        try phone.sync(&server)
        #expect(phone.store.log.digest == sound.store.log.digest, "\(name)")
        #expect(try look(phone).isSound, "\(name)")
        #expect(try phone.store.stateHash() == sound.store.stateHash(), "\(name)")
        try phone.store.rebuild()
        #expect(try phone.store.stateHash() == sound.store.stateHash(), "\(name)")
        #expect(phone.store.log.unsealedCount == 0, "\(name)")
    }

    static let derivedDamages: [(String, StaticString)] = [
        ("a meal's sum", "UPDATE meal SET totals = (SELECT totals FROM meal LIMIT 1)"),
        ("a state", "UPDATE entity SET state = (SELECT state FROM entity LIMIT 1)"),
        ("a state that can't be read", "UPDATE entity SET state = x'00' WHERE kind = 'meal'"),
        ("a missing entity", "DELETE FROM entity WHERE kind = 'meal_item'"),
        ("no entities", "DELETE FROM entity"),
        (
            "a false touch",
            "INSERT OR IGNORE INTO touch SELECT id, kind, 1 << 40 | 2 FROM entity LIMIT 3"
        ),
        ("a touch of nothing", "INSERT INTO touch VALUES (zeroblob(16), 'meal', 1 << 40 | 99)"),
        ("missing meals", "DELETE FROM meal"),
        (
            "a meal too many",
            "INSERT INTO meal SELECT day + 1, id, slot, consumed, totals FROM meal"
        ),
        ("a weight", "UPDATE weigh_in SET grams = 1"),
        ("a lost item", "DELETE FROM meal_item"),
        (
            "an item that is none",
            "INSERT INTO meal_item SELECT meal, zeroblob(16) FROM meal_item"
        ),
        (
            "a day that no one spoke of",
            "INSERT INTO day_log VALUES (20000, zeroblob(16), 'complete', 'none')"
        ),
        ("a conflict that is none", "INSERT INTO conflict SELECT id, kind FROM entity LIMIT 2"),
        (
            "a quarantine that is none",
            "INSERT INTO quarantine SELECT id, kind, 'energy', 'x' FROM entity LIMIT 1"
        ),
    ]

    @Test(arguments: derivedDamages.indices)
    func `what was edited outside the log is folded again`(_ index: Int) throws {
        let (name, sql) = Self.derivedDamages[index]
        var server = SyncServer()
        let (sound, phone) = try world(&server)
        #expect(try look(phone).refolded == 0)
        try phone.store.db.run(sql)
        #expect(try phone.store.stateHash() != sound.store.stateHash(), "\(name)")
        let found = try look(phone)
        #expect(found.isSound && found.refolded > 0, "\(name)")
        #expect(try phone.store.stateHash() == sound.store.stateHash(), "\(name)")
        #expect(try look(phone).refolded == 0, "\(name)")
    }

    @Test func `a row of a meal that the file does not have gives way to the meal's own`() throws {
        let (sound, phone) = (try Device("a"), try Device("a"))
        try phone.store.db.run(
            "INSERT INTO meal (day, id, slot, consumed, totals) VALUES (?, ?, 'dinner', 0, x'00')",
            day.number, meal(2))
        for device in [sound, phone] {
            let drafts = (1...40).map { index in
                Draft("meal.added", [Change(EntityKey("meal", meal(index)), fields(index))])
            }
            _ = try device.store.record(drafts, at: device.reading)
        }
        #expect(try phone.store.stateHash() == sound.store.stateHash())
    }

    @Test func `events that were overwritten, and that nothing names any more, are named again`()
        throws
    {
        let phone = try Device("a")
        try phone.record("meal.added", .meal, meal(1), fields(1))
        try phone.record("meal.edited", .meal, meal(1), fields(1))
        let hash = try phone.store.stateHash()
        try phone.store.db.run("DELETE FROM touch")
        #expect(try phone.store.stateHash() != hash)
        #expect(try look(phone).refolded > 0)
        #expect(try phone.store.stateHash() == hash)
    }

    @Test func `an own event that is lost before anybody had it is not in the way of the others`()
        throws
    {
        for sql in [
            "UPDATE event SET body = x'00' WHERE dot = (SELECT max(dot) - 1 FROM event WHERE dot < 2 << 40)",
            "DELETE FROM event WHERE dot = (SELECT max(dot) - 1 FROM event WHERE dot < 2 << 40)",
        ] as [StaticString] {
            var server = SyncServer()
            let (sound, phone) = try world(&server)
            for index in 50...52 {
                try phone.record("meal.added", .meal, meal(index), fields(index))
            }
            try phone.unlock()
            try phone.store.db.run(sql)
            try phone.reopen()
            let found = try look(phone)
            #expect(found.isSound && found.lost == 1)
            try phone.sync(&server)
            try sound.sync(&server)
            #expect(phone.store.log.device == next)
            #expect(try sound.store.meal(meal(50)) != nil)
            #expect(try sound.store.meal(meal(51)) == nil)
            #expect(try sound.store.meal(meal(52)) != nil)
            #expect(try phone.store.stateHash() == sound.store.stateHash())
            #expect(try look(phone).lost == 0)
            try phone.store.rebuild()
            #expect(try phone.store.stateHash() == sound.store.stateHash())
        }
    }

    @Test func `what is damaged while a repair is under way is found by the next one`() throws {
        var server = SyncServer()
        let (sound, phone) = try world(&server)
        try phone.unlock()
        try phone.store.db.run("UPDATE seal SET t = t + 65536 WHERE n = 11")
        let first = try repair(phone, server) {
            try phone.store.db.run("UPDATE seal SET t = t + 1 WHERE n = 20")
        }
        #expect(first.repaired.rows == 1 && first.repaired.digests == 0)
        let second = try repair(phone, server)
        #expect(second.repaired.rows == 1 && second.repaired.fork == nil)
        #expect(try look(phone).isSound)
        #expect(try phone.store.stateHash() == sound.store.stateHash())
    }

    @Test func `what is sound here and other there is a fork, and nothing is given up`() throws {
        var server = SyncServer()
        let (_, phone) = try world(&server)
        // Under the same epoch, an old copy of the server's log has grown again.
        let facts = Set(try phone.store.latest(.max).map(\.event.changes))
        server.rows.removeLast(20)
        let tablet = try Device("c")
        for index in 60...90 {
            try tablet.record("meal.added", .meal, meal(index), fields(index))
        }
        try tablet.sync(&server)
        let (repaired, _) = try repair(phone, server)
        #expect(repaired.rows == 0 && repaired.fork != nil)
        for round in 0..<4 {
            try phone.sync(&server)
            if phone.store.log.owesOrphans {
                try phone.store.beginRotation(to: Identifier(high: 0xC, low: UInt64(round)))
            }
        }
        try tablet.sync(&server)
        #expect(facts.isSubset(of: Set(try tablet.store.latest(.max).map(\.event.changes))))
        #expect(try phone.store.stateHash() == tablet.store.stateHash())
    }

    @Test func `a server that answers at random is found out, and nothing is changed`() throws {
        var server = SyncServer()
        let (_, phone) = try world(&server)
        let before = try phone.store.stateHash()
        var random = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            var recovering = try phone.store.recovering()
            var steps = 0
            #expect(throws: LogError(.contradiction)) {
                while true {
                    steps += 1
                    switch recovering.action {
                    case .ask(let request):
                        let count = request.ranges.reduce(0) { $0 + $1.parts }
                        let digests = (0..<count).map { _ in
                            PrefixDigest(bytes: Identifier.v4(random: &random).bytes) ?? .empty
                        }
                        let head = LogNumber(Int64(server.rows.count))
                        try recovering.handle(
                            .digests(DigestAnswer(epoch: 7, head: head, digests: digests)))
                    case .fetch(let request):
                        try recovering.handle(.rows(try server.exchange(request)))
                    case .give, .finish: return
                    }
                }
            }
            #expect(steps <= 4)
        }
        #expect(try phone.store.stateHash() == before)
    }

    /// Three rows in 100,000, wherever they are.
    @Test(arguments: 0..<5 as Range<UInt64>)
    func `three bad rows in 100,000 are found in four round trips and 4 KB`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let count: Int64 = 100_000
        let bad = Set((0..<3).map { _ in Int64.random(in: 1...count, using: &dice) })
        let event = Event(
            dot: Dot(device: stranger, seq: 1), base: .none, wall: 0, type: "meal.edited",
            changes: [Change(EntityKey("meal", stranger), [.delete])])
        let body = event.encoded()
        let hash = body.withUnsafeBytes { SHA256.words($0) }
        var held = HeldDigests()
        var prefixes = [PrefixDigest.empty]
        for n in 1...count {
            let summand =
                bad.contains(n)
                ? PrefixDigest.summand(hash: hash, seal: Seal(n: n, t: n))
                : PrefixDigest(bytes: Identifier.v4(random: &dice).bytes) ?? .empty
            // A third of them is missing, the others have other bytes.
            if !bad.contains(n) {
                held.add(summand, at: n)
            } else if dice.next() % 3 != 0 {
                held.add(
                    PrefixDigest.summand(hash: hash, seal: Seal(n: n, t: n + 1)), at: n,
                    isSound: false)
            }
            var prefix = prefixes[prefixes.count - 1]
            prefix.add(summand)
            prefixes.append(prefix)
        }
        var recovering = Recovering(cursor: count, held: held)
        var (trips, bytes) = (0, 0)
        while case .ask(let request) = recovering.action {
            let answer = DigestAnswer(
                epoch: 7, head: LogNumber(count), digests: SyncServer.digests(request, prefixes))
            trips += 1
            bytes += request.encoded().count + answer.encoded().count
            try recovering.handle(.digests(answer))
        }
        #expect(trips <= 4, "seed \(seed)")
        #expect(bytes <= 4_096, "seed \(seed)")
        while case .fetch(let request) = recovering.action {
            let rows = (1...request.eventsMax).map { offset in
                SyncAnswer.Row(t: request.cursor.rawValue + offset, content: .event(body))
            }
            try recovering.handle(
                .rows(
                    SyncAnswer(
                        epoch: 7, head: count, admitted: 0, now: 0, rows: rows,
                        digest: prefixes[Int(request.cursor.rawValue + request.eventsMax)])))
        }
        #expect(recovering.found == bad.sorted(), "seed \(seed)")
        #expect(recovering.hasAllDifferences)
    }

    /// Found by the simulation, seed 92: the server refuses a base that goes back, for ever.
    @Test func `the number of an own event that is gone is not given to another`() throws {
        var server = SyncServer()
        let (sound, phone) = try world(&server)
        try phone.unlock()
        let last = phone.store.log.lastSeq
        try phone.store.db.run(
            "DELETE FROM event WHERE dot = (SELECT max(dot) FROM event WHERE dot < 2 << 40)")
        try phone.reopen()
        #expect(phone.store.log.lastSeq == last && phone.store.log.unsealedCount == 0)
        try phone.record("meal.added", .meal, meal(3_000), fields(1))
        #expect(phone.store.log.lastSeq == last + 1)
        try repair(phone, server)
        try phone.sync(&server)
        try sound.sync(&server)
        #expect(try sound.store.latest(1) == phone.store.latest(1))
        #expect(try sound.store.stateHash() == phone.store.stateHash())
    }

    @Test func `a device that lost its last seal says no less than it said before`() throws {
        var server = SyncServer()
        let (sound, phone) = try world(&server)
        try phone.unlock()
        let last = phone.store.log.cursor
        try phone.store.db.run("DELETE FROM seal WHERE n = ?", last)
        try phone.record("meal.added", .meal, meal(3_000), fields(1))
        try phone.reopen()
        #expect(phone.store.log.cursor == last - 1)
        try phone.record("meal.added", .meal, meal(3_001), fields(2))
        let bases = try phone.store.latest(2).map(\.event.base.n.rawValue)
        #expect(bases == [last, last])
        try phone.sync(&server)
        try sound.sync(&server)
        #expect(try sound.store.stateHash() == phone.store.stateHash())
    }
}
