/// A token, a password or a key: what it belongs to can be printed, dumped and mirrored, and shows that
/// there is one, but not which.
@propertyWrapper
package struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomReflectable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }

    package var description: String { "(secret)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Equatable where Value: Equatable {}
extension Secret: Hashable where Value: Hashable {}

// Stored as if it were the value alone.

extension Secret: Encodable where Value: Encodable {
    package func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension Secret: Decodable where Value: Decodable {
    package init(from decoder: any Decoder) throws { wrappedValue = try Value(from: decoder) }
}
