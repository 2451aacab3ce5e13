import MacrologEvents
import MacrologTestSupport

extension Dice {
    mutating func roll(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// True once in `count` throws.
    mutating func oneIn(_ count: Int) -> Bool { roll(1...count) == 1 }

    mutating func element<Element>(of choices: [Element]) -> Element {
        choices[roll(0...choices.count - 1)]
    }

    mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] { bytes(roll(count)) }

    /// A number whose encoding has any of the possible widths.
    mutating func int() -> Int64 {
        let width = UInt64(roll(1...64))
        return Int64(bitPattern: next() >> (64 - width)) * (oneIn(2) && width < 64 ? -1 : 1)
    }

    mutating func text(_ lengths: ClosedRange<Int> = 0...30) -> UTF8Text {
        let letters = ["a", "b", "z", "é", "Å", "\u{212B}", "e\u{301}", "水", "𐅑", "\0", "\u{FFFF}"]
        return UTF8Text((0..<roll(lengths)).map { _ in element(of: letters) }.joined())
    }

    mutating func name() -> UTF8Text { text(0...12) }

    mutating func value(depth: Int = 0) -> Value {
        switch roll(0...(depth < 4 ? 8 : 5)) {
        case 0: .null
        case 1: .bool(oneIn(2))
        case 2, 3: .int(int())
        case 4: .text(text())
        case 5: .bytes(bytes(0...40))
        case 6: .array((0..<roll(0...4)).map { _ in value(depth: depth + 1) })
        default: .map(valueMap(0...4, depth: depth + 1))
        }
    }

    mutating func valueMap(_ counts: ClosedRange<Int>, depth: Int = 0) -> ValueMap {
        var map = ValueMap()
        for index in 0..<roll(counts) {
            map[UTF8Text("\(name())\(index)")] = value(depth: depth)
        }
        return map
    }

    mutating func identifier() -> Identifier { Identifier(high: next(), low: next()) }

    /// Any event that the rules allow.
    mutating func event() -> Event {
        let epoch = UInt32.random(in: 0...UInt32.max, using: &self)
        return Event(
            dot: Dot(device: identifier(), seq: max(1, int() & Int64.max)),
            base: epoch == 0 || oneIn(4) ? .none : Base(epoch: epoch, n: int() & Int64.max),
            wall: int(), type: name(), version: max(1, int() & Int64.max),
            changes: (0..<roll(1...3)).map { _ in change() },
            group: oneIn(3) ? identifier() : nil,
            extras: oneIn(4)
                ? [
                    .init(key: Int64(roll(8...300)), value: value()),
                    .init(key: 400, value: value()),
                ]
                : [])
    }

    private mutating func change() -> Change {
        var operations: [MacrologEvents.CellOperation] = []
        if oneIn(2) { operations.append(.set(valueMap(1...6))) }
        for index in 0..<roll(0...2) {
            let field = UTF8Text("\(name())\(index)")
            operations.append(
                oneIn(2)
                    ? .add(field: field, element: value()) : .remove(field: field, element: value())
            )
        }
        if oneIn(5) { operations.append(oneIn(2) ? .delete : .restore) }
        for _ in 0..<(operations.isEmpty ? 1 : roll(0...1)) {
            let arguments = (0..<roll(0...3)).map { _ in value() }
            operations.append(.unknown(verb: Int64(roll(5...70_000)), arguments: arguments))
        }
        return Change(EntityKey(name(), identifier()), operations)
    }
}

extension Dice {
    /// The same bytes with one or a few of them flipped, inserted, cut out, doubled or exchanged.
    mutating func mutated(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0..<roll(1...3) where !bytes.isEmpty {
            let index = roll(0...bytes.count - 1)
            let end = min(bytes.count, index + roll(1...9))
            switch roll(0...6) {
            case 0: bytes[index] ^= 1 << UInt8(roll(0...7))
            case 1: bytes[index] = UInt8(truncatingIfNeeded: next())
            case 2: bytes.insert(UInt8(truncatingIfNeeded: next()), at: index)
            case 3: bytes.removeSubrange(index..<end)
            case 4: bytes.removeLast(bytes.count - index)
            case 5: bytes.insert(contentsOf: bytes[index..<end], at: index)
            default:
                bytes[index] = element(of: [0x5F, 0x9F, 0xBF, 0xC0, 0xD4, 0xF7, 0xF8, 0xFB, 0xFF])
            }
        }
        return bytes
    }
}
