import MacrologService
import MacrologTestSupport
import Testing

/// Goal: an account that pushes as fast as it can holds up no other account for long, and no change is lost,
/// doubled or overtaken by a later one of its account.
/// Method: the queue alone, with named changes; sequences by seed.
@Suite struct TurnsTests {
    @Test func `a small change waits for one transaction with large ones at most`() {
        var turns = queue(("a1", 1, 500), ("a2", 1, 500), ("b", 2, 1))
        turns.add("register", of: nil)
        #expect(turns.next() == ["b", "register"])
        #expect(turns.next() == ["a1"])
        turns.add("c", of: (3, 1))
        #expect(turns.next() == ["c"])
        turns.add("d", of: (4, 1))
        #expect(turns.next() == ["a2"], "small changes hold up a large one once")
        #expect(turns.next() == ["d"])
        #expect(turns.next().isEmpty)
    }

    @Test func `what an account asks for after a large change comes after it`() {
        var turns = queue(("a1", 1, 1), ("a2", 1, 400), ("a3", 1, 1), ("b", 2, 1))
        #expect(turns.next() == ["a1", "b"])
        #expect(turns.next() == ["a2", "a3"])
    }

    @Test func `large changes of several accounts take turns, and share where they fit`() {
        var turns = queue(
            ("a1", 1, 500), ("a2", 1, 500), ("a3", 1, 500), ("b1", 2, 300), ("c1", 3, 200),
            ("b2", 2, 300))
        #expect(turns.next() == ["a1"])
        #expect(turns.next() == ["b1", "c1"])
        #expect(turns.next() == ["a2"])
        #expect(turns.next() == ["b2"])
        #expect(turns.next() == ["a3"])
    }

    @Test func `many small changes of one account do not fill a transaction`() {
        var turns = Turns<String>()
        for number in 0..<120 { turns.add("a\(number)", of: (1, 1)) }
        turns.add("b", of: (2, 1))
        #expect(turns.next() == (0..<50).map { "a\($0)" } + ["b"])
        #expect(turns.next() == (50..<100).map { "a\($0)" })
        #expect(turns.next() == (100..<120).map { "a\($0)" })
    }

    @Test(arguments: [501, 100_000])
    func `a change larger than a transaction has one to itself`(events: Int) {
        var turns = queue(("a", 1, events), ("b", 2, 60))
        #expect(turns.next() == ["a"])
        #expect(turns.next() == ["b"])
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `each change comes once, in order for its account, and none waits for ever`(seed: UInt64) {
        var dice = Dice(seed: seed)
        var turns = Turns<(space: Space, step: Int, events: Int)>()
        var asked: [Space: [Int]] = [:]
        var done: [Space: [Int]] = [:]
        func take() {
            let batch = turns.next()
            let large = batch.filter { $0.events > Turns<Int>.smallMax }
            let sum = batch.reduce(0) { $0 + $1.events }
            let fits = large.isEmpty || batch.count == 1 || sum <= Turns<Int>.eventsMax
            #expect(fits, "seed \(seed)")
            #expect(!batch.isEmpty, "seed \(seed)")
            for change in batch { done[change.space, default: []].append(change.step) }
        }
        for step in 0..<200 {
            let space = dice.roll(0...4)
            let events = dice.pick([1, 3, 40, 60, 499, 500, 900])!
            asked[space, default: []].append(step)
            turns.add((space, step, events), of: (space, events))
            if dice.percent(35) { take() }
        }
        for _ in 0..<400 where turns.count > 0 { take() }
        #expect(done == asked, "seed \(seed)")
    }

    private func queue(_ changes: (name: String, space: Space, events: Int)...) -> Turns<String> {
        var turns = Turns<String>()
        for change in changes { turns.add(change.name, of: (change.space, change.events)) }
        return turns
    }
}
