package import MacrologEvents

/// Strict decoder of deterministic CBOR: input that ``CBORWriter`` could not have written is
/// refused, with the offset of the item in error.
///
/// The reader borrows the bytes: use it inside `read` only. Its memory stays within a small
/// multiple of the input, because it does not trust a length before it has seen the bytes.
package struct CBORReader {
    private let base: UnsafeRawBufferPointer
    /// The next byte to read.
    public private(set) var offset = 0
    /// The part being read, for errors.
    public var path: StaticString

    private init(_ base: UnsafeRawBufferPointer, _ path: StaticString) {
        self.base = base
        self.path = path
    }

    /// Calls `body` with a reader of `bytes`, and refuses bytes that it leaves unread.
    public static func read<Result>(
        _ bytes: [UInt8], as path: StaticString = "item",
        _ body: (inout CBORReader) throws(CBORError) -> Result
    ) throws(CBORError) -> Result {
        try bytes.withUnsafeBufferPointer { buffer throws(CBORError) in
            try read(UnsafeRawBufferPointer(buffer), as: path, body)
        }
    }

    /// Calls `body` with a reader of `bytes`, and refuses bytes that it leaves unread.
    public static func read<Result>(
        _ bytes: UnsafeRawBufferPointer, as path: StaticString = "item",
        _ body: (inout CBORReader) throws(CBORError) -> Result
    ) throws(CBORError) -> Result {
        var reader = CBORReader(bytes, path)
        let result = try body(&reader)
        guard reader.offset == bytes.count else { throw reader.error(.trailingBytes) }
        return result
    }

    /// Calls `body` with a reader of `bytes`, and ignores bytes that it leaves unread.
    static func peek<Result>(
        _ bytes: UnsafeRawBufferPointer, as path: StaticString,
        _ body: (inout CBORReader) throws(CBORError) -> Result
    ) throws(CBORError) -> Result {
        var reader = CBORReader(bytes, path)
        return try body(&reader)
    }

    /// An error at the next byte, or at the item that began at `start`.
    public func error(_ reason: CBORError.Code, at start: Int? = nil) -> CBORError {
        CBORError(reason, at: start ?? offset, in: path)
    }

    /// The bytes left.
    public var remaining: Int { base.count - offset }

    /// A whole number.
    @inline(__always)
    public mutating func int() throws(CBORError) -> Int64 {
        let start = offset
        let (major, value) = try head()
        guard major <= 1 else { throw error(.unexpectedType, at: start) }
        guard value <= UInt64(Int64.max) else { throw error(.integerRange, at: start) }
        return major == 0 ? Int64(value) : ~Int64(value)
    }

    /// A whole number in a range.
    public mutating func int(in range: ClosedRange<Int64>) throws(CBORError) -> Int64 {
        let start = offset
        let value = try int()
        guard range.contains(value) else { throw error(.shape, at: start) }
        return value
    }

    /// Sixteen bytes.
    public mutating func identifier() throws(CBORError) -> Identifier {
        guard remaining >= 17, base[offset] == 0x50 else {
            let start = offset
            _ = try lentBytes(limit: 16)
            throw error(.shape, at: start)
        }
        let high = base.loadUnaligned(fromByteOffset: offset + 1, as: UInt64.self)
        let low = base.loadUnaligned(fromByteOffset: offset + 9, as: UInt64.self)
        offset += 17
        return Identifier(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
    }

    /// A byte string of at most `limit` bytes, without a copy.
    public mutating func lentBytes(limit: Int) throws(CBORError) -> UnsafeRawBufferPointer {
        let start = offset
        let count = try head(of: 2)
        return try take(count, limit, start)
    }

    /// A byte string of at most `limit` bytes.
    public mutating func byteString(
        limit: Int = Limits.textBytesMax
    ) throws(CBORError) -> [UInt8] {
        [UInt8](try lentBytes(limit: limit))
    }

    /// A text of at most `limit` UTF-8 bytes.
    public mutating func text(limit: Int = Limits.textBytesMax) throws(CBORError) -> UTF8Text {
        let start = offset
        let count = try head(of: 3)
        return try text(count, limit, start)
    }

    /// The number of items of an array of at most `limit`.
    public mutating func array(limit: Int = .max) throws(CBORError) -> Int {
        let start = offset
        let count = try head(of: 4)
        return try items(count, 1, limit, start)
    }

    /// The number of pairs of a map of at most `limit`.
    public mutating func map(limit: Int = Limits.mapEntriesMax) throws(CBORError) -> Int {
        let start = offset
        let count = try head(of: 5)
        return try items(count, 2, limit, start)
    }

    /// The head of an array that must hold `count` items here.
    public mutating func array(of count: Int) throws(CBORError) {
        let start = offset
        guard try array() == count else { throw error(.shape, at: start) }
    }

    /// The head of a map that must hold `count` pairs here.
    public mutating func map(of count: Int) throws(CBORError) {
        let start = offset
        guard try map() == count else { throw error(.shape, at: start) }
    }

    /// False or true.
    public mutating func bool() throws(CBORError) -> Bool {
        let start = offset
        let value = try head(of: 7)
        guard value != 22 else { throw error(.unexpectedType, at: start) }
        return value == 21
    }

    /// The type of the next item: 0 and 1 whole number, 2 bytes, 3 text, 4 array, 5 map, 7 simple.
    public func nextMajor() throws(CBORError) -> UInt8 {
        guard remaining > 0 else { throw error(.truncated) }
        return base[offset] >> 5
    }

    /// Any value. `depth` is the nesting depth of a container found here, including itself; at most
    /// ``Limits/depthMax``.
    public mutating func value(depth: Int = 1) throws(CBORError) -> Value {
        let start = offset
        let (major, argument) = try head()
        switch major {
        case 0, 1:
            guard argument <= UInt64(Int64.max) else { throw error(.integerRange, at: start) }
            return .int(major == 0 ? Int64(argument) : ~Int64(argument))
        case 2: return .bytes([UInt8](try take(argument, Limits.textBytesMax, start)))
        case 3: return .text(try text(argument, Limits.textBytesMax, start))
        case 4:
            guard depth <= Limits.depthMax else { throw error(.limit, at: start) }
            let count = try items(argument, 1, Limits.eventBytesMax, start)
            var values: [Value] = []
            values.reserveCapacity(Self.believed(count))
            for _ in 0..<count { values.append(try value(depth: depth + 1)) }
            return .array(values)
        case 5:
            guard depth <= Limits.depthMax else { throw error(.limit, at: start) }
            let count = try items(argument, 2, Limits.mapEntriesMax, start)
            return .map(try entries(count, depth: depth))
        default: return argument == 22 ? .null : .bool(argument == 21)
        }
    }

    /// A map of values by text, at nesting depth `depth`.
    public mutating func valueMap(depth: Int = 1) throws(CBORError) -> ValueMap {
        let count = try map()
        return try entries(count, depth: depth)
    }

    private mutating func entries(_ count: Int, depth: Int) throws(CBORError) -> ValueMap {
        var entries: [ValueMap.Entry] = []
        entries.reserveCapacity(count)
        for index in 0..<count {
            let start = offset
            let name = try text(limit: Limits.nameBytesMax)
            if index > 0, !ValueMap.precedes(entries[index - 1].name, name) {
                throw error(.keyOrder, at: start)
            }
            entries.append(ValueMap.Entry(name, try value(depth: depth + 1)))
        }
        return ValueMap(canonical: entries)
    }

    private mutating func text(
        _ count: UInt64, _ limit: Int, _ start: Int
    ) throws(CBORError) -> UTF8Text {
        let bytes = try take(count, limit, start)
        // Decoding repairs invalid UTF-8, and so changes the bytes. `String(validating:as:)` would
        // be shorter, but is generic inside the standard library and much slower. Names are short: a short
        // string is made in place.
        let string =
            bytes.count > 15
            ? String(decoding: bytes, as: UTF8.self)
            : String(unsafeUninitializedCapacity: bytes.count) { $0.update(fromContentsOf: bytes) }
        guard bytes.reduce(0, |) < 0x80 || string.utf8.elementsEqual(bytes) else {
            throw error(.invalidUTF8, at: start)
        }
        return UTF8Text(string)
    }

    /// How many items to reserve memory for. Sixteen nested arrays may each claim all the bytes
    /// that are left, so little is reserved in advance, and the rest grows with the items.
    static func believed(_ count: Int) -> Int { min(count, 64) }

    private func items(
        _ count: UInt64, _ bytesEach: Int, _ limit: Int, _ start: Int
    ) throws(CBORError) -> Int {
        guard count <= UInt64(remaining / bytesEach) else { throw error(.truncated, at: start) }
        guard count <= UInt64(limit) else { throw error(.limit, at: start) }
        return Int(count)
    }

    private mutating func take(
        _ count: UInt64, _ limit: Int, _ start: Int
    ) throws(CBORError) -> UnsafeRawBufferPointer {
        guard count <= UInt64(remaining) else { throw error(.truncated, at: start) }
        guard count <= UInt64(limit) else { throw error(.limit, at: start) }
        let slice = UnsafeRawBufferPointer(rebasing: base[offset..<offset + Int(count)])
        offset += Int(count)
        return slice
    }

    /// The argument of a head that must have the given type.
    @inline(__always)
    private mutating func head(of expected: UInt8) throws(CBORError) -> UInt64 {
        let start = offset
        let (major, value) = try head()
        guard major == expected else { throw error(.unexpectedType, at: start) }
        return value
    }

    /// The type and argument of the next item; for type 7 only false (20), true (21) and null (22).
    @inline(__always)
    private mutating func head() throws(CBORError) -> (major: UInt8, value: UInt64) {
        guard offset < base.count else { throw error(.truncated) }
        let first = base[offset]
        guard first & 31 < 24, first < 0xC0 else { return try longHead(first) }
        offset += 1
        return (first >> 5, UInt64(first & 31))
    }

    private mutating func longHead(
        _ first: UInt8
    ) throws(CBORError) -> (major: UInt8, value: UInt64) {
        let (major, low) = (first >> 5, first & 31)
        switch first {
        case 0xF4...0xF6:
            offset += 1
            return (major, UInt64(low))
        case 0xF9...0xFB: throw error(.float)
        case 0xC0...: throw error(.unsupported)
        default: break
        }
        guard low != 31 else { throw error(.indefiniteLength) }
        guard low <= 27 else { throw error(.unsupported) }
        let width = 1 << Int(low - 24)
        guard remaining > width else { throw error(.truncated) }
        let value: UInt64 =
            switch width {
            case 1: UInt64(base[offset + 1])
            case 2: UInt64(UInt16(bigEndian: argument()))
            case 4: UInt64(UInt32(bigEndian: argument()))
            default: UInt64(bigEndian: argument())
            }
        let shortest: UInt64 = width == 1 ? 24 : 1 << UInt64(width * 4)
        guard value >= shortest else { throw error(.notShortest) }
        offset += 1 + width
        return (major, value)
    }

    @inline(__always)
    private func argument<Number: FixedWidthInteger & BitwiseCopyable>() -> Number {
        base.loadUnaligned(fromByteOffset: offset + 1, as: Number.self)
    }
}
