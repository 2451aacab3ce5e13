/// Version negotiation (`protocol.md` §13).
package enum ProtocolVersion {
    /// The newest version that both sides support; `nil` if there is none.
    public static func common(
        _ one: ClosedRange<Int64>, _ other: ClosedRange<Int64>
    ) -> Int64? {
        one.overlaps(other) ? min(one.upperBound, other.upperBound) : nil
    }

    /// The version of a message, whatever the rest contains; `nil` for invalid messages.
    public static func peeked(_ message: [UInt8]) -> Int64? {
        try? message.withUnsafeBufferPointer { bytes throws(CBORError) in
            try CBORReader.peek(UnsafeRawBufferPointer(bytes), as: "message") {
                reader throws(CBORError) in
                _ = try reader.map()
                try reader.expectKey(0)
                return try reader.int()
            }
        }
    }
}

extension CBORReader {
    /// Reads the version of a message, which must be a supported one.
    mutating func version(of versions: ClosedRange<Int64>) throws(CBORError) -> Int64 {
        let start = offset
        let version = try int()
        guard versions.contains(version) else { throw error(.version, at: start) }
        return version
    }
}
