/// Lends a text to JavaScript, for as long as the module lives.
///
/// - Returns: The address of its bytes in the upper 32 bits, and their number in the lower ones.
func lent(_ text: String) -> UInt64 {
    let utf8 = Array(text.utf8)
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: utf8.count)
    _ = bytes.initialize(from: utf8)
    return UInt64(UInt(bitPattern: bytes.baseAddress)) << 32 | UInt64(utf8.count)
}
