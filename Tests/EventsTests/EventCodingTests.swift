import MacrologEvents
import MacrologWire
import MacrologTestSupport
import Testing

/// Goal: an event has one encoding; whatever else arrives is refused, and nothing crashes.
@Suite struct EventCodingTests {
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `random events read back`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        for _ in 0..<40 {
            let event = dice.event()
            let bytes = event.encoded()
            try #require(try Event.decoded(bytes) == event, "seed \(seed)")
            let header = try EventHeader.checked(bytes)
            #expect(header.dot == event.dot && header.base == event.base)
            #expect(header.wall == event.wall)
            #expect(try bytes.withUnsafeBytes { try EventHeader.peeked($0) } == header)
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `a damaged event is refused, or is another event in its only encoding`(
        seed: UInt64
    ) throws {
        var dice = Dice(seed: seed)
        for _ in 0..<20 {
            let bytes = dice.event().encoded()
            for _ in 0..<60 {
                let damaged = dice.mutated(bytes)
                _ = damaged.withUnsafeBytes { try? EventHeader.peeked($0) }
                guard let event = try? Event.decoded(damaged) else { continue }
                try #require(event.encoded() == damaged, "seed \(seed): \(hex(damaged))")
            }
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `an event cut at any byte is refused`(seed: UInt64) {
        var dice = Dice(seed: seed)
        let bytes = dice.event().encoded()
        for end in bytes.indices {
            #expect(throws: CBORError.self) { try Event.decoded(Array(bytes[..<end])) }
        }
        #expect(throws: CBORError(.trailingBytes, at: bytes.count)) {
            try Event.decoded(bytes + [0])
        }
    }

    /// Events at the limits are read; one more of anything is refused.
    @Test func `an event of more than 64 KiB is refused`() throws {
        func event(_ last: Int) -> Event {
            var fields = ValueMap()
            for name in ["a", "b", "c", "d"] as [UTF8Text] {
                let count = name == "d" ? last : Limits.textBytesMax
                fields[name] = .bytes([UInt8](repeating: 1, count: count))
            }
            return .plain([.set(fields)])
        }
        let spare = Limits.eventBytesMax - event(1_000).encoded().count
        #expect(event(1_000 + spare).encoded().count == Limits.eventBytesMax)
        #expect(try Event.decoded(event(1_000 + spare).encoded()) == event(1_000 + spare))
        #expect(throws: CBORError(.limit, at: Limits.eventBytesMax)) {
            try Event.decoded(event(1_001 + spare).encoded())
        }
    }

    @Test func `changes and operations stop at their limits`() throws {
        func changes(_ count: Int) -> Event {
            var event = Event.plain([.delete])
            event.changes = (1...count).map {
                Change(EntityKey("meal", Identifier(high: 0, low: UInt64($0))), [.delete])
            }
            return event
        }
        #expect(try Event.decoded(changes(Limits.changesMax).encoded()).changes.count == 64)
        #expect(reason(changes(Limits.changesMax + 1)) == .limit)
        func operations(_ count: Int) -> Event {
            .plain((1...count).map { .add(field: "tags", element: .int(Int64($0))) })
        }
        #expect(reason(operations(Limits.operationsMax)) == nil)
        #expect(reason(operations(Limits.operationsMax + 1)) == .limit)
    }

    @Test func `a value may nest as deep as the whole event allows`() {
        func nested(_ depth: Int) -> Value {
            (0..<depth).reduce(.int(1)) { inner, _ in .array([inner]) }
        }
        // Body, changes, change and fields are four containers around the value.
        #expect(reason(.plain([.set(["a": nested(12)])])) == nil)
        #expect(reason(.plain([.set(["a": nested(13)])])) == .limit)
        #expect(reason(.plain([.add(field: "a", element: nested(12))])) == nil)
        #expect(reason(.plain([.add(field: "a", element: nested(13))])) == .limit)
        #expect(reason(.plain([.unknown(verb: 9, arguments: [nested(13)])])) == .limit)
        var event = Event.plain([.delete])
        event.extras = [.init(key: 8, value: nested(15))]
        #expect(reason(event) == nil)
        event.extras = [.init(key: 8, value: nested(16))]
        #expect(reason(event) == .limit)
    }

    @Test func `a cell written twice, or an entity changed twice, is refused`() {
        let add = MacrologEvents.CellOperation.add(field: "tags", element: 1)
        #expect(reason(.plain([.set(["a": 1]), .set(["a": 1])])) == .shape)
        #expect(reason(.plain([add, .remove(field: "tags", element: 1)])) == .shape)
        #expect(reason(.plain([.delete, .restore])) == .shape)
        #expect(reason(.plain([.delete, .set(["a": 1])])) == nil)
        #expect(reason(.plain([.set(["Å": 1]), .set(["\u{212B}": 1])])) == nil)
        #expect(reason(.plain([.set(["tags": 1]), add])) == nil)
        var event = Event.plain([.delete])
        event.changes += [Change(event.changes[0].entity, [.set(["a": 1])])]
        #expect(reason(event) == .shape)
    }

    /// An older client must relay what a newer one wrote, so it cannot judge it.
    @Test func `unknown verbs, extras and types are kept as they came`() throws {
        var event = Event.plain([
            .unknown(verb: 5, arguments: []), .unknown(verb: 5, arguments: [1, "x"]),
            .unknown(verb: .max, arguments: [.null]), .set(["a": .null]),
        ])
        event.type = "from.the.future"
        event.version = .max
        event.extras = [.init(key: 8, value: [1]), .init(key: .max, value: .map(["k": "v"]))]
        #expect(try Event.decoded(event.encoded()) == event)
    }

    private func reason(_ event: Event) -> CBORError.Code? {
        do throws(CBORError) {
            _ = try Event.decoded(event.encoded())
            return nil
        } catch {
            return error.code
        }
    }
}

extension Event {
    /// An event with one change and nothing remarkable.
    static func plain(_ operations: [MacrologEvents.CellOperation]) -> Event {
        Event(
            dot: Dot(device: Identifier(high: 1, low: 2), seq: 1), base: .none, wall: 0, type: "t",
            changes: [Change(EntityKey("meal", Identifier(high: 3, low: 4)), operations)])
    }
}
