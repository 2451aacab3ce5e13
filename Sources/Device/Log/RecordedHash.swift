import MacrologEvents
import MacrologWire
package import MacrologSQLite

/// Detects damage to this device's own events until the server has sealed them: the first eight
/// bytes of the SHA-256 of an event's bytes, beside it in the table.
///
/// A sealed event has a digest, and can be fetched again. An unsealed one exists nowhere else, so
/// damage must be detected before it is sent. The original cannot be restored from damaged bytes:
/// they are set aside, and never sent.
package struct RecordedHash: Hashable, Sendable, Bindable {
    let rawValue: Int64

    package init(of body: UnsafeRawBufferPointer) {
        let words = SHA256.words(body)
        rawValue = Int64(bitPattern: UInt64(words[0]) << 32 | UInt64(words[1]))
    }

    /// Whether an event is as it was recorded.
    ///
    /// - Parameters:
    ///   - body: The stored bytes.
    ///   - hash: The stored hash; `nil` for an event that came from the server, is a skeleton, or
    ///     was recorded by an older version; such an event is accepted.
    package static func fits(_ body: [UInt8], hash: Int64?) -> Bool {
        guard let hash else { return true }
        return body.withUnsafeBytes { RecordedHash(of: $0).rawValue == hash }
    }

    package func bind(to binder: inout Binder) { rawValue.bind(to: &binder) }
}
