/// Decodes gzip piece by piece, such as a file too large for memory.
///
/// Each output piece is at most 64 KiB, so no input needs more memory than that, whatever it
/// claims.
public struct GzipReader: ~Copyable {
    private var decoder = GzipDecoder()
    private var input: [UInt8] = []
    private var consumed = 0
    /// Whether a member has begun and not ended.
    private var isInside = true
    /// Whether there may be output that did not fit into the previous piece.
    private var isFull = false

    /// A reader at the beginning of a gzip stream.
    public init() {}

    /// The next decompressed bytes; `nil` after the last.
    ///
    /// - Parameter more: Returns the next compressed bytes; `nil` at their end.
    /// - Throws: ``GzipError``, and the errors of `more`.
    public mutating func next(_ more: () throws -> [UInt8]?) throws -> [UInt8]? {
        while true {
            if consumed == input.count, !isFull {
                guard let piece = try more() else {
                    guard !isInside else { throw GzipError.truncated }
                    return nil
                }
                (input, consumed) = (piece, 0)
                continue
            }
            isInside = true
            let output = try decoder.step(input, from: &consumed, isInside: &isInside)
            isFull = isInside && output.count == GzipDecoder.pieceBytes
            if !output.isEmpty { return output }
        }
    }
}
