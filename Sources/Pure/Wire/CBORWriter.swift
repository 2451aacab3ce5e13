package import MacrologEvents

/// Writes deterministic CBOR (RFC 8949 §4.2): shortest heads, definite lengths, sorted keys.
///
/// The bytes lie in memory of its own, which grows. An array of bytes would ask at each byte whether others
/// share it, which takes three times as long.
package struct CBORWriter: ~Copyable {
    /// Frees the memory. An object does it, because a structure's `deinit` is not visible to other modules in
    /// Embedded Swift.
    private final class Owner {
        let memory: UnsafeMutableRawPointer?

        init(_ bytes: Int) {
            memory = bytes > 0 ? .allocate(byteCount: bytes, alignment: 1) : nil
        }

        deinit { memory?.deallocate() }
    }

    private var owner: Owner
    /// That of the owner, to be read without it.
    private var memory: UnsafeMutableRawPointer?
    private var capacity: Int
    /// How many bytes are written.
    package private(set) var count = 0

    /// An empty writer with `capacity` bytes reserved.
    public init(capacity: Int = 256) {
        owner = Owner(capacity)
        memory = owner.memory
        self.capacity = capacity
    }

    /// A copy of the bytes written so far.
    public var bytes: [UInt8] { withBytes { [UInt8]($0) } }

    /// Lends the bytes written so far.
    package func withBytes<T, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> T
    ) throws(E) -> T {
        try body(UnsafeRawBufferPointer(start: memory, count: count))
    }

    /// Discards the written bytes and keeps the capacity.
    public mutating func reset() { count = 0 }

    /// A whole number.
    public mutating func int(_ value: Int64) {
        let sign = value >> 63
        head(UInt8(truncatingIfNeeded: sign & 1), UInt64(bitPattern: value ^ sign))
    }

    /// A byte string.
    public mutating func byteString(_ value: some Collection<UInt8>) {
        head(2, UInt64(value.count))
        encoded(value)
    }

    /// Sixteen bytes.
    public mutating func identifier(_ value: Identifier) {
        reserve(17)
        put(0x50 as UInt8)
        put(value.high)
        put(value.low)
    }

    /// A text.
    public mutating func text(_ value: UTF8Text) {
        let size = value.byteCount
        head(3, UInt64(size), and: size)
        value.withBytes { put($0) }
    }

    /// The head of an array of `count` items, which follow.
    public mutating func array(_ count: Int) { head(4, UInt64(count)) }

    /// The head of a map of `count` pairs, which follow in canonical order.
    public mutating func map(_ count: Int) { head(5, UInt64(count)) }

    /// False or true.
    public mutating func bool(_ value: Bool) { simple(value ? 0xF5 : 0xF4) }

    /// Null.
    public mutating func null() { simple(0xF6) }

    /// Bytes that are already encoded.
    public mutating func encoded(_ bytes: some Collection<UInt8>) {
        let size = bytes.count
        reserve(size)
        UnsafeMutableRawBufferPointer(start: memory, count: capacity)[count...]
            .copyBytes(from: bytes)
        count &+= size
    }

    /// Any value.
    public mutating func value(_ value: Value) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .int(let value): int(value)
        case .text(let value): text(value)
        case .bytes(let value): byteString(value)
        case .array(let values):
            array(values.count)
            for index in values.indices { self.value(at: index, of: values) }
        case .map(let values): map(values)
        }
    }

    /// A map of values.
    public mutating func map(_ values: ValueMap) {
        map(values.entries.count)
        for index in values.entries.indices {
            text(values.entries[index].name)
            value(at: index, of: values)
        }
    }

    // Any other value would be copied first, which retains it; most are numbers.

    /// The value at an index of a map.
    @inline(__always)
    mutating func value(at index: Int, of values: ValueMap) {
        if case .int(let number) = values.entries[index].value { return int(number) }
        if case .text(let text) = values.entries[index].value { return self.text(text) }
        value(values.entries[index].value)
    }

    /// The value at an index of an array.
    @inline(__always)
    private mutating func value(at index: Int, of values: [Value]) {
        if case .int(let number) = values[index] { return int(number) }
        if case .null = values[index] { return null() }
        value(values[index])
    }

    private mutating func simple(_ byte: UInt8) {
        reserve(1)
        put(byte)
    }

    /// Writes a head, and makes room for a number of bytes after it.
    @inline(__always)
    private mutating func head(_ major: UInt8, _ value: UInt64, and following: Int = 0) {
        reserve(Self.headBytesMax &+ following)
        if value < 24 {
            put(major << 5 | UInt8(truncatingIfNeeded: value))
        } else {
            longHead(major, value)
        }
    }

    private static let headBytesMax = 9

    private mutating func longHead(_ major: UInt8, _ value: UInt64) {
        let width: UInt8 = value <= 0xFF ? 0 : value <= 0xFFFF ? 1 : value <= 0xFFFF_FFFF ? 2 : 3
        put(major << 5 | 24 | width)
        let size = 1 &<< Int(width)
        // There is room for the longest head.
        put(value &<< UInt64(64 &- 8 &* size))
        count &-= 8 &- size
    }

    // What follows writes where room was made before.

    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        memory?.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    @inline(__always)
    private mutating func put(_ value: UInt64) {
        memory?.storeBytes(of: value.bigEndian, toByteOffset: count, as: UInt64.self)
        count &+= 8
    }

    @inline(__always)
    private mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard let from = bytes.baseAddress, let memory else { return }
        (memory + count).copyMemory(from: from, byteCount: bytes.count)
        count &+= bytes.count
    }

    /// Makes room for a number of bytes.
    @inline(__always)
    private mutating func reserve(_ bytes: Int) {
        if capacity &- count < bytes { grow(by: bytes) }
    }

    @inline(never)
    private mutating func grow(by bytes: Int) {
        capacity = max(2 * capacity, count + bytes, 64)
        let larger = Owner(capacity)
        if let memory { larger.memory?.copyMemory(from: memory, byteCount: count) }
        owner = larger
        memory = larger.memory
    }
}
