import Events
import Testing

/// Goal: what two places have folded comes together as if one had folded all of it, and the messages
/// that carry it are read strictly.
@Suite struct SnapshotTests {
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `two states of parts of a log merge to the state of both, whatever the parts`(
        seed: UInt64
    ) throws {
        var dice = Dice(seed: seed)
        var history = HubHistory(seed: seed)
        for _ in 0..<60 { history.step() }
        history.settle()
        let writes = history.rows.map { (change: $0.record.change, stamp: $0.stamp) }
        var (whole, left, right) = (EntityState(), EntityState(), EntityState())
        for (change, stamp) in writes {
            whole.fold(change, stamp: stamp)
            // Some events are in both.
            switch dice.roll(0...2) {
            case 0: left.fold(change, stamp: stamp)
            case 1: right.fold(change, stamp: stamp)
            default:
                left.fold(change, stamp: stamp)
                right.fold(change, stamp: stamp)
            }
        }
        var merged = left
        merged.merge(right)
        #expect(merged == whole, "seed \(seed)")
        right.merge(left)
        #expect(right == whole, "seed \(seed)")
        merged.merge(left)
        #expect(merged == whole, "seed \(seed)")
        // What is in a state already changes nothing when it is folded again.
        for (change, stamp) in writes { merged.fold(change, stamp: stamp) }
        #expect(merged == whole, "seed \(seed)")
    }

    @Test func `a filter never denies what it holds, and seldom claims what it does not`() {
        var dice = Dice(seed: 3)
        for count in [1, 50, 3_000] {
            var filter = IdentifierFilter(capacity: count)
            // As they are made in one second.
            let ids = (0..<count * 2).map { _ in
                Identifier.v7(milliseconds: 1_790_000_000_000, random: &dice)
            }
            for id in ids[..<count] { filter.insert(id) }
            #expect(ids[..<count].allSatisfy { filter.mayContain($0) })
            let wrong = ids[count...].count { filter.mayContain($0) }
            #expect(wrong * 200 <= count, "\(wrong) of \(count)")
        }
        let none = IdentifierFilter(capacity: 0)
        #expect(none.bytes.isEmpty && !none.mayContain(Identifier(high: 1, low: 1)))
        #expect(
            IdentifierFilter(capacity: 1_000_000).bytes.count == Limits.snapshotFilterBytesMax)
        #expect(
            IdentifierFilter(bytes: [UInt8](repeating: 0, count: Limits.snapshotFilterBytesMax + 1))
                == nil)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `messages read back; damaged ones are refused or have only one encoding`(
        seed: UInt64
    ) throws {
        var dice = Dice(seed: seed)
        for _ in 0..<20 {
            let manifest = SnapshotManifest(
                epoch: UInt32(dice.roll(1...70_000)), n: Int64(dice.roll(1...70_000)),
                digest: dice.digest(),
                parts: (0..<dice.roll(1...5)).map { _ in
                    .init(
                        hash: dice.bytes(32...32), byteCount: Int64(dice.roll(1...70_000)),
                        entityCount: Int64(dice.roll(0...70_000)))
                })
            let part = SnapshotPart(
                elsewhere: IdentifierFilter(capacity: dice.roll(0...20)),
                items: (0..<dice.roll(0...5)).map { _ in
                    .init(
                        entity: EntityKey("meal", Identifier(high: 1, low: 2)),
                        state: dice.bytes(0...60))
                })
            try #require(try SnapshotManifest.decoded(manifest.encoded()) == manifest)
            try #require(try SnapshotPart.decoded(part.encoded()) == part)
            for _ in 0..<40 {
                let damaged = dice.mutated(manifest.encoded())
                if let manifest = try? SnapshotManifest.decoded(damaged) {
                    try #require(manifest.encoded() == damaged, "seed \(seed) \(hex(damaged))")
                }
                let other = dice.mutated(part.encoded())
                if let part = try? SnapshotPart.decoded(other) {
                    try #require(part.encoded() == other, "seed \(seed) \(hex(other))")
                }
            }
        }
    }
}
