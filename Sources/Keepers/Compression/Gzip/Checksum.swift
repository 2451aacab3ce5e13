import CMacrologZlib

/// The CRC-32 of gzip and zip files (RFC 1952, section 8), computed piece by piece.
public struct Checksum: Sendable {
    /// Of what was added so far.
    public private(set) var value: UInt32 = 0

    /// Of no bytes.
    public init() {}

    /// Adds the next bytes.
    public mutating func add(_ bytes: [UInt8]) {
        value = UInt32(
            truncatingIfNeeded: crc32_z(UInt(value), bytes, z_size_t(bytes.count)))
    }
}
