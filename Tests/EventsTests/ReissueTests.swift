import MacrologEvents
import MacrologWire
import Testing

/// Goal: an event that is reissued gives back its original byte for byte.
@Suite struct ReissueTests {
    let old = Event(
        dot: Dot(device: Identifier(high: 1, low: 2), seq: 5), base: Base(epoch: 7, n: 3),
        wall: 1_800_000_000_000, type: "meal.edited",
        changes: [Change(EntityKey("meal", Identifier(high: 3, low: 4)), [.set(["energy": 1])])],
        group: Identifier(high: 5, low: 6), extras: [.init(key: 9, value: "newer")])
    let name = Dot(device: Identifier(high: 8, low: 8), seq: 1)

    @Test func `an event reissued has a new name, says its first and keeps the rest`() throws {
        let new = try Event.decoded(old.reissued(as: name).encoded())
        #expect(new.dot == name)
        #expect(new.reissuedFrom == old.dot)
        #expect(new.base == old.base)
        #expect(new.original == old)
        #expect(new.original.encoded() == old.encoded())
    }

    @Test func `reissued twice, it still says its first name`() {
        let again = old.reissued(as: Dot(device: Identifier(high: 9, low: 9), seq: 3))
            .reissued(as: name)
        #expect(again == old.reissued(as: name))
    }

    @Test func `where there is no room for the first name it is left out, and the event is one`()
        throws
    {
        var full = old
        full.extras = (1...56).map { .init(key: 8 + $0, value: 0) }
        #expect(try Event.decoded(full.encoded()).extras.count == 56)
        let new = try Event.decoded(full.reissued(as: name).encoded())
        #expect(new.dot == name && new.reissuedFrom == nil && new.extras == full.extras)
    }

    @Test func `what is no name in the place of one is kept and means nothing`() {
        let id = Value.bytes(Identifier(high: 1, low: 1).bytes)
        let values: [Value] = [1, "x", [], [.bytes([1]), 1], [id], [id, 0], [id, 1, 1]]
        for value in values {
            var event = old
            event.extras.insert(.init(key: 8, value: value), at: 0)
            #expect(event.reissuedFrom == nil)
            #expect(event.original == event)
        }
    }
}
