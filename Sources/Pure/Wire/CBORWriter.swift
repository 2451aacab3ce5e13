package import MacrologEvents

/// Writes deterministic CBOR (RFC 8949 §4.2): shortest heads, definite lengths, sorted keys.
package struct CBORWriter: Sendable {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8]

    /// An empty writer with `capacity` bytes reserved.
    public init(capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Discards the written bytes and keeps the capacity.
    public mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// A whole number.
    @inline(__always)
    public mutating func int(_ value: Int64) {
        value >= 0 ? head(0, UInt64(value)) : head(1, UInt64(bitPattern: ~value))
    }

    /// A byte string.
    public mutating func byteString(_ value: some Collection<UInt8>) {
        head(2, UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Sixteen bytes.
    public mutating func identifier(_ value: Identifier) {
        bytes.append(0x50)
        fixed(value.high)
        fixed(value.low)
    }

    /// A text.
    public mutating func text(_ value: UTF8Text) {
        head(3, UInt64(value.byteCount))
        value.withBytes { bytes.append(contentsOf: $0) }
    }

    /// The head of an array of `count` items, which follow.
    public mutating func array(_ count: Int) { head(4, UInt64(count)) }

    /// The head of a map of `count` pairs, which follow in canonical order.
    public mutating func map(_ count: Int) { head(5, UInt64(count)) }

    /// False or true.
    public mutating func bool(_ value: Bool) { bytes.append(value ? 0xF5 : 0xF4) }

    /// Null.
    public mutating func null() { bytes.append(0xF6) }

    /// Bytes that are already one encoded item.
    public mutating func encoded(_ item: some Collection<UInt8>) { bytes.append(contentsOf: item) }

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
            for element in values { self.value(element) }
        case .map(let values): map(values)
        }
    }

    /// A map of values.
    public mutating func map(_ values: ValueMap) {
        map(values.entries.count)
        for entry in values.entries {
            text(entry.name)
            value(entry.value)
        }
    }

    @inline(__always)
    private mutating func head(_ major: UInt8, _ value: UInt64) {
        if value < 24 {
            bytes.append(major << 5 | UInt8(truncatingIfNeeded: value))
        } else {
            longHead(major, value)
        }
    }

    private mutating func longHead(_ major: UInt8, _ value: UInt64) {
        let width = value <= 0xFF ? 0 : value <= 0xFFFF ? 1 : value <= 0xFFFF_FFFF ? 2 : 3
        bytes.append(major << 5 | UInt8(24 + width))
        var shift = UInt64(8 << width)
        while shift > 0 {
            shift &-= 8
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    private mutating func fixed(_ value: UInt64) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
