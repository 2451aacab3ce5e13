import MacrologEvents
import MacrologWire
import MacrologTestSupport
import Testing

/// Goal: the same sealed events make the same bytes, in whatever order they came, and mean what the
/// merge rules say.
/// Method: random histories; a slow oracle over textbook version vectors; permutations.
@Suite struct EntityStateTests {
    private func history(_ seed: UInt64, steps: Int = 120) -> ServerHistory {
        var world = ServerHistory(seed: seed, clocks: seed.isMultiple(of: 2) ? .wild : .stopped)
        for _ in 0..<steps { world.step() }
        world.converge()
        return world
    }

    private func folded(_ rows: some Sequence<ServerHistory.Row>) -> EntityState {
        var state = EntityState()
        for row in rows { state.fold(row.record.change, stamp: row.stamp) }
        return state
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `a thousand orders of folding give the same bytes`(seed: UInt64) {
        let world = history(seed, steps: 60)
        let bytes = folded(world.rows).encoded()
        var dice = world.dice
        for round in 0..<1_000 {
            let state = folded(world.rows.shuffled(using: &dice))
            guard state.encoded() == bytes else {
                Issue.record("seed \(seed), round \(round)")
                return
            }
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `the state says what the oracle says`(seed: UInt64) {
        let world = history(seed)
        let entity = EntityKey("meal", Identifier(high: 1, low: 2))
        // Every prefix of a log is a state that some device shows.
        for count in stride(from: world.rows.count, through: 1, by: -7) {
            let rows = world.rows[..<count]
            let oracle = MergeOracle(rows.map { world.seenEvent($0) })
            #expect(oracle.difference(folded(rows), of: entity) == nil, "seed \(seed), \(count)")
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `own events folded before their seal end in the same bytes`(seed: UInt64) {
        let world = history(seed)
        let bytes = folded(world.rows).encoded()
        for device in world.devices { #expect(device.state.encoded() == bytes, "seed \(seed)") }
    }

    /// Stricter than any device needs, which folds in the order of the log: here seals come late.
    @Test(arguments: 0..<100 as Range<UInt64>)
    func `seals and events may come in any order`(seed: UInt64) {
        let world = history(seed)
        let bytes = folded(world.rows).encoded()
        var dice = world.dice
        for own in world.devices.indices {
            var state = EntityState()
            for row in world.rows.shuffled(using: &dice) {
                let isOwn = row.record.device == own
                state.fold(row.record.change, stamp: isOwn ? row.record.stamp : row.stamp)
            }
            for row in world.rows.shuffled(using: &dice) where row.record.device == own {
                state.seal(row.stamp.dot, row.seal)
            }
            #expect(state.encoded() == bytes, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `an own unsealed write is shown until it is sealed`(seed: UInt64) {
        var world = ServerHistory(seed: seed)
        for _ in 0..<150 {
            world.step()
            for device in world.devices {
                var shown = ValueMap()
                for record in device.unsealed {
                    for case .set(let fields) in record.change.operations {
                        for entry in fields.entries { shown[entry.name] = entry.value }
                    }
                }
                for entry in shown.entries where device.state[entry.name] != entry.value {
                    Issue.record("seed \(seed): \(entry.name)")
                    return
                }
                #expect(
                    device.unsealed.isEmpty
                        || device.state.conflicts.allSatisfy { conflict in
                            ([conflict.winner] + conflict.losers).allSatisfy {
                                $0.stamp.seal != nil
                            }
                        })
            }
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `folding again changes nothing`(seed: UInt64) {
        let world = history(seed)
        var state = folded(world.rows)
        let bytes = state.encoded()
        var dice = world.dice
        for row in world.rows.shuffled(using: &dice) {
            state.fold(row.record.change, stamp: row.stamp)
            state.seal(row.stamp.dot, row.seal)
        }
        #expect(state.encoded() == bytes, "seed \(seed)")
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `a packed state reads back, and a damaged one is refused or packs to its bytes`(
        seed: UInt64
    ) throws {
        var world = ServerHistory(seed: seed)
        for _ in 0..<120 { world.step() }
        var dice = world.dice
        for device in world.devices {
            let bytes = device.state.encoded()
            try #require(try EntityState.decoded(bytes) == device.state, "seed \(seed)")
            for _ in 0..<60 {
                let damaged = dice.mutated(bytes)
                guard let state = try? EntityState.decoded(damaged) else { continue }
                try #require(state.encoded() == damaged, "seed \(seed) \(hex(damaged))")
            }
        }
    }

    @Test func `an entity that nothing is known of has nothing`() throws {
        let state = EntityState()
        #expect(state.fields.entries.isEmpty && state.conflicts.isEmpty && !state.isDeleted)
        #expect(state.members("tags").isEmpty && state["name"] == nil)
        #expect(hex(state.encoded()) == "828080")
        #expect(try EntityState.decoded(state.encoded()) == state)
    }

    /// 3,000 members, each by an event of its own: packing must not compare all with all.
    @Test func `a large set packs and reads back`() throws {
        var state = EntityState()
        let device = Identifier(high: 1, low: 1)
        for seq in 1...3_000 as ClosedRange<Int64> {
            let change = Change(
                EntityKey("profile", device), [.add(field: "favourites", element: .int(seq))])
            let stamp = Stamp(
                dot: Dot(device: device, seq: seq), base: .none, seal: Seal(n: seq, t: seq))
            state.fold(change, stamp: stamp)
        }
        #expect(state.members("favourites").count == 3_000)
        #expect(try EntityState.decoded(state.encoded()) == state)
    }
}
