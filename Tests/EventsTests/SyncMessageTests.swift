import MacrologEvents
import MacrologWire
import MacrologTestSupport
import Testing

extension Dice {
    mutating func digest() -> PrefixDigest {
        var digest = PrefixDigest.empty
        digest.add(hash: SHA256.Words(repeating: UInt32(roll(0...99))), seal: Seal(n: 1, t: 1))
        return digest
    }

    mutating func request() -> SyncRequest {
        SyncRequest(
            device: identifier(), epoch: UInt32(roll(0...70_000)), cursor: int() & Int64.max,
            digest: digest(),
            pushed: (0..<roll(0...4)).map { _ in .init(age: int(), body: bytes(0...60)) },
            eventsMax: Int64(roll(0...Limits.pageEventsMax)),
            bytesMax: Int64(roll(0...Limits.pageBytesMax)))
    }

    mutating func answer() -> SyncAnswer {
        SyncAnswer(
            epoch: UInt32(roll(1...70_000)), head: int() & Int64.max, admitted: int() & Int64.max,
            now: int(),
            rows: (0..<roll(0...5)).map { _ in
                let content: SyncAnswer.Content =
                    oneIn(2) ? .event(event().encoded()) : .own(seq: Seq(max(1, int() & Int64.max)))
                return .init(t: max(1, int() & Int64.max), content: content)
            }, digest: digest())
    }
}

extension Dice {
    mutating func healRequest() -> HealRequest {
        HealRequest(
            after: int() & Int64.max,
            rows: (0..<roll(1...5)).map { _ in
                .init(t: max(1, int() & Int64.max), body: bytes(0...60))
            }, digest: digest())
    }
}

