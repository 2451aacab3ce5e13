/// Why bytes are not deterministic CBOR as defined by `protocol.md` §3.
package struct CBORError: Error, Hashable, Sendable {
    /// The kind of error.
    public enum Code: String, Hashable, Sendable {
        /// The bytes end inside an item.
        case truncated
        /// Bytes follow the item.
        case trailingBytes
        /// A number or length is not in its shortest form.
        case notShortest
        /// A length is indefinite.
        case indefiniteLength
        /// A float; values are whole numbers.
        case float
        /// A tag, `undefined`, or a simple value other than false, true and null.
        case unsupported
        /// An integer outside ±2^63.
        case integerRange
        /// A text is not valid UTF-8.
        case invalidUTF8
        /// The keys of a map are not in bytewise order of their encodings, or a key is duplicated.
        case keyOrder
        /// An item has another type than expected.
        case unexpectedType
        /// A limit of ``Limits`` is exceeded.
        case limit
        /// Well-formed, but not allowed here by `protocol.md`.
        case shape
        /// A message has a protocol version that this build does not support.
        case version
    }

    /// The kind of error.
    public let code: Code
    /// The offset of the first byte of the item in error, from 0: of the incomplete item if the
    /// bytes end early, or of the first extra byte after the item.
    public let offset: Int
    /// The part being read, such as `event.changes`.
    public let path: StaticString

    /// Memberwise initializer.
    public init(_ code: Code, at offset: Int, in path: StaticString = "item") {
        self.code = code
        self.offset = offset
        self.path = path
    }

    /// Compares code and offset.
    public static func == (left: CBORError, right: CBORError) -> Bool {
        left.code == right.code && left.offset == right.offset
    }

    /// Hashes code and offset.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(offset)
    }
}

extension CBORError: CustomStringConvertible {
    /// A sentence that names the byte, never its content.
    public var description: String {
        let problem =
            switch code {
            case .truncated: "the bytes end too early"
            case .trailingBytes: "there are bytes after the end"
            case .notShortest: "a number is not in its shortest form"
            case .indefiniteLength: "a length is indefinite"
            case .float: "there is a floating-point number; values are whole numbers"
            case .unsupported: "there is a tag or an unsupported simple value"
            case .integerRange: "an integer is outside 64 bits"
            case .invalidUTF8: "a text is not UTF-8"
            case .keyOrder: "map keys are out of order or repeated"
            case .unexpectedType: "an item has the wrong type"
            case .limit: "a size limit is passed"
            case .shape: "an item is not allowed here"
            case .version: "the protocol's version is unknown here"
            }
        return "\(problem) (\(path), byte \(offset))"
    }
}
