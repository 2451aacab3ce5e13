import CMacrologPeer
import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import MacrologTestSupport
import MacrologWire
import Testing

/// Goal: the C engine of the benchmarks does the same work as ours; otherwise its speed says nothing about ours.
/// Method: invented histories of three devices, each with two files. One file is always our engine's; on the other
/// the dice decide for each page which engine takes it. Both must send the same requests, and hold the same rows.
@Suite struct PeerTests {
    private static let reading = ClockSample(
        wall: 1_800_000_000_000, monotonic: 5_000, boot: Identifier(high: 1, low: 1))

    private struct Refused: Error { let reason: String }

    /// The C engine on a file, until it is released.
    private final class Peer {
        let handle: OpaquePointer

        init(_ path: String) throws {
            handle = try #require(macrolog_peer_open(path))
            try check(0)
        }

        deinit { macrolog_peer_close(handle) }

        func check(_ code: Int32) throws {
            guard let error = macrolog_peer_error(handle) else { return #expect(code == 0) }
            throw Refused(reason: String(cString: error))
        }

        func request() throws -> [UInt8] {
            var clock = macrolog_peer_clock(
                wall: reading.wall, monotonic: reading.monotonic, boot_high: reading.boot.high,
                boot_low: reading.boot.low)
            var (bytes, count): (UnsafePointer<UInt8>?, Int) = (nil, 0)
            try check(macrolog_peer_request(handle, &clock, &bytes, &count))
            return Array(UnsafeBufferPointer(start: bytes, count: count))
        }

        func take(_ answer: [UInt8]) throws {
            try check(macrolog_peer_take(handle, answer, answer.count))
        }

        func conflictCount() throws -> Int {
            var count: Int64 = 0
            try check(macrolog_peer_conflicts(handle, &count))
            return Int(count)
        }

        func rebuild() throws { try check(macrolog_peer_rebuild(handle)) }
    }

    private static func store(_ path: String, device: UInt64 = 1) throws -> Store {
        try Store.open(
            try LogConnection.open(path, pages: .small, isAlone: true),
            newDevice: Identifier(high: device, low: device))
    }

    /// Every row of the log, and the hash of what is derived.
    private static func content(_ path: String) throws -> [[UInt8]] {
        var store = try store(path)
        var rows = [try store.stateHash()]
        let tables: [StaticString] = [
            "SELECT * FROM device ORDER BY key", "SELECT * FROM event ORDER BY dot",
            "SELECT * FROM seal ORDER BY n", "SELECT * FROM replica",
            "SELECT * FROM clock ORDER BY seq",
        ]
        for table in tables {
            try store.db.forEach(table) { row in
                var writer = CBORWriter()
                Store.write(row, &writer)
                rows.append(writer.bytes)
            }
        }
        return rows
    }

    private static func edit(_ dice: inout Dice) -> Draft {
        let day = LocalDate(
            day: Day(number: Int64(dice.below(3)) + 20_000) ?? .earliest,
            occurredAt: dice.below(2) == 0 ? 1_800_000_000_000 : nil,
            zone: dice.below(2) == 0 ? "Europe/Zurich" : nil,
            offsetMinutes: dice.below(2) == 0 ? -60 : nil)
        let all: [(UTF8Text, Value)] = [
            ("local_date", dice.below(9) == 0 ? .null : day.value),
            ("dish_name", .text(UTF8Text(["Oats", "Bò bún 🍜", ""][dice.below(3)]))),
            ("energy", dice.below(9) == 0 ? .null : .int(Int64(dice.below(3)) * 10_000_000)),
            ("protein", .int(Int64(dice.below(30)))), ("carbs", .int(Int64(dice.below(300)))),
            ("fat", .int(Int64(dice.below(2)) * 2_000_000)),
        ]
        var fields = ValueMap()
        let isWhole = dice.below(3) == 0
        for (name, value) in all where isWhole || dice.below(4) == 0 { fields[name] = value }
        if fields.entries.isEmpty { fields["fat"] = 7 }
        let meal = Identifier(high: 5, low: UInt64(dice.below(6)))
        return Draft("meal.edited", [Change(EntityKey("meal", meal), [.set(fields)])])
    }

