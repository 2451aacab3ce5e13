import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologRecovery
import MacrologTestSupport
import Testing

/// Goal: finding where two logs of 100,000 events differ takes few round trips and few bytes.
/// Method: the recovery alone, against the digests of an invented log; bytes are those of the messages
/// before HTTP and compression. `protocol.md` §6.7 says these figures.
@Suite struct RecoveryFiguresTests {
    private static let count: Int64 = 100_000
    private static let fork: Int64 = 61_803

    private static func body(_ seq: Int64) -> [UInt8] {
        Event(
            dot: Dot(device: Identifier(high: 1, low: 1), seq: seq), base: .none, wall: 0,
            type: "meal.edited",
            changes: [Change(EntityKey("meal", Identifier(high: 1, low: 2)), [.delete])]
        ).encoded()
    }

    @Test(arguments: [
        ("fork", 100_000, 5, 1_550), ("lost end", 61_803, 1, 300), ("moved", 100_000, 1, 300),
        ("lost server", 0, 1, 25),
    ])
    func `where the logs differ is found in few round trips`(
        what: String, head: Int, trips: Int, bytes: Int
    ) throws {
        var (held, theirs, dice) = (HeldDigests(), [PrefixDigest.empty], Dice(seed: 1))
        let body = Self.body(1)
        for n in 1...Self.count {
            let own = PrefixDigest(bytes: Identifier.v4(random: &dice).bytes) ?? .empty
            held.add(own, at: n)
            var prefix = theirs[theirs.count - 1]
            if what == "fork", n > Self.fork {
                let hash = try StoredEvent.hash(of: body)
                prefix.add(hash: hash, seal: Seal(n: n, t: n + 1))
            } else {
                prefix.add(own)
            }
            theirs.append(prefix)
        }
        theirs.removeLast(theirs.count - 1 - head)
        var recovering = Recovering(cursor: Self.count, held: held)
        var (asked, sum) = (0, 0)
        while true {
            switch recovering.action {
            case .ask(let request):
                let answer = DigestAnswer(
                    epoch: 70_000, head: LogNumber(Int64(head)),
                    digests: SyncServer.digests(request, theirs))
                sum += request.encoded().count + answer.encoded().count
                try recovering.handle(.digests(answer))
            case .fetch(let request):
                let n = request.cursor.rawValue + 1
                #expect(n == Self.fork + 1 && request.eventsMax == 1)
                let answer = SyncAnswer(
                    epoch: 70_000, head: Int64(head), admitted: 0, now: 0,
                    rows: [.init(t: n + 1, content: .event(body))], digest: theirs[Int(n)])
                sum += request.encoded().count + answer.encoded().count
                try recovering.handle(.rows(answer))
            case .give(let after):
                #expect(after == Int64(head) && what.hasPrefix("lost"))
                #expect(asked == trips && sum <= bytes, "\(what): \(asked), \(sum) B")
                return
            case .finish(let decision):
                #expect(decision == (what == "fork" ? .replace : .follow))
                #expect(asked == trips && sum <= bytes, "\(what): \(asked), \(sum) B")
                return
            }
            asked += 1
        }
    }
}