/// Goal: both ends read what the other wrote, and nothing that it could not have written.
@Suite struct SyncMessageTests {
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `messages read back; damaged ones are refused or have only one encoding`(
        seed: UInt64
    ) throws {
        var dice = Dice(seed: seed)
        for _ in 0..<20 {
            let (request, answer) = (dice.request(), dice.answer())
            try #require(try SyncRequest.decoded(request.encoded()) == request, "seed \(seed)")
            try #require(try SyncAnswer.decoded(answer.encoded()) == answer, "seed \(seed)")
            for _ in 0..<40 {
                let damaged = (dice.mutated(request.encoded()), dice.mutated(answer.encoded()))
                if let request = try? SyncRequest.decoded(damaged.0) {
                    try #require(request.encoded() == damaged.0, "seed \(seed) \(hex(damaged.0))")
                }
                if let answer = try? SyncAnswer.decoded(damaged.1) {
                    try #require(answer.encoded() == damaged.1, "seed \(seed) \(hex(damaged.1))")
                }
            }
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `recovery's messages read back; damaged ones are refused or have only one encoding`(
        seed: UInt64
    ) throws {
        var dice = Dice(seed: seed)
        for _ in 0..<20 {
            let request = dice.healRequest()
            let head = dice.int() & Int64.max
            let answer = HealAnswer(
                epoch: UInt32(dice.roll(1...9)), head: LogNumber(head), digest: dice.digest())
            try #require(try HealRequest.decoded(request.encoded()) == request, "seed \(seed)")
            try #require(try HealAnswer.decoded(answer.encoded()) == answer, "seed \(seed)")
            for _ in 0..<40 {
                let damaged = dice.mutated(request.encoded())
                if let request = try? HealRequest.decoded(damaged) {
                    try #require(request.encoded() == damaged, "seed \(seed) \(hex(damaged))")
                }
                let other = dice.mutated(answer.encoded())
                if let answer = try? HealAnswer.decoded(other) {
                    try #require(answer.encoded() == other, "seed \(seed) \(hex(other))")
                }
            }
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `repair's messages read back; damaged ones are refused or have only one encoding`(
        seed: UInt64
    ) throws {
        var dice = Dice(seed: seed)
        for _ in 0..<20 {
            var ranges: [DigestRequest.Range] = []
            for _ in 0..<dice.roll(1...Limits.digestRangesMax) {
                let after = (ranges.last?.through.rawValue ?? 0) + Int64(dice.roll(0...9))
                let length = dice.roll(1...900)
                ranges.append(
                    .init(
                        after: after, through: after + Int64(length),
                        parts: dice.roll(1...min(length, Limits.digestPartsMax))))
            }
            for range in ranges
                + ranges.compactMap({ $0.cut(at: LogNumber($0.after.rawValue + 1)) })
            {
                #expect(range.ends.last == range.through && range.ends.count == range.parts)
                #expect(Set(range.ends).count == range.parts)
            }
            let request = DigestRequest(ranges: ranges)
            let answer = DigestAnswer(
                epoch: UInt32(dice.roll(1...9)), head: LogNumber(dice.int() & Int64.max),
                digests: (0..<dice.roll(0...40)).map { _ in dice.digest() })
            try #require(try DigestRequest.decoded(request.encoded()) == request, "seed \(seed)")
            try #require(try DigestAnswer.decoded(answer.encoded()) == answer, "seed \(seed)")
            for _ in 0..<40 {
                let damaged = dice.mutated(request.encoded())
                if let request = try? DigestRequest.decoded(damaged) {
                    try #require(request.encoded() == damaged, "seed \(seed) \(hex(damaged))")
                }
                let other = dice.mutated(answer.encoded())
                if let answer = try? DigestAnswer.decoded(other) {
                    try #require(answer.encoded() == other, "seed \(seed) \(hex(other))")
                }
            }
        }
    }

    @Test func `messages cut at any byte are refused`() {
        var dice = Dice(seed: 13)
        let (request, answer) = (dice.request().encoded(), dice.answer().encoded())
        for end in request.indices {
            #expect(throws: CBORError.self) { try SyncRequest.decoded(Array(request[..<end])) }
        }
        for end in answer.indices {
            #expect(throws: CBORError.self) { try SyncAnswer.decoded(Array(answer[..<end])) }
        }
        #expect(throws: CBORError(.trailingBytes, at: request.count)) {
            try SyncRequest.decoded(request + [0])
        }
    }

    @Test func `times may go up and down between the ends of their range`() throws {
        var dice = Dice(seed: 14)
        var answer = dice.answer()
        answer.rows = ([1, .max, 1, .max - 1, 5] as [Int64]).map {
            .init(t: $0, content: .own(seq: Seq(1)))
        }
        #expect(try SyncAnswer.decoded(answer.encoded()) == answer)
    }

    @Test func `a time of 0 or below, and one beyond 63 bits, is refused`() throws {
        var dice = Dice(seed: 15)
        var answer = dice.answer()
        for times in [[0], [-1], [65_536, 0], [.min]] as [[Int64]] {
            answer.rows = times.map { .init(t: $0, content: .own(seq: Seq(1))) }
            #expect(throws: CBORError.self) { try SyncAnswer.decoded(answer.encoded()) }
        }
    }

    @Test func `pages beyond the limits are refused`() throws {
        var dice = Dice(seed: 16)
        var (request, answer) = (dice.request(), dice.answer())
        request.pushed = Array(repeating: .init(age: 0, body: [0]), count: Limits.pageEventsMax)
        answer.rows = Array(
            repeating: .init(t: 1, content: .own(seq: Seq(1))), count: Limits.pageEventsMax)
        #expect(try SyncRequest.decoded(request.encoded()) == request)
        #expect(try SyncAnswer.decoded(answer.encoded()) == answer)
        request.pushed.append(request.pushed[0])
        answer.rows.append(answer.rows[0])
        #expect(throws: CBORError.self) { try SyncRequest.decoded(request.encoded()) }
        #expect(throws: CBORError.self) { try SyncAnswer.decoded(answer.encoded()) }

        var big = dice.request()
        big.pushed = [.init(age: 0, body: [UInt8](repeating: 0, count: Limits.eventBytesMax))]
        #expect(try SyncRequest.decoded(big.encoded()) == big)
        // The server, which opens it, names the one that is too long.
        big.pushed = [.init(age: 0, body: [UInt8](repeating: 0, count: Limits.eventBytesMax + 1))]
        #expect(try SyncRequest.decoded(big.encoded()) == big)
        big.pushed = [.init(age: 0, body: [UInt8](repeating: 0, count: Limits.messageBytesMax + 1))]
        #expect(throws: CBORError.self) { try SyncRequest.decoded(big.encoded()) }
    }

    @Test func `a newer version is called newer, whatever else it says`() {
        #expect(throws: CBORError(.version, at: 2)) { try SyncRequest.decoded(hex("a10002")) }
        #expect(throws: CBORError(.version, at: 2)) {
            try SyncRequest.decoded(
                hex("a9 00 1864 01 f6 02 f6 03 f6 04 f6 05 f6 06 f6 07 f6 08 f6"))
        }
    }

    /// The budget of an idle exchange is 300 bytes each way.
    @Test func `an idle exchange is below 64 bytes each way`() {
        let request = SyncRequest(
            device: Identifier(high: .max, low: 1), epoch: 1, cursor: 36_500, digest: .empty,
            pushed: [])
        let answer = SyncAnswer(
            epoch: 1, head: 36_500, admitted: 12_000, now: 1_790_000_000_000, rows: [],
            digest: .empty)
        #expect(request.encoded().count < 64)
        #expect(answer.encoded().count < 64)
    }
}