    /// Sends what a device has and takes a page, until it has everything.
    private static func sync(
        _ ours: String, _ mixed: String, _ server: inout SyncServer, _ dice: inout Dice
    ) throws {
        while true {
            var one = try store(ours)
            let request = try one.syncRequest(eventsMax: 500, admitted: 0, now: reading)
            let isPeers = dice.below(3) > 0
            var answer: SyncAnswer?
            if isPeers {
                let peer = try Peer(mixed)
                #expect(try peer.request() == request.encoded())
                // Pages shorter than the request allows: entities meet old states more often.
                var shorter = request
                shorter.eventsMax = Int64(1 + dice.below(9))
                answer = try server.exchange(shorter)
                if let answer { try peer.take(answer.encoded()) }
            } else {
                answer = try server.exchange(request)
                var two = try store(mixed)
                if let answer { try two.apply(answer) }
            }
            if let answer { try one.apply(answer) }
            if one.log.unsealedCount == 0, one.log.cursor == server.rows.count { return }
        }
    }

    @Test(arguments: Dice.seeds(12))
    func `whichever engine takes a page, the file holds the same`(seed: UInt64) throws {
        try ScratchFolder.lend { folder in
            var dice = Dice(seed: seed)
            var server = SyncServer()
            let files = (1...3).map { ("\(folder)/ours\($0)", "\(folder)/mixed\($0)") }
            for (index, file) in files.enumerated() {
                _ = try Self.store(file.0, device: UInt64(index) + 1)
                _ = try Self.store(file.1, device: UInt64(index) + 1)
            }
            for _ in 0..<40 {
                let (ours, mixed) = files[dice.below(3)]
                if dice.below(3) == 0 {
                    try Self.sync(ours, mixed, &server, &dice)
                } else {
                    let drafts = (0...dice.below(4)).map { _ in Self.edit(&dice) }
                    // In one of three boots, with the wall clock set now and then.
                    let now = ClockSample(
                        wall: Self.reading.wall + Int64(dice.below(3)) * 1_000_000,
                        monotonic: 5_000,
                        boot: Identifier(high: 1 + UInt64(dice.below(3)), low: 1))
                    for path in [ours, mixed] {
                        var store = try Self.store(path)
                        try store.record(drafts, at: now)
                    }
                }
            }
            // Once to push, once more to hear of what the others have pushed since.
            for _ in 0..<2 {
                for (ours, mixed) in files { try Self.sync(ours, mixed, &server, &dice) }
            }
            let state = try Self.content(files[0].0)[0]
            for (ours, mixed) in files {
                let content = try Self.content(ours)
                #expect(content[0] == state)
                #expect(try Self.content(mixed) == content)
                var store = try Self.store(ours)
                let peer = try Peer(mixed)
                #expect(try peer.conflictCount() == store.conflicts().count)
                try peer.rebuild()
            }
            for (ours, mixed) in files { #expect(try Self.content(mixed) == Self.content(ours)) }
        }
    }

    @Test func `what the C engine empties it folds again, sealed or not`() throws {
        try ScratchFolder.lend { folder in
            let (path, twin) = ("\(folder)/a", "\(folder)/b")
            var dice = Dice(seed: 3)
            var server = SyncServer()
            for file in [path, twin] { _ = try Self.store(file) }
            for _ in 0..<2 {
                let drafts = (0..<30).map { _ in Self.edit(&dice) }
                for file in [path, twin] {
                    var store = try Self.store(file)
                    try store.record(drafts, at: Self.reading)
                }
                if server.rows.isEmpty { try Self.sync(path, twin, &server, &dice) }
            }
            let before = try Self.content(path)
            do {
                var store = try Self.store(path)
                try store.db.run("DELETE FROM entity")
                try store.db.run("DELETE FROM meal")
                try store.db.run("DELETE FROM touch")
                try store.db.run("INSERT OR IGNORE INTO conflict (id, kind) VALUES (x'00', 'meal')")
            }
            #expect(try Self.content(path) != before)
            try Peer(path).rebuild()
            #expect(try Self.content(path) == before)
        }
    }

    /// One row of another device, in an answer of its own.
    private func answer(_ fields: ValueMap, kind: UTF8Text = "meal") throws -> SyncAnswer {
        var server = SyncServer()
        let event = Event(
            dot: Dot(device: Identifier(high: 9, low: 9), seq: 1), base: .none, wall: 5, type: "x",
            changes: [Change(EntityKey(kind, Identifier(high: 1, low: 2)), [.set(fields)])])
        server.admit(event, Seal(n: 1, t: 1 << 16))
        return try server.exchange(
            SyncRequest(
                device: Identifier(high: 1, low: 1), epoch: 0, cursor: 0, digest: .empty, pushed: []
            ))
    }

    private let meal: ValueMap = [
        "local_date": LocalDate(day: .earliest).value, "dish_name": "Oats", "energy": 380_000,
    ]

    @Test func `what the C engine does not know it refuses, and the file stays as it was`() throws {
        let tomorrow: Value = [.int(99_999), .null, .null, .null]
        let wrong: [(UTF8Text, Value)] = [
            ("local_date", tomorrow), ("local_date", 5),
            ("local_date", [.int(1), .null, "Zürich", .null]),
            ("dish_name", .text(UTF8Text(String(repeating: "a", count: 201)))),
            ("dish_name", "a\u{85}b"), ("energy", -1), ("energy", 20_000_001), ("fat", 2_000_001),
            ("fat", "much"), ("note", "x"),
        ]
        var answers = try wrong.map { name, value in
            var fields = meal
            fields[name] = value
            return try answer(fields)
        }
        answers.append(try answer(meal, kind: "food"))
        try ScratchFolder.lend { folder in
            let path = "\(folder)/a"
            _ = try Self.store(path)
            let before = try Self.content(path)
            for answer in answers {
                let peer = try Peer(path)
                #expect(throws: Refused.self) { try peer.take(answer.encoded()) }
                #expect(throws: Refused.self) { try peer.rebuild() }
            }
            #expect(try Self.content(path) == before)
            try Peer(path).take(try answer(meal).encoded())
            #expect(try Self.content(path) != before)
        }
    }

    @Test func `both engines refuse the same damaged answers, and keep nothing of them`() throws {
        let answer = try answer(meal).encoded()
        try ScratchFolder.lend { folder in
            var files = 0
            func fresh() throws -> (ours: String, peer: String) {
                files += 1
                let pair = ("\(folder)/ours\(files)", "\(folder)/peer\(files)")
                for path in [pair.0, pair.1] { _ = try Self.store(path) }
                return pair
            }
            var pair = try fresh()
            let before = try Self.content(pair.ours)
            for index in answer.indices {
                for bit in [0, 7] {
                    var damaged = answer
                    damaged[index] ^= 1 << bit
                    let isOurs = Result {
                        var store = try Self.store(pair.ours)
                        try store.apply(try SyncAnswer.decoded(damaged))
                    }
                    let isPeers = Result { try Peer(pair.peer).take(damaged) }
                    let (ours, peers) = ((try? isOurs.get()) != nil, (try? isPeers.get()) != nil)
                    #expect(ours == peers, "byte \(index), bit \(bit)")
                    if !ours, !peers { continue }
                    #expect(try Self.content(pair.peer) == Self.content(pair.ours))
                    pair = try fresh()
                }
            }
            #expect(files > 1, "the server's clock may be another")
            #expect(try Self.content(pair.peer) == before)
            #expect(try Self.content(pair.ours) == before)
        }
    }
}
