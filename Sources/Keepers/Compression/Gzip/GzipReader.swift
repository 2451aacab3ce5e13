/// Reads gzip that comes in pieces, such as a file too large to be held.
///
/// Each piece that goes out is at most 64 KiB, so that no input costs more memory than that,
/// whatever it claims.
package struct GzipReader: ~Copyable {
    private var decoder = GzipDecoder()
    private var input: [UInt8] = []
    private var consumed = 0
    /// Whether a member has begun and not ended.
    private var isInside = true
    /// Whether bytes may be ready that had no room in the piece before.
    private var isFull = false

    /// A reader that stands at the beginning of gzip.
    package init() {}

    /// The next bytes that were compressed; `nil` after the last.
    ///
    /// - Parameter more: The next compressed bytes; `nil` at their end.
    /// - Throws: ``GzipError``, and what `more` throws.
    package mutating func next(_ more: () throws -> [UInt8]?) throws -> [UInt8]? {
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
