/// A JSON value whose objects keep their order and whose numbers keep their digits.
public enum JSON: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number that is not an `Int64`, as its text: `80.25`, `1e400`, `-0`.
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    /// One key and its value.
    public struct Member: Equatable, Sendable {
        /// The name.
        public let key: String
        /// The value.
        public let value: JSON

        /// Pairs a name with a value.
        public init(_ key: String, _ value: JSON) {
            self.key = key
            self.value = value
        }

        /// Equality of the key's bytes and of the value.
        public static func == (left: Member, right: Member) -> Bool {
            left.key.isSame(as: right.key) && left.value == right.value
        }
    }
}

extension JSON: Equatable {
    /// Equality of the same kind of value, digit by digit and byte by byte: `1` is not `1.0`.
    public static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left.isSame(as: right)
        case (.string(let left), .string(let right)): left.isSame(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `nil` is null.
    public init(nilLiteral: ()) { self = .null }
    /// A literal `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A literal whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A literal string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A literal array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// A literal object, whose members keep their order.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}

extension JSON {
    /// A string, or null where there is none.
    public static func optional(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }

    /// An integer, or null where there is none.
    public static func optional(_ value: Int64?) -> JSON { value.map { .integer($0) } ?? .null }

    /// The member of an object, or `nil`.
    public subscript(key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.isSame(as: key) }?.value
    }

    /// The text of a string, or `nil`.
    public var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The value of an integer, or `nil`.
    public var integer: Int64? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    /// The value of a truth, or `nil`.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The elements of an array, or `nil`.
    public var array: [JSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members of an object, or `nil`.
    public var object: [Member]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}

extension JSON {
    /// A whole number of parts as a decimal: 80,250 with scale 3 is `80.25`, and 80,000 is `80`.
    public static func decimal(_ value: Int64, scale: Int) -> JSON {
        var digits = Array(String(value.magnitude).utf8)
        while digits.count <= scale { digits.insert(UInt8(ascii: "0"), at: 0) }
        var fraction = digits.suffix(scale)
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        let whole =
            (value < 0 ? "-" : "") + String(decoding: digits.dropLast(scale), as: UTF8.self)
        guard !fraction.isEmpty else { return Int64(whole).map { .integer($0) } ?? .number(whole) }
        return .number(whole + "." + String(decoding: fraction, as: UTF8.self))
    }
}

extension String {
    /// Whether both have the same UTF-8 bytes. `==` would be canonical equivalence.
    func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
