/// Reads deterministic CBOR strictly: what ``CBORWriter`` could not have written is refused, with
/// the byte at which it went wrong.
///
/// The reader borrows the bytes: use it inside ``read(_:_:)`` only. Its memory stays within a small
/// multiple of the input, because no length is believed beyond the bytes that are left.
public struct CBORReader {
    private let base: UnsafeRawBufferPointer
    /// The next byte to read.
    public private(set) var offset = 0
    /// The part being read, for errors.
    public var path: StaticString

    private init(_ base: UnsafeRawBufferPointer, _ path: StaticString) {
        self.base = base
        self.path = path
    }

    /// Lends a reader of `bytes` to `body` and refuses bytes that it leaves unread.
    public static func read<Result>(
        _ bytes: [UInt8], as path: StaticString = "item",
        _ body: (inout CBORReader) throws(CBORError) -> Result
    ) throws(CBORError) -> Result {
        try bytes.withUnsafeBufferPointer { buffer throws(CBORError) in
            try read(UnsafeRawBufferPointer(buffer), as: path, body)
        }
    }

    /// Lends a reader of `bytes` to `body` and refuses bytes that it leaves unread.
    public static func read<Result>(
        _ bytes: UnsafeRawBufferPointer, as path: StaticString = "item",
        _ body: (inout CBORReader) throws(CBORError) -> Result
    ) throws(CBORError) -> Result {
        var reader = CBORReader(bytes, path)
        let result = try body(&reader)
        guard reader.offset == bytes.count else { throw reader.error(.trailingBytes) }
        return result
    }

    /// An error at the present byte.
    public func error(_ reason: CBORError.Reason) -> CBORError {
        CBORError(reason, at: offset, in: path)
    }

    /// The bytes left.
    public var remaining: Int { base.count - offset }

    /// A whole number.
    @inline(__always)
    public mutating func int() throws(CBORError) -> Int64 {
        let (major, value) = try head()
        guard major <= 1 else { throw mismatch(major) }
        guard value <= UInt64(Int64.max) else { throw error(.integerRange) }
        return major == 0 ? Int64(value) : ~Int64(value)
    }

    /// A whole number in a range.
    public mutating func int(in range: ClosedRange<Int64>) throws(CBORError) -> Int64 {
        let value = try int()
        guard range.contains(value) else { throw error(.shape) }
        return value
    }

