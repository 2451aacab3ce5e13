import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import Testing

/// Goal: a log that was compacted comes to the same as one that was not, whatever arrives later, and is
/// append-only in every other way.
/// Method: devices and a server in memory, of which some compact; the real store.
@Suite struct CompactionTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    func id(_ low: UInt64) -> Identifier { Identifier(high: 0x0190_0000_0000_7000, low: low) }

    /// Adds a few meals, and edits each some times.
    ///
    /// - Parameter done: Called after each addition and edit.
    func live(
        _ device: Device, _ meals: ClosedRange<UInt64>, edits: Int, done: () throws -> Void = {}
    ) throws {
        for meal in meals {
            try device.record(
                "meal.added", .meal, id(meal),
                [
                    .set([
                        "local_date": LocalDate(day: day).value, "consumed": true,
                        "dish_name": "Oats", "energy": 380_000,
                    ])
                ])
            try done()
            for edit in 0..<edits {
                try device.record(
                    "meal.edited", .meal, id(meal),
                    [.set(["energy": .int(Int64(380_000 + edit)), "note": "a longer note"])])
                try done()
            }
        }
    }

    /// The same, syncing each time, so that each edit has seen the one before by its base.
    func live(
        _ device: Device, _ meals: ClosedRange<UInt64>, edits: Int, with server: inout SyncServer
    ) throws {
        try live(device, meals, edits: edits) { try device.sync(&server) }
    }

    /// The horizon that lies after everything recorded so far.
    func now(_ device: Device) -> Int64 { device.reading.wall + 1 }

    func bodies(_ device: Device) throws -> [[UInt8]] {
        try device.store.db.all(
            """
            SELECT body FROM seal JOIN event
            ON event.dot = seal.dot ORDER BY n
            """
        ) { $0.bytes(0) }
    }

    @Test func `a compacted log shows, sums up and folds to the same`() throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a"), try Device("b"))
        try live(phone, 1...8, edits: 5, with: &server)
        try phone.sync(&server)
        try laptop.sync(&server)
        let before = try phone.store.stateHash()
        let digest = phone.store.log.digest
        let trial = try phone.store.compact(before: now(phone), isTrial: true)
        #expect(try phone.store.compactedCount() == 0)
        let done = try phone.store.compact(before: now(phone))
        #expect(done == trial && done.events == 32 && done.bytes > 1_000)
        #expect(try phone.store.compactedCount() == 32)
        #expect(try phone.store.stateHash() == before)
        try phone.store.rebuild()
        #expect(try phone.store.stateHash() == before)
        #expect(phone.store.log.digest == digest)
        // Once is enough.
        #expect(try phone.store.compact(before: now(phone)).events == 0)
        try live(laptop, 9...9, edits: 1)
        try laptop.sync(&server)
        try phone.sync(&server)
        #expect(try phone.store.stateHash(touches: false) == laptop.store.stateHash(touches: false))
    }

    @Test func `what a damaged table no longer knows to be written over stays whole`() throws {
        var server = SyncServer()
        let phone = try Device("a")
        try live(phone, 1...2, edits: 3)
        let whole = try phone.store.stateHash()
        try phone.store.db.run("DELETE FROM entity")
        try phone.store.db.run("DELETE FROM touch")
        try phone.sync(&server)
        #expect(try phone.store.compact(before: now(phone)).events == 0)
        try phone.store.rebuild()
        try phone.sync(&server)
        #expect(try phone.store.stateHash(touches: false) != whole)
        #expect(try phone.store.meal(id(1))?.totals[.energy] == 380_002)
    }

    @Test func `nothing is given up for a damaged event that seems to have written over it`() throws
    {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a"), try Device("b"))
        // Two devices write without having seen each other: both writes stand.
        for (device, energy) in [(phone, 1), (laptop, 2)] as [(Device, Int64)] {
            try device.record("meal.edited", .meal, id(1), [.set(["energy": .int(energy)])])
        }
        for device in [phone, laptop, phone] { try device.sync(&server) }
        let conflicts = try phone.store.stateHash()
        try phone.unlock()
        let sound = try bodies(phone)[1]
        var spoiled = try Event.decoded(sound)
        spoiled.base = Base(epoch: 7, n: 1)
        try phone.store.db.run(
            "UPDATE event SET body = ? WHERE body = ?", spoiled.encoded(), sound)
        #expect(throws: LogError.self) { try phone.store.compact(before: now(phone)) }
        #expect(try phone.repair(from: server, as: id(77)).rows == 1)
        #expect(try phone.store.compact(before: now(phone)).events == 0)
        #expect(try phone.store.stateHash() == conflicts)
        try phone.store.rebuild()
        #expect(try phone.store.stateHash() == conflicts)
    }

    @Test func `a device from a drawer merges with compacted logs as with whole ones`() throws {
        var server = SyncServer()
        let (phone, laptop, tablet) = (try Device("a"), try Device("b"), try Device("c"))
        try live(phone, 1...2, edits: 1)
        try phone.sync(&server)
        try laptop.sync(&server)
        try tablet.sync(&server)
        // The tablet goes into the drawer; its last words are two years old when they are heard.
        try tablet.record("meal.edited", .meal, id(1), [.set(["energy": 1, "fat": 2])])
        try tablet.record("meal.deleted", .meal, id(2), [.delete])
        try live(phone, 3...3, edits: 9, with: &server)
        for edit in 0..<4 {
            for meal in 1...2 {
                try phone.record(
                    "meal.edited", .meal, id(UInt64(meal)), [.set(["energy": .int(Int64(edit))])])
                try phone.sync(&server)
            }
        }
        try phone.sync(&server)
        try laptop.sync(&server)
        #expect(try phone.store.compact(before: now(phone)).events > 10)
        try tablet.sync(&server)
        try phone.sync(&server)
        try laptop.sync(&server)
        let expected = try laptop.store.stateHash(touches: false)
        for device in [phone, tablet] {
            #expect(try device.store.stateHash(touches: false) == expected)
            #expect(device.store.log.digest == laptop.store.log.digest)
        }
        // The edit beside the newer one, and the deletion beside it: asked about everywhere.
        #expect(try phone.store.conflicts().count == 2)
        try phone.store.rebuild()
        #expect(try phone.store.stateHash(touches: false) == expected)
    }

    @Test func `what an event before the cutoff wrote stays, if only a later one wrote over it`()
        throws
    {
        var server = SyncServer()
        let phone = try Device("a")
        try live(phone, 1...1, edits: 2, with: &server)
        try phone.sync(&server)
        let cutoff = now(phone)
        phone.reading.wall += 86_400_000
        try phone.record(
            "meal.edited", .meal, id(1), [.set(["energy": 7, "note": "the last"])])
        try phone.sync(&server)
        // Of the first three only the second had been written over by then.
        #expect(try phone.store.compact(before: cutoff).events == 1)
        let skeletons = try bodies(phone).map { Skeleton.isSkeleton($0) }
        #expect(skeletons == [false, true, false, false])
    }

    @Test func `an action whose events lie on both sides of the cutoff stays whole`() throws {
        var server = SyncServer()
        let phone = try Device("a")
        let group = id(99)
        func draft(_ energy: Int64, _ group: Identifier?) -> Draft {
            let note = "a note that is long enough to be worth a skeleton in its place"
            return Draft(
                "meal.edited",
                [
                    Change(
                        EntityKey("meal", id(1)),
                        [.set(["energy": .int(energy), "note": .text(UTF8Text(note))])])
                ], group: group)
        }
        for energy in 1...2 {
            _ = try phone.store.record([draft(Int64(energy), nil)], at: phone.reading)
            try phone.sync(&server)
        }
        _ = try phone.store.record([draft(3, group), draft(4, group)], at: phone.reading)
        try phone.sync(&server)
        let cutoff = phone.reading.wall + 1
        phone.reading.wall += 86_400_000
        _ = try phone.store.record([draft(5, group)], at: phone.reading)
        try phone.sync(&server)
        let done = try phone.store.compact(before: cutoff)
        #expect(done.through == 2 && done.events == 1)
    }

    @Test func `what waits, what is newer and what was reissued is never given up`() throws {
        var server = SyncServer()
        let phone = try Device("a")
        try live(phone, 1...1, edits: 3)
        #expect(try phone.store.compact(before: now(phone)).events == 0)
        let meal = EntityKey("meal", id(2))
        for verb in 0..<3 {
            try phone.record(
                "meal.scanned", .meal, meal.id,
                [
                    .set(["note": "one"]),
                    .unknown(verb: Int64(7 + verb), arguments: ["long enough"]),
                ])
        }
        let next = Identifier(high: 0xA, low: 77)
        try phone.store.beginRotation(to: next)
        try live(phone, 3...3, edits: 0)
        try phone.sync(&server)
        #expect(try phone.store.compact(before: now(phone)).events == 0)
    }

    @Test func `the table of events lets skeletons in for sealed events, and nothing else`() throws
    {
        var server = SyncServer()
        let phone = try Device("a")
        try live(phone, 1...1, edits: 2, with: &server)
        try phone.sync(&server)
        try phone.record("meal.edited", .meal, id(1), [.set(["energy": 9])])
        let whole = try bodies(phone)[0]
        let skeleton = try whole.withUnsafeBytes { try Skeleton(of: $0, through: 3) }.encoded()
        func update(_ body: [UInt8], _ seq: Int64) throws {
            try phone.store.db.run(
                "UPDATE event SET body = ? WHERE dot & 0xFFFFFFFFFF = ?", body, seq)
        }
        // Another event, a skeleton of what is not sealed, another name, nothing at all.
        #expect(throws: LogError.self) { try update(whole + [0], 1) }
        #expect(throws: LogError.self) { try update(skeleton, 4) }
        #expect(throws: LogError.self) {
            try phone.store.db.run(
                "UPDATE event SET body = ?, dot = dot + 8 WHERE dot & 0xFFFFFFFFFF = 1", skeleton)
        }
        #expect(throws: LogError.self) { try phone.store.db.run("DELETE FROM event") }
        try update(skeleton, 1)
        // What was given up does not change any more.
        #expect(throws: LogError.self) { try update(whole, 1) }
        #expect(throws: LogError.self) { try update(skeleton, 1) }
    }

    @Test func `an interrupted compaction leaves whole transactions, and is begun again`() throws {
        var server = SyncServer()
        let phone = try Device("a")
        try live(phone, 1...120, edits: 9, with: &server)
        try phone.sync(&server)
        let before = try phone.store.stateHash()
        struct Interrupted: Error {}
        var log = phone.store.log
        let through = try log.compactionEnd(before: now(phone), in: &phone.store.db)
        var writers = Compaction.Writers()
        var position: Int64 = 0
        for round in 0..<2 {
            do {
                try phone.store.db.transaction { db in
                    let step = try log.compact(
                        through: through, after: position, remembering: &writers, in: &db)
                    position = step.position
                    if round == 1 { throw Interrupted() }
                }
            } catch is Interrupted {}
        }
        #expect(try (400...500).contains(phone.store.compactedCount()))
        #expect(try phone.store.compact(before: now(phone)).events > 0)
        #expect(try phone.store.compactedCount() == 120 * 8)
        #expect(try phone.store.stateHash() == before)
        try phone.store.rebuild()
        #expect(try phone.store.stateHash() == before)
    }

    @Test
    func
        `who gets skeletons from the server comes to the same, and recognises what was reissued`()
        throws
    {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a"), try Device("b"))
        try live(phone, 1...3, edits: 4, with: &server)
        try phone.sync(&server)
        try laptop.sync(&server)
        let original = try Event.decoded(server.rows[1].body)
        _ = try phone.store.compact(before: now(phone))
        // A server that was recovered by the phone holds what the phone holds.
        for (index, body) in try bodies(phone).enumerated() { server.rows[index].body = body }
        let new = try Device("n")
        try new.sync(&server)
        #expect(try new.store.compactedCount() == 9)
        #expect(new.store.log.compactedThrough == 15)
        #expect(try new.store.stateHash(touches: false) == laptop.store.stateHash(touches: false))
        // A copy of the phone, from before, reissues what the server has had for long.
        let copy = try Device("x")
        var event = original.reissued(as: Dot(device: copy.store.log.device, seq: 1))
        event.base = Base(epoch: 7, n: 0)
        let seal = Seal(n: Int64(server.rows.count) + 1, t: (server.now + 1) << 16)
        server.admit(event, seal)
        for device in [new, laptop, phone] { try device.sync(&server) }
        for device in [new, laptop, phone] {
            #expect(try device.store.db.first("SELECT count(*) FROM void") { $0.int(0) } == 1)
            #expect(
                try device.store.stateHash(touches: false)
                    == laptop.store.stateHash(touches: false))
        }
    }

    @Test func `what was given up, and comes back whole after a fork, is whole again`() throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a"), try Device("b"))
        try live(phone, 1...1, edits: 3, with: &server)
        try phone.sync(&server)
        #expect(try phone.store.compact(before: now(phone)).events == 2)
        // Another server has heard of the first three events alone, from a copy of the phone's file.
        var other = SyncServer()
        other.epoch = 8
        other.rows = Array(server.rows.prefix(3))
        for index in other.rows.indices { other.rows[index].t += 7 << 16 }
        let recovered = try phone.recover(from: &other, as: Identifier(high: 0xA, low: 78))
        #expect(recovered.fork == 0)
        for device in [phone, laptop, phone] { try device.sync(&other) }
        #expect(other.rows.count == 4)
        #expect(phone.store.log.digest == laptop.store.log.digest)
        #expect(try phone.store.stateHash(touches: false) == laptop.store.stateHash(touches: false))
        // The last edit, reissued, had seen nothing of this server's.
        #expect(try phone.store.conflicts().count == 1)
        try phone.store.rebuild()
        #expect(try phone.store.stateHash(touches: false) == laptop.store.stateHash(touches: false))
    }

    @Test func `what only its own device wrote over before it was sealed stays whole`() throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a"), try Device("b"))
        try live(phone, 1...1, edits: 0)
        try phone.sync(&server)
        for energy in [1, 2] as [Int64] {
            try phone.record("meal.edited", .meal, id(1), [.set(["energy": .int(energy)])])
        }
        try phone.sync(&server)
        try laptop.sync(&server)
        // The second edit had not seen the first by its base: reissued, it might not have.
        #expect(try phone.store.compact(before: now(phone)).events == 0)
        // Now the server is one of before the second edit, and no one but its author has that.
        server.epoch = 8
        server.rows.removeLast()
        let old = try Device("c")
        try old.sync(&server)
        try old.record("meal.edited", .meal, id(1), [.set(["note": "went on otherwise"])])
        try old.sync(&server)
        for device in [phone, laptop] {
            let next = Identifier(high: device === phone ? 0xA : 0xB, low: 78)
            #expect(try device.recover(from: &server, as: next).fork == 2)
        }
        for device in [phone, laptop, old, phone] { try device.sync(&server) }
        let state = try old.store.stateHash(touches: false)
        #expect(try phone.store.stateHash(touches: false) == state)
        #expect(try laptop.store.stateHash(touches: false) == state)
        #expect(try phone.store.conflicts().count == 1)
    }
}
