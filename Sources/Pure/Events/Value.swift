/// The value of a field: whole numbers and text, never a float, so that every replica computes the
/// same bytes. An array or a map is one value: it is replaced as a whole.
public enum Value: Hashable, Sendable {
    /// No value: an unset field.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number; the field's name states its unit.
    case int(Int64)
    /// UTF-8 text.
    case text(UTF8Text)
    /// Bytes, such as a hash.
    case bytes([UInt8])
    /// Values in order.
    case array([Value])
    /// Values by name, in canonical order (see ``ValueMap``).
    case map(ValueMap)
}

extension Value {
    /// The number, when this is one.
    public var int: Int64? { if case .int(let value) = self { value } else { nil } }
    /// The text, when this is text.
    public var text: UTF8Text? { if case .text(let value) = self { value } else { nil } }
    /// The Boolean, when this is one.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The bytes, when this is bytes.
    package var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    /// The elements, when this is an array.
    package var array: [Value]? { if case .array(let value) = self { value } else { nil } }
    /// The entries, when this is a map.
    package var map: ValueMap? { if case .map(let value) = self { value } else { nil } }
    /// Whether this is ``null``.
    public var isNull: Bool { if case .null = self { true } else { false } }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral
{
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// Text.
    public init(stringLiteral value: String) { self = .text(UTF8Text(value)) }
    /// A Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An array.
    public init(arrayLiteral elements: Value...) { self = .array(elements) }
}

/// Values by name, kept in the canonical order of RFC 8949 §4.2.1: shorter names first, then bytes.
public struct ValueMap: Hashable, Sendable {
    /// One name and its value.
    public struct Entry: Hashable, Sendable {
        /// The name; no other entry of the map has it.
        public let name: UTF8Text
        /// The value under that name.
        public var value: Value

        /// Pairs a name and a value.
        package init(_ name: UTF8Text, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// The entries in canonical order; no name occurs twice.
    public private(set) var entries: [Entry] = []

    /// An empty map.
    package init() {}

    /// Creates a map from entries in any order; a later entry of the same name replaces an earlier
    /// one.
    package init(_ entries: [Entry]) {
        self.entries.reserveCapacity(entries.count)
        for entry in entries { self[entry.name] = entry.value }
    }

    /// For decoders that have checked that the entries are in canonical order without duplicates.
    package init(canonical entries: [Entry]) {
        self.entries = entries
    }

    /// The value of a name; setting `nil` removes it.
    public subscript(name: UTF8Text) -> Value? {
        get {
            let index = position(of: name)
            return index < entries.count && entries[index].name == name ? entries[index].value : nil
        }
        set {
            let index = position(of: name)
            let exists = index < entries.count && entries[index].name == name
            switch (newValue, exists) {
            case (let value?, true): entries[index].value = value
            case (let value?, false) where index == entries.count:
                entries.append(Entry(name, value))
            case (let value?, false): entries.insert(Entry(name, value), at: index)
            case (nil, true): entries.remove(at: index)
            case (nil, false): break
            }
        }
    }

    private func position(of name: UTF8Text) -> Int {
        // Names often come in their order, and one that is not there is often longer than all.
        guard let last = entries.indices.last, !Self.precedes(entries[last].name, name) else {
            return entries.count
        }
        var low = 0
        var high = last
        while low < high {
            let middle = (low + high) / 2
            if Self.precedes(entries[middle].name, name) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The canonical order of names.
    package static func precedes(_ left: UTF8Text, _ right: UTF8Text) -> Bool {
        left.byteCount == right.byteCount ? left < right : left.byteCount < right.byteCount
    }
}

extension ValueMap: ExpressibleByDictionaryLiteral {
    /// Creates a map from a literal; the last entry of a duplicated name is used.
    public init(dictionaryLiteral elements: (UTF8Text, Value)...) {
        entries.reserveCapacity(elements.count)
        for (name, value) in elements { self[name] = value }
    }
}

extension Value {
    /// Whether its encoding comes first, bytewise: by the head, which is a type and a
    /// number or length, then by what follows the head. No value is encoded for it.
    package func precedes(_ other: Value) -> Bool {
        let (head, otherHead) = (self.head, other.head)
        guard head == otherHead else { return head < otherHead }
        return switch (self, other) {
        case (.text(let left), .text(let right)): left < right
        case (.bytes(let left), .bytes(let right)): left.lexicographicallyPrecedes(right)
        case (.array(let left), .array(let right)):
            zip(left, right).first { $0 != $1 }.map { $0.precedes($1) } ?? false
        case (.map(let left), .map(let right)):
            zip(left.entries, right.entries).first { $0 != $1 }.map { left, right in
                left.name == right.name
                    ? left.value.precedes(right.value) : ValueMap.precedes(left.name, right.name)
            } ?? false
        default: false
        }
    }

    /// The major type and the argument of the encoding's head (RFC 8949 §3).
    private var head: (major: UInt8, argument: UInt64) {
        switch self {
        case .int(let value) where value >= 0: (0, UInt64(value))
        case .int(let value): (1, UInt64(bitPattern: ~value))
        case .bytes(let bytes): (2, UInt64(bytes.count))
        case .text(let text): (3, UInt64(text.byteCount))
        case .array(let values): (4, UInt64(values.count))
        case .map(let map): (5, UInt64(map.entries.count))
        case .bool(let value): (7, value ? 21 : 20)
        case .null: (7, 22)
        }
    }
}
