/// The bytes as gzip, for one body now and then; keep a ``GzipEncoder`` for many.
package func gzip(_ bytes: [UInt8], level: Int = 6) -> [UInt8] {
    var encoder = GzipEncoder(level: level)
    return encoder.encode(bytes)
}

/// The bytes inside gzip, at most `limit` of them, for one body now and then.
package func gunzip(_ bytes: [UInt8], limit: Int) throws(GzipError) -> [UInt8] {
    var decoder = GzipDecoder()
    return try decoder.decode(bytes, limit: limit)
}
