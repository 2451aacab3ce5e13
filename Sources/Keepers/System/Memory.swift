import MacrologPlatform

/// Bytes in memory.
package enum Memory {
    /// Whether two buffers have the same bytes. Not in constant time.
    package static func isEqual(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard left.count == right.count else { return false }
        guard let one = left.baseAddress, let other = right.baseAddress else { return true }
        return memcmp(one, other, left.count) == 0
    }
}
