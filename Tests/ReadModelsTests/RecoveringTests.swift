import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologRecovery
import Testing

/// Goal: a recovery believes nothing that does not add up, begins again where the server's log has
/// changed, and ends.
/// Method: the state machine alone; rows are numbers.
@Suite struct RecoveringTests {
    /// The digest of a part, which is the sum of its rows; row `n` is `n` in another form.
    private func digest(_ numbers: some Sequence<Int64>, mark: UInt8 = 0) -> PrefixDigest {
        var sum = PrefixDigest.empty
        for n in numbers {
            let summand = Identifier(high: UInt64(mark), low: UInt64(n)).bytes
            sum.add(PrefixDigest(bytes: summand) ?? .empty)
        }
        return sum
    }

    private func begun(_ count: Int64) -> Recovering {
        var held = HeldDigests()
        for n in 1...max(count, 1) where n <= count { held.add(digest([n]), at: n) }
        return Recovering(cursor: count, held: held)
    }

    /// The answer of a server with the first rows of the device's log.
    private func answer(_ head: Int64, to recovering: Recovering, epoch: UInt32 = 8) -> DigestAnswer
    {
        guard case .ask(let request) = recovering.action else {
            return DigestAnswer(epoch: epoch, head: LogNumber(head), digests: [])
        }
        let digests = request.ranges.compactMap { $0.cut(at: LogNumber(head)) }.flatMap { range in
            zip([range.after] + range.ends, range.ends).map { begin, end in
                digest(begin.rawValue + 1...end.rawValue)
            }
        }
        return DigestAnswer(epoch: epoch, head: LogNumber(head), digests: digests)
    }

    private func request(_ after: Int64, _ count: Int64) -> HealRequest {
        HealRequest(
            after: after, rows: (1...count).map { _ in .init(t: 1, body: []) },
            digest: digest(1...after + count))
    }

    @Test func `its phases are detect, locate, plan and apply`() throws {
        var recovering = begun(100)
        #expect(recovering.phase == .detect)
        var answered = answer(100, to: recovering)
        // Rows 7 and 8, which are in the first and in the second part, are other ones.
        answered.digests[0].add(digest([1], mark: 9))
        try recovering.handle(.digests(answered))
        #expect(recovering.phase == .locate)
        answered = answer(100, to: recovering)
        answered.digests[6].add(digest([1], mark: 9))
        try recovering.handle(.digests(answered))
        #expect(recovering.phase == .plan)
        guard case .fetch(let request) = recovering.action else {
            Issue.record("it fetches the row that differs")
            return
        }
        #expect(request.cursor == 6 && request.eventsMax == 1 && request.device == .zero)
        // A lost end.
        recovering = begun(100)
        try recovering.handle(.digests(answer(40, to: recovering)))
        #expect(recovering.phase == .apply && recovering.action == .give(after: 40))
    }

    @Test func `parts that do not add up to their whole are a contradiction`() throws {
        var recovering = begun(100)
        var answered = answer(100, to: recovering)
        answered.digests[0].add(digest([1], mark: 9))
        try recovering.handle(.digests(answered))
        // Now every part is as it is here, although their sum was another.
        let contradiction = answer(100, to: recovering)
        #expect(throws: LogError(.contradiction)) {
            try recovering.handle(.digests(contradiction))
        }
    }

    @Test func `what was given back is there only if the digest says so`() throws {
        for (head, isOurs) in [(45, true), (45, false), (43, true), (43, false), (101, false)]
            as [(Int64, Bool)]
        {
            var recovering = begun(100)
            try recovering.handle(.digests(answer(40, to: recovering)))
            let digest = isOurs ? digest(1...head) : digest([1], mark: 9)
            try recovering.handle(
                .given(
                    request(40, 5), HealAnswer(epoch: 8, head: LogNumber(head), digest: digest)))
            let expected: Recovering.Phase = isOurs ? .apply : .detect
            #expect(recovering.phase == expected, "\(head) \(isOurs)")
            if isOurs { #expect(recovering.action == .give(after: head)) }
            #expect(recovering.given == (isOurs && head == 45 ? 5 : 0))
        }
    }

    @Test func `a server that becomes another one is asked again, and not for ever`() throws {
        var recovering = begun(100)
        try recovering.handle(.digests(answer(40, to: recovering)))
        try recovering.handle(
            .given(request(40, 5), HealAnswer(epoch: 9, head: .zero, digest: .empty)))
        #expect(recovering.phase == .detect && recovering.given == 0)
        var steps = 0
        #expect(throws: LogError(.contradiction)) {
            while steps < 10_000 {
                steps += 1
                var answered = answer(100, to: recovering, epoch: UInt32(steps + 9))
                if recovering.phase == .detect { answered.digests[0].add(digest([1], mark: 9)) }
                try recovering.handle(.digests(answered))
            }
        }
        #expect(steps < 1_000)
    }

    @Test func `an empty log asks only which log the server has`() throws {
        for head in [0, 1, 100_000] as [Int64] {
            var recovering = begun(0)
            try recovering.handle(.digests(answer(head, to: recovering)))
            #expect(recovering.action == .finish(.follow) && recovering.epoch == 8)
        }
    }
}
