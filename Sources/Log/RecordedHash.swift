import Events
import SQLite

/// By what a device knows, until the hub has sealed them, whether its own events are as they were
/// recorded: the first eight bytes of the SHA-256 of an event's bytes, beside it in the table.
///
/// A sealed event has a digest, and can be had again. One that waits is nowhere else, so a flipped bit
/// must be noticed before it is sent, and flipped back.
struct RecordedHash: Hashable, Sendable, Bindable {
    let rawValue: Int64

    init(of body: UnsafeRawBufferPointer) {
        let words = SHA256.words(body)
        rawValue = Int64(bitPattern: UInt64(words[0]) << 32 | UInt64(words[1]))
    }

    private init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// What was recorded, as far as the file still tells: its bytes, or those with one bit flipped.
    /// `nil` where more is wrong, and where a bit is in more than 4,096 bytes.
    ///
    /// - Parameters:
    ///   - body: The bytes as they stand.
    ///   - hash: The number beside them; `nil` for an event that older versions recorded, which is
    ///     taken as it is.
    static func recorded(_ body: [UInt8], hash: Int64?) -> [UInt8]? {
        guard let hash else { return body }
        let wanted = RecordedHash(rawValue: hash)
        var body = body
        return body.withUnsafeMutableBytes { wanted.isFound(byFlippingIn: $0) } ? body : nil
    }

    /// Whether a hash is that of some bytes, to the bit.
    static func isExact(_ hash: Int64, of body: [UInt8]) -> Bool {
        body.withUnsafeBytes { RecordedHash(of: $0).rawValue == hash }
    }

    private func isFound(byFlippingIn body: UnsafeMutableRawBufferPointer) -> Bool {
        // It may be a bit of the hash that has flipped.
        let difference = rawValue ^ RecordedHash(of: .init(body)).rawValue
        if difference.nonzeroBitCount <= 1 { return true }
        guard body.count <= Self.searchedBytesMax else { return false }
        for index in body.indices {
            for bit in 0..<8 as Range<UInt8> {
                body[index] ^= 1 << bit
                if RecordedHash(of: .init(body)) == self { return true }
                body[index] ^= 1 << bit
            }
        }
        return false
    }

    /// Half a second's search; what people record is a tenth as long.
    private static let searchedBytesMax = 4_096

    func bind(to binder: inout Binder) { rawValue.bind(to: &binder) }
}
