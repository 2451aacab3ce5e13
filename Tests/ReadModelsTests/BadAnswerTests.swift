import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import Testing

/// Goal: a device takes an answer as a whole or not at all (`protocol.md` §6.4).
/// Method: answers that break one rule each, with digests that are right for what they hold, so that
/// nothing but the rule itself can refuse them.
@Suite struct BadAnswerTests {
    private let meal = Identifier(high: 7, low: 7)

    private func body(_ letter: Character, _ seq: Int64) -> [UInt8] {
        Event(
            dot: Dot(device: Identifier(high: 0xA, low: UInt64(letter.asciiValue ?? 0)), seq: seq),
            base: .none, wall: 0, type: "meal.added", version: 1,
            changes: [Change(EntityKey("meal", meal), [.set(["energy": .int(seq)])])]
        ).encoded()
    }

    /// An answer of these rows, for a device that holds nothing yet.
    private func answer(
        _ rows: [(content: SyncAnswer.Content, body: [UInt8])], admitted: Int64 = 0
    ) -> SyncAnswer {
        var digest = PrefixDigest.empty
        var page: [SyncAnswer.Row] = []
        for (index, row) in rows.enumerated() {
            let seal = Seal(n: Int64(index + 1), t: Int64(index + 1) << 16)
            digest.add(hash: row.body.withUnsafeBytes { SHA256.words($0) }, seal: seal)
            page.append(SyncAnswer.Row(t: seal.t, content: row.content))
        }
        return SyncAnswer(
            epoch: 7, head: Int64(rows.count), admitted: admitted, now: 0, rows: page,
            digest: digest)
    }

    private func others(_ seqs: Int64...) -> [(SyncAnswer.Content, [UInt8])] {
        seqs.map { (.event(body("z", $0)), body("z", $0)) }
    }

    /// A device with two events of its own that are not sealed.
    private func device() throws -> (device: Device, own: [(SyncAnswer.Content, [UInt8])]) {
        let device = try Device("a")
        for energy in [1, 2] as [Value] {
            try device.record("meal.added", .meal, meal, [.set(["energy": energy])])
        }
        let request = try device.store.syncRequest(
            eventsMax: 500, admitted: 0, now: device.reading)
        return (
            device,
            request.pushed.enumerated().map { (.own(seq: Seq(Int64($0 + 1))), $1.body) }
        )
    }

    private func expect(
        _ reason: LogError.Code, _ device: Device, _ answer: SyncAnswer,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = (try device.store.stateHash(), device.store.log.cursor)
        #expect(throws: LogError(reason), sourceLocation: sourceLocation) {
            try device.store.apply(answer)
        }
        #expect(
            try device.store.stateHash() == before.0 && device.store.log.cursor == before.1,
            sourceLocation: sourceLocation)
    }

    @Test func `of another device each event is the next, none left out and none twice`() throws {
        try expect(.gap(expected: 1), try Device("a"), answer(others(2)))
        try expect(.gap(expected: 2), try Device("a"), answer(others(1, 3)))
        try expect(.gap(expected: 2), try Device("a"), answer(others(1, 1)))
        try expect(.gap(expected: 3), try Device("a"), answer(others(1, 2, 1)))
        let good = try Device("a")
        try good.store.apply(answer(others(1, 2, 3)))
        #expect(good.store.log.cursor == 3)
    }

    @Test func `its own events are sealed in their order`() throws {
        let (first, own) = try device()
        try expect(.gap(expected: 1), first, answer([own[1], own[0]], admitted: 2))
        try expect(.gap(expected: 1), first, answer([own[1]], admitted: 2))
        try expect(.gap(expected: 2), first, answer([own[0], own[0]], admitted: 2))
        try first.store.apply(answer(own, admitted: 2))
        #expect(first.store.log.unsealedCount == 0)
    }

    @Test func `a server that knows more of a device than itself tells it that it forgot`() throws {
        let (device, own) = try device()
        try expect(.rolledBack(seq: 3), device, answer([], admitted: 3))
        try expect(.rolledBack(seq: 3), device, answer(own, admitted: 3))
        try expect(.rolledBack(seq: 9), device, answer(others(1), admitted: 9))
        // Or by an event of its own name that it does not hold.
        let third: (SyncAnswer.Content, [UInt8]) = (.own(seq: Seq(3)), body("a", 3))
        try expect(.rolledBack(seq: 3), device, answer(own + [third], admitted: 2))
        try expect(.rolledBack(seq: 1), device, answer([(.event(body("a", 1)), body("a", 1))]))
    }

    @Test func `head is not below the last row, nor below what the device holds`() throws {
        let device = try Device("a")
        for head in [0, 1] as [Int64] {
            var short = answer(others(1, 2))
            short.head = LogNumber(head)
            try expect(.contradiction, device, short)
        }
        try device.store.apply(answer(others(1, 2)))
        var nothing = answer(others(1, 2))
        (nothing.rows, nothing.head) = ([], LogNumber(1))
        try expect(.contradiction, device, nothing)
        nothing.head = LogNumber(.max)
        try device.store.apply(nothing)
    }

    @Test func `no event had seen itself or what is sealed after it`() throws {
        func row(_ letter: Character, _ n: Int64) throws -> (SyncAnswer.Content, [UInt8]) {
            var event = try Event.decoded(body(letter, 1))
            event.base = Base(epoch: 7, n: n)
            return (.event(event.encoded()), event.encoded())
        }
        let device = try Device("a")
        for n in [1, 2, .max] as [Int64] {
            try expect(.contradiction, device, answer([try row("z", n)]))
            try expect(.contradiction, device, answer(others(1) + [try row("y", max(2, n))]))
        }
        try device.store.apply(answer(others(1) + [try row("y", 1)]))
        #expect(device.store.log.cursor == 2)
    }

    @Test func `an answer without events names the digest that the device has`() throws {
        let device = try Device("a")
        try device.store.apply(answer(others(1, 2)))
        var nothing = answer(others(1, 2))
        nothing.rows = []
        try device.store.apply(nothing)
        nothing.digest = answer(others(1)).digest
        try expect(.divergent(n: 2), device, nothing)
        nothing.digest = answer(others(1, 2)).digest
        nothing.epoch = 8
        try expect(.divergent(n: 2), device, nothing)
    }
}
