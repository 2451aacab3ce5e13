extension [UInt8] {
    /// Lends the bytes. As `withUnsafeBytes` of the standard library, which loses the type of an
    /// error.
    @inlinable
    package func withBytes<T, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> T
    ) throws(E) -> T {
        try withUnsafeBufferPointer { bytes throws(E) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}
