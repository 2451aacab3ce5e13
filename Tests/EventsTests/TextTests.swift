import MacrologEvents
import MacrologTestSupport
import Testing

/// Goal: what looks alike but has other bytes stays two things.
@Suite struct TextTests {
    static let alike: [UTF8Text] = ["Å", "\u{212B}", "A\u{30A}", "é", "e\u{301}", "e", ""]

    @Test func `texts are equal only when their bytes are`() {
        for (index, left) in Self.alike.enumerated() {
            for (other, right) in Self.alike.enumerated() {
                #expect((left == right) == (index == other), "\(index) \(other)")
            }
        }
        #expect(Set(Self.alike).count == Self.alike.count)
        #expect("Å" == "\u{212B}", "Swift's own equality is another one")
    }

    @Test func `texts sort by their bytes`() {
        var dice = Dice(seed: 7)
        for _ in 0..<1_000 {
            let (left, right) = (dice.text(0...6), dice.text(0...6))
            let bytes = (Array(left.string.utf8), Array(right.string.utf8))
            #expect((left < right) == bytes.0.lexicographicallyPrecedes(bytes.1))
            #expect((left == right) == (bytes.0 == bytes.1))
            if left == right { #expect(left.hashValue == right.hashValue) }
        }
    }

    @Test func `a map keeps look-alike names apart, in canonical order`() {
        var map = ValueMap()
        for (index, name) in Self.alike.enumerated() { map[name] = .int(Int64(index)) }
        for (index, name) in Self.alike.enumerated() { #expect(map[name] == .int(Int64(index))) }
        let names = map.entries.map { Array($0.name.string.utf8) }
        let sorted = names.sorted {
            $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count < $1.count
        }
        #expect(names == sorted)
        map["Å"] = nil
        #expect(map["Å"] == nil && map["\u{212B}"] == 1 && map.entries.count == 6)
    }
}
