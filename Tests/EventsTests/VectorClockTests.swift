import MacrologEvents
import MacrologTestSupport
import Testing

/// Goal: a clock that is stored as one integer says the same as the vector it stands for.
@Suite struct VectorClockTests {
    private let devices = (1...4).map { Identifier(high: 0, low: UInt64($0)) }

    private func random(_ dice: inout Dice) -> VectorClock {
        VectorClock(devices.map { Dot(device: $0, seq: Int64(dice.roll(0...3))) })
    }

    @Test func `the relation is what the counters say, and mirrors`() {
        var dice = Dice(seed: 10)
        for _ in 0..<2_000 {
            let (a, b) = (random(&dice), random(&dice))
            let within = devices.allSatisfy { a[$0] <= b[$0] }
            let covers = devices.allSatisfy { b[$0] <= a[$0] }
            let relation = a.relation(to: b)
            #expect((relation == .equal) == (within && covers))
            #expect((relation == .before) == (within && !covers))
            #expect((relation == .after) == (!within && covers))
            #expect((relation == .concurrent) == (!within && !covers))
            #expect((relation == .equal) == (a == b))
            let mirrored: CausalRelation =
                switch relation {
                case .before: .after
                case .after: .before
                case .equal: .equal
                case .concurrent: .concurrent
                }
            #expect(b.relation(to: a) == mirrored)
        }
    }

    @Test func `dots are kept once a device, the greatest, in the order of devices`() {
        let (a, b) = (devices[0], devices[1])
        let clock = VectorClock([
            Dot(device: b, seq: 2), Dot(device: a, seq: 3), Dot(device: b, seq: 1),
            Dot(device: devices[2], seq: 0),
        ])
        #expect(clock.counters == [Dot(device: a, seq: 3), Dot(device: b, seq: 2)])
        #expect(clock[a] == 3 && clock[b] == 2 && clock[devices[2]] == 0)
    }

    /// Every pair of events, sealed or still waiting, of random histories.
    @Test(arguments: 0..<120 as Range<UInt64>)
    func `the stamp, the expanded clock and the textbook vector agree`(seed: UInt64) {
        var world = ServerHistory(seed: seed)
        for _ in 0..<160 { world.step() }
        var index = ClockIndex()
        for row in world.rows { index.admit(row.stamp.dot, n: row.seal.n.rawValue) }

        var events = world.rows.map { (record: $0.record, stamp: $0.stamp) }
        for device in world.devices {
            events += device.records.dropFirst(device.pushed).map { ($0, $0.stamp) }
        }
        let clocks = events.map { index.clock(of: $0.stamp) }
        for (event, clock) in zip(events, clocks) {
            let textbook = event.record.clock.map {
                Dot(device: world.devices[$0.key].id, seq: $0.value)
            }
            #expect(clock == VectorClock(textbook), "seed \(seed)")
        }
        for left in events.indices {
            for right in events.indices {
                let compact = events[left].stamp.relation(to: events[right].stamp)
                let expanded = clocks[left].relation(to: clocks[right])
                guard compact == expanded else {
                    Issue.record("seed \(seed): \(events[left]) \(events[right])")
                    return
                }
            }
        }
    }
}

/// Goal: `a3` and `a3.b1` mean the same to a person, a test and a log.
@Suite struct NotationTests {
    @Test func `devices are named in the order of their appearance`() {
        var (notation, dice) = (Notation(), Dice(seed: 11))
        let names = (0..<800).map { _ in notation.name(of: dice.identifier()) }
        #expect(names[0] == "a" && names[25] == "z" && names[26] == "aa" && names[27] == "ab")
        #expect(names[701] == "zz" && names[702] == "aaa")
        #expect(Set(names).count == 800)
        #expect(notation.name(of: notation.devices[27]) == "ab")
    }

    @Test func `dots read back`() {
        var dice = Dice(seed: 12)
        var notation = Notation((0..<60).map { _ in dice.identifier() })
        let devices = notation.devices
        for _ in 0..<1_000 {
            let dot = Dot(device: dice.element(of: devices), seq: max(1, dice.int() & Int64.max))
            #expect(notation.dot(notation.write(dot)) == dot)
        }
    }

    @Test func `a clock is written in the order of names`() {
        let (a, b) = (Identifier(high: 9, low: 0), Identifier(high: 1, low: 0))
        var notation = Notation([a, b])
        let clock = VectorClock([Dot(device: b, seq: 1), Dot(device: a, seq: 3)])
        #expect(notation.write(clock) == "a3.b1")
        #expect(notation.write(VectorClock()) == "0")
    }

    @Test(arguments: [
        "", "a", "3", "a0", "a03", "a-1", "A3", "a3b1", "c1", "a9223372036854775808", "a3 ", "å1",
        "zzzzzzzzzzzzzzzz1", "a٣",
    ])
    func `what is no dot is refused`(text: String) {
        let notation = Notation([Identifier(high: 1, low: 0), Identifier(high: 2, low: 0)])
        #expect(notation.dot(text) == nil)
    }
}
