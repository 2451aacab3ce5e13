import MacrologEvents
import MacrologWire
import MacrologTestSupport
import Testing

private func read(_ bytes: [UInt8]) throws(CBORError) -> Value {
    try CBORReader.read(bytes) { reader throws(CBORError) in try reader.value() }
}

private func write(_ value: Value) -> [UInt8] {
    var writer = CBORWriter()
    writer.value(value)
    return writer.bytes
}

/// Goal: one value has one encoding, the one of RFC 8949 §4.2, and nothing else is read.
@Suite struct CBORTests {
    /// RFC 8949, appendix A: all examples of the subset.
    @Test(
        arguments: [
            ("00", 0), ("01", 1), ("0a", 10), ("17", 23), ("1818", 24), ("1819", 25), ("1864", 100),
            ("1903e8", 1000), ("1a000f4240", 1_000_000), ("1b000000e8d4a51000", 1_000_000_000_000),
            ("20", -1), ("29", -10), ("3863", -100), ("3903e7", -1000),
            ("f4", false), ("f5", true), ("f6", .null),
            ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])),
            ("60", ""), ("6161", "a"), ("6449455446", "IETF"), ("62225c", "\"\\"),
            ("62c3bc", "\u{FC}"), ("63e6b0b4", "\u{6C34}"), ("64f0908591", "\u{10151}"),
            ("80", []), ("83010203", [1, 2, 3]), ("8301820203820405", [1, [2, 3], [4, 5]]),
            (
                "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
                .array((1...25).map { Value.int($0) })
            ),
            ("a0", .map([:])), ("a26161016162820203", .map(["a": 1, "b": [2, 3]])),
            ("826161a161626163", ["a", .map(["b": "c"])]),
            (
                "a56161614161626142616361436164614461656145",
                .map(["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"])
            ),
        ] as [(String, Value)])
    func `the examples of RFC 8949 read and write`(bytes: String, value: Value) throws {
        #expect(try read(hex(bytes)) == value)
        #expect(hex(write(value)) == bytes)
    }

    /// Both sides of every width of a head, in both signs.
    @Test(
        arguments: [
            ("17", 23), ("1818", 24), ("18ff", 255), ("190100", 256), ("19ffff", 65_535),
            ("1a00010000", 65_536), ("1affffffff", 4_294_967_295),
            ("1b0000000100000000", 4_294_967_296), ("1b7fffffffffffffff", Int64.max),
            ("37", -24), ("3818", -25), ("38ff", -256), ("390100", -257),
            ("3b7fffffffffffffff", Int64.min),
        ] as [(String, Int64)])
    func `whole numbers take the shortest head`(bytes: String, number: Int64) throws {
        #expect(try read(hex(bytes)) == .int(number))
        #expect(hex(write(.int(number))) == bytes)
    }

    @Test(
        arguments: [
            // Heads that are not the shortest, of every type and width.
            ("1800", .notShortest, 0), ("1817", .notShortest, 0), ("1900ff", .notShortest, 0),
            ("1a0000ffff", .notShortest, 0), ("1b00000000ffffffff", .notShortest, 0),
            ("3817", .notShortest, 0), ("5801aa", .notShortest, 0), ("780161", .notShortest, 0),
            ("980101", .notShortest, 0), ("b801616101", .notShortest, 0),
            ("821801", .notShortest, 1),
            // Keys.
            ("a2616101616102", .keyOrder, 4), ("a2616201616101", .keyOrder, 4),
            ("a262616101616202", .keyOrder, 5), ("a201020304", .unexpectedType, 1),
            ("a1f501", .unexpectedType, 1), ("a1416101", .unexpectedType, 1),
            // Floats: half, single, double; not-a-number; even where the rest is missing.
            ("f90000", .float, 0), ("f97e00", .float, 0), ("fa47c35000", .float, 0),
            ("fb3ff199999999999a", .float, 0), ("8201f93c00", .float, 2), ("a16161fb", .float, 3),
            // Indefinite lengths and the break.
            ("5f42010243030405ff", .indefiniteLength, 0),
            (
                "7f657374726561646d696e67ff",
                .indefiniteLength, 0
            ), ("9fff", .indefiniteLength, 0), ("bfff", .indefiniteLength, 0),
            ("81 9f ff", .indefiniteLength, 1), ("ff", .unsupported, 0), ("81ff", .unsupported, 1),
            // Tags, also those whose number is that of false, true and null; and simple values.
            ("c001", .unsupported, 0), ("c249010000000000000000", .unsupported, 0),
            ("d4", .unsupported, 0), ("d5", .unsupported, 0), ("d6", .unsupported, 0),
            ("d401", .unsupported, 0), ("d818456449455446", .unsupported, 0),
            ("f7", .unsupported, 0), ("f0", .unsupported, 0), ("f3", .unsupported, 0),
            ("f8ff", .unsupported, 0), ("f818", .unsupported, 0), ("81f7", .unsupported, 1),
            ("fc", .unsupported, 0), ("fe", .unsupported, 0),
            // Reserved heads.
            ("1c", .unsupported, 0), ("3d", .unsupported, 0), ("5e", .unsupported, 0),
            ("9c", .unsupported, 0), ("be", .unsupported, 0),
            // Numbers outside 64 bits.
            ("1b8000000000000000", .integerRange, 0), ("1bffffffffffffffff", .integerRange, 0),
            ("3b8000000000000000", .integerRange, 0), ("813bffffffffffffffff", .integerRange, 1),
            // Text: continuation alone, truncated, overlong in 2, 3 and 4 bytes, surrogates, too high.
            ("6180", .invalidUTF8, 0), ("61c3", .invalidUTF8, 0), ("62c080", .invalidUTF8, 0),
            ("62c1bf", .invalidUTF8, 0), ("63e08080", .invalidUTF8, 0),
            ("64f0808080", .invalidUTF8, 0),
            ("63eda080", .invalidUTF8, 0), ("63edbfbf", .invalidUTF8, 0),
            ("64f4908080", .invalidUTF8, 0), ("61ff", .invalidUTF8, 0),
            ("8261616180", .invalidUTF8, 3),
            ("a161c301", .invalidUTF8, 1),
            // Bytes that end early or don't end.
            ("", .truncated, 0), ("18", .truncated, 0), ("1901", .truncated, 0),
            ("4201", .truncated, 0), ("6261", .truncated, 0), ("8201", .truncated, 0),
            ("a16161", .truncated, 3), ("820181", .truncated, 2), ("0000", .trailingBytes, 1),
            ("80f6", .trailingBytes, 1),
            // Claims beyond the bytes that are left are refused before room is made.
            ("9b7fffffffffffffff", .truncated, 0), ("9bffffffffffffffff", .truncated, 0),
            ("bb7fffffffffffffff", .truncated, 0), ("5bffffffffffffffff", .truncated, 0),
            ("7b7fffffffffffffff", .truncated, 0), ("9affffffff00", .truncated, 0),
            ("ba0001000000", .truncated, 0), ("81 9affffffff", .truncated, 1),
        ] as [(String, CBORError.Code, Int)])
    func `anything else is refused, with the code and the byte`(
        bytes: String, reason: CBORError.Code, offset: Int
    ) {
        #expect(throws: CBORError(reason, at: offset)) { try read(hex(bytes)) }
    }

    @Test func `16 arrays or maps inside each other are read, 17 are refused`() throws {
        let sixteen = [UInt8](repeating: 0x81, count: 16)
        #expect(write(try read(sixteen + [7])) == sixteen + [7])
        #expect(throws: CBORError(.limit, at: 16)) { try read(sixteen + [0x80]) }
        #expect(throws: CBORError(.limit, at: 16)) { try read(sixteen + [0xA0]) }
        let maps = [[UInt8]](repeating: [0xA1, 0x61, 0x61], count: 16).flatMap { $0 }
        #expect(write(try read(maps + [7])) == maps + [7])
        #expect(throws: CBORError(.limit, at: 48)) { try read(maps + [0xA0]) }
        #expect(throws: CBORError(.limit, at: 16)) {
            try read([UInt8](repeating: 0x81, count: 60_000) + [0])
        }
    }

    @Test func `an array of a thousand items reads back`() throws {
        let items = Value.array((0..<1_000).map { .int($0) })
        #expect(try read(write(items)) == items)
    }

    /// Each level claims all the bytes that are left; a reader that believed them would make room
    /// for 16 times the input, and for 24 bytes an item.
    @Test func `nested claims are refused without room for them`() {
        var bytes: [UInt8] = []
        for _ in 0..<16 { bytes += hex("99f000") }
        bytes += [UInt8](repeating: 0, count: 61_500)
        #expect(throws: CBORError.self) { try read(bytes) }
    }

    @Test func `texts, byte strings, names and maps stop at their limits`() throws {
        let most = Value.text(UTF8Text(String(repeating: "x", count: Limits.textBytesMax)))
        #expect(try read(write(most)) == most)
        let tooLong = Value.text(UTF8Text(String(repeating: "x", count: Limits.textBytesMax + 1)))
        #expect(throws: CBORError(.limit, at: 0)) { try read(write(tooLong)) }
        let bytes = Value.bytes([UInt8](repeating: 0, count: Limits.textBytesMax + 1))
        #expect(throws: CBORError(.limit, at: 1)) { try read(write([bytes])) }

        func map(_ count: Int, nameLength: Int = 4) -> Value {
            .map(
                ValueMap(
                    (0..<count).map {
                        let digits = String($0)
                        let padding = String(repeating: "0", count: nameLength - digits.count)
                        return ValueMap.Entry(UTF8Text(padding + digits), 1)
                    }))
        }
        #expect(try read(write(map(Limits.mapEntriesMax))) == map(Limits.mapEntriesMax))
        #expect(throws: CBORError(.limit, at: 0)) {
            try read(write(map(Limits.mapEntriesMax + 1)))
        }
        let longest = map(1, nameLength: Limits.nameBytesMax)
        #expect(try read(write(longest)) == longest)
        #expect(throws: CBORError(.limit, at: 1)) {
            try read(write(map(1, nameLength: Limits.nameBytesMax + 1)))
        }
    }

    /// Neighbours in length, sign and depth, beside values by chance.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `values are ordered as their encodings are, without being encoded`(seed: UInt64) {
        var dice = Dice(seed: seed)
        var values: [Value] = [
            .null, true, false, 0, 23, 24, 255, 256, 65_536, .int(.max), .int(.min), -1, -24, -25,
            "", "b", "aa",
            .bytes([]), .bytes([255]), .bytes([0, 0]), [], [0], [1], ["b", 0], ["aa", 0], .map([:]),
            .map(["b": 1]), .map(["b": 2]), .map(["aa": 1]), .map(["a": 1, "b": 2]),
            .map(["a": 2, "b": 1]),
        ]
        for _ in 0..<40 {
            let value = dice.value()
            values += [value, [value, dice.value()], [value, dice.value()]]
        }
        for left in values {
            for right in values {
                let expected = write(left).lexicographicallyPrecedes(write(right))
                guard left.precedes(right) != expected else { continue }
                Issue.record("\(left) and \(right), seed \(seed)")
            }
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `random values read back, and are refused where they are cut`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        for _ in 0..<50 {
            let value = dice.value()
            let bytes = write(value)
            try #require(try read(bytes) == value, "seed \(seed)")
            for end in bytes.indices {
                #expect(throws: CBORError.self, "seed \(seed)") { try read(Array(bytes[..<end])) }
            }
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `what is read has only one encoding`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        for _ in 0..<500 {
            let bytes = dice.oneIn(2) ? dice.bytes(1...12) : dice.mutated(write(dice.value()))
            guard let value = try? read(bytes) else { continue }
            try #require(write(value) == bytes, "seed \(seed): \(hex(bytes))")
        }
    }

    /// The single readers must be as strict as the reader of any value.
    @Test func `each reader refuses other types and wrong counts at their first byte`() {
        func refuse<Result>(
            _ bytes: String, _ reason: CBORError.Code,
            _ body: (inout CBORReader) throws(CBORError) -> Result,
            _ location: SourceLocation = #_sourceLocation
        ) {
            #expect(throws: CBORError(reason, at: 0), sourceLocation: location) {
                _ = try CBORReader.read(hex(bytes)) { reader throws(CBORError) in
                    try body(&reader)
                }
            }
        }
        refuse("6161", .unexpectedType) { reader throws(CBORError) in try reader.int() }
        refuse("d4", .unsupported) { reader throws(CBORError) in try reader.bool() }
        refuse("f6", .unexpectedType) { reader throws(CBORError) in try reader.bool() }
        refuse("14", .unexpectedType) { reader throws(CBORError) in try reader.bool() }
        refuse("f4", .unexpectedType) { reader throws(CBORError) in try reader.int() }
        refuse("05", .shape) { reader throws(CBORError) in try reader.int(in: 6...9) }
        refuse("8101", .shape) { reader throws(CBORError) in try reader.array(of: 2) }
        refuse("a0", .shape) { reader throws(CBORError) in try reader.map(of: 1) }
        refuse("820101", .limit) { reader throws(CBORError) in try reader.array(limit: 1) }
        refuse("420101", .limit) { reader throws(CBORError) in try reader.byteString(limit: 1) }
        refuse("626161", .limit) { reader throws(CBORError) in try reader.text(limit: 1) }
        refuse("4f" + String(repeating: "00", count: 15), .shape) { reader throws(CBORError) in
            try reader.identifier()
        }
        refuse("51" + String(repeating: "00", count: 17), .limit) { reader throws(CBORError) in
            try reader.identifier()
        }
        refuse("5810" + String(repeating: "00", count: 16), .notShortest) {
            reader throws(CBORError) in try reader.identifier()
        }
        refuse("5000", .truncated) { reader throws(CBORError) in try reader.identifier() }
        refuse("60" + String(repeating: "00", count: 20), .unexpectedType) {
            reader throws(CBORError) in try reader.identifier()
        }
    }
}
