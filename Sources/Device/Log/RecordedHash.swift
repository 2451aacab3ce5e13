import MacrologEvents
import MacrologSQLite

/// By what a device knows, until the hub has sealed them, whether its own events are as they were
/// recorded: the first eight bytes of the SHA-256 of an event's bytes, beside it in the table.
///
/// A sealed event has a digest, and can be had again. One that waits is nowhere else, so damage must
/// be noticed before it is sent. What was recorded can't be told from damaged bytes: they are set
/// aside, and never sent.
struct RecordedHash: Hashable, Sendable, Bindable {
    let rawValue: Int64

    init(of body: UnsafeRawBufferPointer) {
        let words = SHA256.words(body)
        rawValue = Int64(bitPattern: UInt64(words[0]) << 32 | UInt64(words[1]))
    }

    /// Whether an event is as it was recorded.
    ///
    /// - Parameters:
    ///   - body: The bytes as they stand.
    ///   - hash: The number beside them; `nil` for an event that came from the hub, is a skeleton, or
    ///     was recorded by an older version, which is taken as it is.
    static func fits(_ body: [UInt8], hash: Int64?) -> Bool {
        guard let hash else { return true }
        return body.withUnsafeBytes { RecordedHash(of: $0).rawValue == hash }
    }

    func bind(to binder: inout Binder) { rawValue.bind(to: &binder) }
}
