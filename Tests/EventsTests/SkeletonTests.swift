import MacrologEvents
import MacrologWire
import MacrologTestSupport
import Testing

/// Goal: giving up payloads by the rule of `protocol.md` §7.8 changes nothing of what a log comes to,
/// whatever arrives later; and a skeleton keeps exactly what digests and clocks need.
/// Method: random histories, in which devices are offline for long; each is folded whole and without
/// what the rule drops, at every number that the rule may be applied at.
@Suite struct SkeletonTests {
    private func history(_ seed: UInt64) -> ServerHistory {
        var world = ServerHistory(seed: seed, clocks: seed.isMultiple(of: 2) ? .wild : .stopped)
        for _ in 0..<120 { world.step() }
        world.converge()
        return world
    }

    private func fold(_ rows: some Sequence<ServerHistory.Row>, without given: Set<Dot> = [])
        -> EntityState
    {
        var state = EntityState()
        for row in rows where !given.contains(row.stamp.dot) {
            state.fold(row.record.change, stamp: row.stamp)
        }
        return state
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `what was written over by events before the cutoff is never missed`(seed: UInt64) {
        let world = history(seed)
        let rows = world.rows
        var dice = world.dice
        var given = 0
        for through in stride(from: 1, through: rows.count, by: 7) {
            let needed = fold(rows[..<through]).dots
            let gone = Set(rows[..<through].map(\.stamp.dot)).subtracting(needed)
            given += gone.count
            // The log at every number from there on, with devices that had seen nothing for long.
            for end in stride(from: rows.count, through: through, by: -3) {
                let (whole, rest) = (fold(rows[..<end]), fold(rows[..<end], without: gone))
                guard whole.encoded() == rest.encoded(), whole.conflicts == rest.conflicts,
                    whole.isDeleted == rest.isDeleted
                else {
                    Issue.record("seed \(seed): \(through) of \(end)")
                    return
                }
            }
            let shuffled = rows.shuffled(using: &dice)
            #expect(fold(shuffled, without: gone) == fold(rows), "seed \(seed)")
            // An own event that waits to be sealed is folded on top, and sealed later.
            guard let last = rows.last else { return }
            var (whole, rest) = (fold(rows.dropLast()), fold(rows.dropLast(), without: gone))
            guard through < rows.count else { continue }
            whole.fold(last.record.change, stamp: last.record.stamp)
            rest.fold(last.record.change, stamp: last.record.stamp)
            #expect(whole == rest, "seed \(seed)")
            whole.seal(last.stamp.dot, last.seal)
            rest.seal(last.stamp.dot, last.seal)
            #expect(whole == rest, "seed \(seed)")
        }
        #expect(given > 0 || rows.count < 10, "seed \(seed): nothing was given up")
    }

    private let event = Event(
        dot: Dot(device: Identifier(high: 1, low: 2), seq: 5), base: Base(epoch: 7, n: 3),
        wall: 1_800_000_000_000, type: "meal.edited",
        changes: [Change(EntityKey("meal", Identifier(high: 3, low: 4)), [.set(["energy": 1])])],
        group: Identifier(high: 5, low: 6))

    private func skeleton(of event: Event, through: Int64 = 9) throws -> Skeleton {
        let body = event.encoded()
        return try body.withUnsafeBytes { try Skeleton(of: $0, through: through) }
    }

    @Test func `a skeleton keeps the header and the hash, and is no event`() throws {
        let skeleton = try skeleton(of: event)
        let bytes = skeleton.encoded()
        #expect(Skeleton.isSkeleton(bytes) && !Skeleton.isSkeleton(event.encoded()))
        #expect(try StoredEvent.decoded(bytes) == .skeleton(skeleton))
        #expect(try StoredEvent.decoded(event.encoded()) == .whole(event))
        #expect(skeleton.header == (try EventHeader.checked(event.encoded())))
        #expect(try StoredEvent.hash(of: bytes) == StoredEvent.hash(of: event.encoded()))
        #expect(throws: CBORError.self) { try Event.decoded(bytes) }
        #expect(throws: CBORError.self) { try EventHeader.checked(bytes) }
        for end in bytes.indices {
            #expect(throws: CBORError.self) { try StoredEvent.decoded(Array(bytes[..<end])) }
        }
        #expect(bytes.count < 90)
    }

    @Test func `digests of a log are the same before and after`() throws {
        var (whole, rest) = (PrefixDigest.empty, PrefixDigest.empty)
        for n in 1...40 {
            var event = event
            event.wall += Int64(n)
            let seal = Seal(n: Int64(n), t: Int64(n) << 16)
            let bytes = n % 3 == 0 ? try skeleton(of: event).encoded() : event.encoded()
            whole.add(hash: try StoredEvent.hash(of: event.encoded()), seal: seal)
            rest.add(hash: try StoredEvent.hash(of: bytes), seal: seal)
            #expect(whole == rest)
        }
    }

    @Test func `a skeleton knows the event that it was, under whatever name and base`() throws {
        let skeleton = try skeleton(of: event)
        var again = event.reissued(as: Dot(device: Identifier(high: 8, low: 8), seq: 1))
        #expect(skeleton.says(event) && skeleton.says(again))
        again.base = Base(epoch: 9, n: 1)
        #expect(skeleton.says(again))
        again.wall += 1
        #expect(!skeleton.says(again))
        var other = event
        other.dot = Dot(device: event.dot.device, seq: 6)
        #expect(!skeleton.says(other))
    }

    @Test func `a page carries skeletons among events`() throws {
        var dice = Dice(seed: 4)
        var rows: [SyncAnswer.Row] = []
        for index in 0..<60 {
            var event = event
            event.dot = Dot(
                device: Identifier(high: 1, low: UInt64(index % 3)), seq: Int64(1 + index / 3))
            event.wall += Int64(index) * 1_000
            let body =
                dice.oneIn(2)
                ? try skeleton(of: event, through: 70).encoded() : event.encoded()
            let content: SyncAnswer.Content =
                index % 7 == 6 ? .own(seq: Seq(Int64(index))) : .event(body)
            rows.append(SyncAnswer.Row(t: (event.wall + 5) << 16, content: content))
        }
        let answer = SyncAnswer(
            epoch: 1, head: 100, admitted: 0, now: 1, rows: rows, digest: .empty)
        #expect(try SyncAnswer.decoded(answer.encoded()) == answer)
    }
}
