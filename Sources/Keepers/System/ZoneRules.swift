/// The rules of any time zone, from the compiled file of the system (RFC 9636), beside the zone of the
/// process.
package struct ZoneRules: Sendable {
    /// When each offset begins, in seconds since 1970 UTC, ascending.
    private let begins: [Int64]
    /// The offsets after ``begins``, in seconds.
    private let offsets: [Int64]
    /// The offset before the first of them, in seconds.
    private let earliest: Int64
    /// What follows the last of them.
    private let later: ZoneFormula?

    /// Reads the rules of an IANA name such as `Europe/Zurich`; `nil` for one that the system lacks.
    package init?(named name: String) {
        guard Self.isName(name) else { return nil }
        let folder = Environment["TZDIR"] ?? "/usr/share/zoneinfo"
        guard let file = try? File.open("\(folder)/\(name)", followsLinks: true),
            let bytes = try? file.read(atMost: 1 << 20)
        else { return nil }
        self.init(bytes)
    }

    /// How far local clocks are ahead of UTC at an instant, in whole minutes.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC.
    package func offsetMinutes(at instant: Int64) -> Int64 {
        let seconds = instant / 1_000 - (instant % 1_000 < 0 ? 1 : 0)
        return offset(at: seconds) / 60
    }

    private func offset(at seconds: Int64) -> Int64 {
        var (low, high) = (0, begins.count)
        while low < high {
            let middle = (low + high) / 2
            if begins[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        if low == begins.count, let later { return later.offset(at: seconds) }
        return low == 0 ? earliest : offsets[low - 1]
    }

    private static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: "/")
            && !name.split(separator: "/").contains { $0.first == "." }
            && name.utf8.allSatisfy {
                (65...90).contains($0) || (97...122).contains($0) || (47...57).contains($0)
                    || [UInt8]("_+-".utf8).contains($0)
            }
    }

    /// Reads a file of version 2 or later; `nil` for anything else.
    init?(_ bytes: [UInt8]) {
        var reader = ZoneReader(bytes[...])
        // The first block has 32-bit times, and is there for readers of version 1.
        guard let old = reader.header(), old.version >= UInt8(ascii: "2"),
            reader.skip(old.byteCount(timeBytes: 4)), let header = reader.header(),
            header.types > 0, header.times <= 10_000, header.types <= 256,
            let begins = reader.numbers(header.times, bytes: 8),
            let indices = reader.numbers(header.times, bytes: 1)
        else { return nil }
        var types: [Int64] = []
        for _ in 0..<header.types {
            guard let offset = reader.numbers(1, bytes: 4)?.first,
                (-90_000...93_600).contains(offset),
                reader.skip(2)
            else { return nil }
            types.append(offset)
        }
        guard indices.allSatisfy({ $0 >= 0 && $0 < types.count }), reader.skip(header.rest) else {
            return nil
        }
        self.begins = begins
        offsets = indices.map { types[Int($0)] }
        earliest = types[0]
        later = ZoneFormula(reader.footer())
    }
}

/// Reads the parts of a compiled file, most significant byte first.
private struct ZoneReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    struct Header {
        let version: UInt8
        let universal, standard, leaps, times, types, letters: Int

        /// The length of what follows, for times of a number of bytes.
        func byteCount(timeBytes: Int) -> Int {
            times * (timeBytes + 1) + types * 6 + letters + leaps * (timeBytes + 4) + standard
                + universal
        }

        /// The length of what follows the types, with times of eight bytes.
        var rest: Int { letters + leaps * 12 + standard + universal }
    }

    mutating func header() -> Header? {
        guard rest.count >= 44, rest.prefix(4).elementsEqual("TZif".utf8) else { return nil }
        let version = rest[rest.startIndex + 4]
        rest = rest.dropFirst(20)
        guard let counts = numbers(6, bytes: 4), counts.allSatisfy({ (0...100_000).contains($0) })
        else { return nil }
        let count = counts.map { Int($0) }
        return Header(
            version: version, universal: count[0], standard: count[1], leaps: count[2],
            times: count[3], types: count[4], letters: count[5])
    }

    mutating func skip(_ count: Int) -> Bool {
        guard rest.count >= count else { return false }
        rest = rest.dropFirst(count)
        return true
    }

    /// Numbers of a number of bytes each: signed, but for those of one byte.
    mutating func numbers(_ count: Int, bytes: Int) -> [Int64]? {
        guard rest.count >= count * bytes else { return nil }
        var numbers: [Int64] = []
        for _ in 0..<count {
            var number: UInt64 = 0
            for byte in rest.prefix(bytes) { number = number << 8 | UInt64(byte) }
            rest = rest.dropFirst(bytes)
            switch bytes {
            case 4: numbers.append(Int64(Int32(truncatingIfNeeded: number)))
            default: numbers.append(Int64(bitPattern: number))
            }
        }
        return numbers
    }

    /// The text between line feeds at the end.
    func footer() -> ArraySlice<UInt8> {
        rest.dropFirst().prefix { $0 != 0x0A }
    }
}
