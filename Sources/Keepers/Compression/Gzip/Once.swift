/// Compresses a single body; use a ``GzipEncoder`` for many.
package func gzip(_ bytes: [UInt8], level: Int = 6) -> [UInt8] {
    var encoder = GzipEncoder(level: level)
    return encoder.encode(bytes)
}

/// Decompresses a single body of at most `limit` bytes; use a ``GzipDecoder`` for many.
package func gunzip(_ bytes: [UInt8], limit: Int) throws(GzipError) -> [UInt8] {
    var decoder = GzipDecoder()
    return try decoder.decode(bytes, limit: limit)
}