    /// Sixteen bytes.
    public mutating func identifier() throws(CBORError) -> Identifier {
        guard remaining >= 17, base[offset] == 0x50 else {
            throw error(remaining < 17 ? .truncated : .unexpectedType)
        }
        let high = base.loadUnaligned(fromByteOffset: offset + 1, as: UInt64.self)
        let low = base.loadUnaligned(fromByteOffset: offset + 9, as: UInt64.self)
        offset += 17
        return Identifier(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
    }

    /// A byte string of at most `limit` bytes, lent without a copy.
    public mutating func lentBytes(limit: Int) throws(CBORError) -> UnsafeRawBufferPointer {
        let (major, count) = try head()
        guard major == 2 else { throw mismatch(major) }
        return try take(count, limit: limit)
    }

    /// A byte string of at most `limit` bytes.
    public mutating func byteString(
        limit: Int = Limits.textBytesMax
    ) throws(CBORError) -> [UInt8] {
        [UInt8](try lentBytes(limit: limit))
    }

    /// A text of at most `limit` UTF-8 bytes.
    public mutating func text(limit: Int = Limits.textBytesMax) throws(CBORError) -> Text {
        let (major, count) = try head()
        guard major == 3 else { throw mismatch(major) }
        return try text(count, limit)
    }

    private mutating func text(_ count: UInt64, _ limit: Int) throws(CBORError) -> Text {
        let start = offset
        let bytes = try take(count, limit: limit)
        guard let string = String(validating: bytes, as: UTF8.self) else {
            offset = start
            throw error(.invalidUTF8)
        }
        return Text(string)
    }

    /// The number of items of an array of at most `limit`.
    public mutating func array(limit: Int = .max) throws(CBORError) -> Int {
        let (major, count) = try head()
        guard major == 4 else { throw mismatch(major) }
        return try items(count, bytesEach: 1, limit: limit)
    }

    /// The number of pairs of a map of at most `limit`.
    public mutating func map(limit: Int = Limits.mapEntriesMax) throws(CBORError) -> Int {
        let (major, count) = try head()
        guard major == 5 else { throw mismatch(major) }
        return try items(count, bytesEach: 2, limit: limit)
    }

    /// False or true.
    public mutating func bool() throws(CBORError) -> Bool {
        let (major, value) = try head()
        guard major == 7, value == 20 || value == 21 else { throw mismatch(major) }
        return value == 21
    }

    /// Whether null comes next; reads it if so.
    public mutating func null() -> Bool {
        guard remaining > 0, base[offset] == 0xF6 else { return false }
        offset += 1
        return true
    }

    /// The type of the next item: 0 and 1 whole number, 2 bytes, 3 text, 4 array, 5 map, 7 simple.
    public func nextMajor() throws(CBORError) -> UInt8 {
        guard remaining > 0 else { throw error(.truncated) }
        return base[offset] >> 5
    }

    /// Any value, nested at most ``Limits/depthMax`` deep in all.
    public mutating func value(depth: Int = 1) throws(CBORError) -> Value {
        guard depth <= Limits.depthMax else { throw error(.limit) }
        let (major, argument) = try head()
        switch major {
        case 0, 1:
            guard argument <= UInt64(Int64.max) else { throw error(.integerRange) }
            return .int(major == 0 ? Int64(argument) : ~Int64(argument))
        case 2: return .bytes([UInt8](try take(argument, limit: Limits.textBytesMax)))
        case 3: return .text(try text(argument, Limits.textBytesMax))
        case 4:
            let count = try items(argument, bytesEach: 1, limit: Limits.eventBytesMax)
            var values: [Value] = []
            values.reserveCapacity(count)
            for _ in 0..<count { values.append(try value(depth: depth + 1)) }
            return .array(values)
        case 5:
            let count = try items(argument, bytesEach: 2, limit: Limits.mapEntriesMax)
            return .map(try entries(count, depth: depth))
        default:
            switch argument {
            case 20: return .bool(false)
            case 21: return .bool(true)
            case 22: return .null
            default: throw error(.unsupported)
            }
        }
    }

    /// A map of values by text.
    public mutating func valueMap(
        depth: Int = 1, nameLimit: Int = Limits.nameBytesMax
    ) throws(CBORError) -> ValueMap {
        let count = try map()
        return try entries(count, depth: depth, nameLimit: nameLimit)
    }

    private mutating func entries(
        _ count: Int, depth: Int, nameLimit: Int = Limits.nameBytesMax
    ) throws(CBORError) -> ValueMap {
        var entries: [ValueMap.Entry] = []
        entries.reserveCapacity(count)
        for index in 0..<count {
            let name = try text(limit: nameLimit)
            if index > 0, !ValueMap.precedes(entries[index - 1].name, name) {
                throw error(.keyOrder)
            }
            entries.append(ValueMap.Entry(name, try value(depth: depth + 1)))
        }
        return ValueMap(canonical: entries)
    }

    private func items(
        _ count: UInt64, bytesEach: Int, limit: Int
    ) throws(CBORError) -> Int {
        guard count <= UInt64(remaining / bytesEach) else { throw error(.truncated) }
        guard count <= UInt64(limit) else { throw error(.limit) }
        return Int(count)
    }

    private mutating func take(
        _ count: UInt64, limit: Int
    ) throws(CBORError) -> UnsafeRawBufferPointer {
        guard count <= UInt64(limit) else { throw error(.limit) }
        guard count <= UInt64(remaining) else { throw error(.truncated) }
        let slice = UnsafeRawBufferPointer(rebasing: base[offset..<offset + Int(count)])
        offset += Int(count)
        return slice
    }

    private func mismatch(_ major: UInt8) -> CBORError {
        error(major == 7 || major == 6 ? .unsupported : .unexpectedType)
    }

    @inline(__always)
    private mutating func head() throws(CBORError) -> (major: UInt8, value: UInt64) {
        guard offset < base.count else { throw error(.truncated) }
        let first = base[offset]
        let low = first & 31
        if low < 24 {
            offset += 1
            return (first >> 5, UInt64(low))
        }
        return try longHead(first)
    }

    private mutating func longHead(
        _ first: UInt8
    ) throws(CBORError) -> (major: UInt8, value: UInt64) {
        let (major, low) = (first >> 5, first & 31)
        if major == 7 {
            // 24: a simple value; 25 to 27: half, single and double floats; 31: break.
            throw error((25...27).contains(low) ? .float : .unsupported)
        }
        guard low != 31 else { throw error(.indefiniteLength) }
        guard low <= 27 else { throw error(.unsupported) }
        let width = 1 << Int(low - 24)
        guard remaining > width else { throw error(.truncated) }
        var value: UInt64 = 0
        for index in 1...width { value = value << 8 | UInt64(base[offset + index]) }
        let shortest: UInt64 = width == 1 ? 24 : 1 << UInt64(width * 4)
        guard value >= shortest else { throw error(.notShortest) }
        offset += 1 + width
        return (major, value)
    }
}
