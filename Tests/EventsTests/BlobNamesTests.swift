import MacrologEvents
import MacrologWire
import Testing

/// Goal: every byte string of 32 bytes in an operation is found, and nothing else is.
@Suite struct BlobNamesTests {
    private let name = [UInt8](repeating: 7, count: 32)
    private let other = [UInt8](repeating: 9, count: 32)
    private let entity = EntityKey("meal", Identifier(high: 1, low: 2))

    private func event(_ operations: [MacrologEvents.CellOperation]) -> Event {
        Event(
            dot: Dot(device: Identifier(high: 3, low: 4), seq: 1), base: .none, wall: 5,
            type: "meal.edited", version: 1, changes: [Change(entity, operations)])
    }

    private func mentions(_ operations: [MacrologEvents.CellOperation]) throws -> [String] {
        let event = event(operations)
        #expect(BlobMention.all(in: event.encoded()) == BlobMention.all(in: event))
        return BlobMention.all(in: event).map { mention in
            (mention.name == name ? "name" : "other") + (mention.isRemoval ? " removed" : "")
        }
    }

    @Test func `a name is found wherever it stands`() throws {
        let array: Value = .array([1, .bytes(name), .map(["x": .bytes(other)])])
        #expect(try mentions([.set(["a": .bytes(name)])]) == ["name"])
        #expect(try mentions([.set(["a": array])]) == ["name", "other"])
        #expect(try mentions([.add(field: "a", element: .bytes(name))]) == ["name"])
        #expect(try mentions([.add(field: "a", element: array)]) == ["name", "other"])
        #expect(try mentions([.unknown(verb: 9, arguments: [.bytes(other)])]) == ["other"])
    }

    @Test func `only an event that does nothing else with it removes it`() throws {
        #expect(try mentions([.remove(field: "a", element: .bytes(name))]) == ["name removed"])
        #expect(
            try mentions([
                .remove(field: "a", element: .bytes(name)), .add(field: "b", element: .bytes(name)),
            ]) == ["name"])
    }

    @Test func `other lengths, ids and texts name nothing`() throws {
        for count in [0, 16, 31, 33, 64] {
            #expect(
                try mentions([.set(["a": .bytes([UInt8](repeating: 7, count: count))])]).isEmpty)
        }
        #expect(try mentions([.set(["a": .text("12345678901234567890123456789012")])]).isEmpty)
        #expect(try mentions([.delete]).isEmpty && mentions([.restore]).isEmpty)
        // The two bytes of the head may stand in something else.
        #expect(try mentions([.set(["a": .bytes([0x58, 0x20, 0x58, 0x20])])]).isEmpty)
    }

    @Test func `wherever in the event the name lies, the quick look finds it`() throws {
        for length in 0..<40 {
            let filler = UTF8Text(String(repeating: "x", count: length))
            #expect(try mentions([.set(["a": .text(filler), "b": .bytes(name)])]) == ["name"])
        }
    }
}
