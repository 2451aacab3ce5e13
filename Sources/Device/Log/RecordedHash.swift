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

    package init(of body: UnsafeRawBufferPointer) { self.init(SHA256.words(body)) }

    init(_ words: SHA256.Words) {
        rawValue = Int64(bitPattern: UInt64(words[0]) << 32 | UInt64(words[1]))
    }

    /// Whether an event is as it was recorded.
    package static func fits(_ body: [UInt8], hash: Int64?) -> Bool {
        hash == nil || body.withUnsafeBytes { words(of: $0, recorded: hash) } != nil
    }

    /// The SHA-256 of the bytes of an event that is as it was recorded; `nil` for another.
    ///
    /// - Parameters:
    ///   - body: The stored bytes.
    ///   - hash: The stored hash; `nil` for an event that came from the server, is a skeleton, or
    ///     was recorded by an older version; such an event is accepted.
    static func words(
        of body: UnsafeRawBufferPointer, recorded hash: Int64?
    ) -> SHA256.Words? {
        let words = SHA256.words(body)
        guard let hash else { return words }
        return RecordedHash(words).rawValue == hash ? words : nil
    }

    package func bind(to binder: inout Binder) { rawValue.bind(to: &binder) }
}
