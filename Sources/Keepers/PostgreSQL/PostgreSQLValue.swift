/// A value that can be bound to one `?` of a statement, in PostgreSQL's binary form.
package protocol PostgreSQLValue {
    /// The number of its type in PostgreSQL; 0 for that which the statement expects.
    static var type: UInt32 { get }
    /// Appends exactly one value for each `?` that it stands for.
    func append(to parameters: inout PostgreSQLParameters)
}

/// The values of one statement, from left to right.
package struct PostgreSQLParameters {
    fileprivate(set) var types: [UInt32] = []
    private var lengths: [Int32] = []
    /// Where each value begins in `bytes`; -1 for `NULL`.
    private var offsets: [Int] = []
    private var bytes: [UInt8] = []

    mutating func append<Value: PostgreSQLValue>(_ value: Value) {
        let before = offsets.count
        value.append(to: &self)
        types += repeatElement(Value.type, count: offsets.count - before)
    }

    /// `NULL`.
    package mutating func null() {
        offsets.append(-1)
        lengths.append(0)
    }

    /// A `bigint`.
    package mutating func integer(_ value: Int64) {
        withUnsafeBytes(of: value.bigEndian) { these($0) }
    }

    /// A `bytea` or a `text` of these bytes.
    package mutating func these(_ value: UnsafeRawBufferPointer) {
        offsets.append(bytes.count)
        lengths.append(Int32(value.count))
        bytes.append(contentsOf: value)
        // A pointer to an empty value must point to something.
        if value.isEmpty { bytes.append(0) }
    }

    /// Lends the values as libpq wants them: where each is, how long it is, and that it is binary.
    func lend<Result>(
        _ body: (
            _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
        ) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { memory in
            let values = offsets.map { offset in
                offset < 0
                    ? nil
                    : memory.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self)
            }
            return body(values, lengths, [Int32](repeating: 1, count: offsets.count))
        }
    }
}

extension Int64: PostgreSQLValue {
    package static var type: UInt32 { 20 }
    package func append(to parameters: inout PostgreSQLParameters) { parameters.integer(self) }
}

extension Int: PostgreSQLValue {
    package static var type: UInt32 { Int64.type }
    package func append(to parameters: inout PostgreSQLParameters) {
        parameters.integer(Int64(self))
    }
}

extension UInt32: PostgreSQLValue {
    package static var type: UInt32 { Int64.type }
    package func append(to parameters: inout PostgreSQLParameters) {
        parameters.integer(Int64(self))
    }
}

extension Bool: PostgreSQLValue {
    /// The `bigint` 1 or 0, as in SQLite.
    package static var type: UInt32 { Int64.type }
    package func append(to parameters: inout PostgreSQLParameters) {
        parameters.integer(self ? 1 : 0)
    }
}

extension String: PostgreSQLValue {
    package static var type: UInt32 { 25 }
    package func append(to parameters: inout PostgreSQLParameters) {
        var copy = self
        copy.withUTF8 { parameters.these(UnsafeRawBufferPointer($0)) }
    }
}

extension Array: PostgreSQLValue where Element == UInt8 {
    package static var type: UInt32 { 17 }
    package func append(to parameters: inout PostgreSQLParameters) {
        withUnsafeBytes { parameters.these($0) }
    }
}

extension ArraySlice: PostgreSQLValue where Element == UInt8 {
    package static var type: UInt32 { [UInt8].type }
    package func append(to parameters: inout PostgreSQLParameters) {
        withUnsafeBytes { parameters.these($0) }
    }
}

extension Optional: PostgreSQLValue where Wrapped: PostgreSQLValue {
    package static var type: UInt32 { Wrapped.type }
    package func append(to parameters: inout PostgreSQLParameters) {
        switch self {
        case .some(let value): value.append(to: &parameters)
        case .none: parameters.null()
        }
    }
}

/// A `bigint[]`.
package struct PostgreSQLNumbers: PostgreSQLValue, Sendable {
    package static var type: UInt32 { 1016 }
    private let numbers: [Int64]

    package init(_ numbers: [Int64]) { self.numbers = numbers }

    package func append(to parameters: inout PostgreSQLParameters) {
        parameters.array(of: Int64.type, count: numbers.count, bytes: numbers.count * 8) { bytes in
            for number in numbers {
                bytes.append(bigEndian: UInt32(8))
                bytes.append(bigEndian: number)
            }
        }
    }
}

/// A `bytea[]`.
package struct PostgreSQLByteStrings: PostgreSQLValue, Sendable {
    package static var type: UInt32 { 1001 }
    private let strings: [[UInt8]]

    package init(_ strings: [[UInt8]]) { self.strings = strings }

    package func append(to parameters: inout PostgreSQLParameters) {
        let count = strings.reduce(0) { $0 + $1.count }
        parameters.array(of: [UInt8].type, count: strings.count, bytes: count) { bytes in
            for string in strings {
                bytes.append(bigEndian: UInt32(string.count))
                bytes += string
            }
        }
    }
}

extension PostgreSQLParameters {
    /// An array of one dimension without NULLs, whose first index is 1.
    ///
    /// - Parameter size: The bytes of all elements without their lengths.
    fileprivate mutating func array(
        of element: UInt32, count: Int, bytes size: Int, elements: (inout [UInt8]) -> Void
    ) {
        offsets.append(bytes.count)
        let start = bytes.count
        bytes.reserveCapacity(start + 20 + count * 4 + size)
        for number in [1, 0, element, UInt32(count), 1] { bytes.append(bigEndian: number) }
        elements(&bytes)
        lengths.append(Int32(bytes.count - start))
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
