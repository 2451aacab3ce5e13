import CMacrologZlib

/// Encodes gzip (RFC 1952). Reuse one instance for many bodies: its 256 KiB are allocated once.
///
/// The output is deterministic for the same bytes, level and zlib: it contains no time.
package struct GzipEncoder: ~Copyable {
    /// On the heap, because zlib's state points back at its stream.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameter level: From 1, fast, to 9, small.
    package init(level: Int = 6) {
        precondition((1...9).contains(level), "a gzip level is 1 to 9")
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 bits are zlib's largest window; adding 16 selects gzip's format; 8 is the default
        // memory level.
        let code = deflateInit2_(
            stream, Int32(level), Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(code == Z_OK, "zlib has no memory or another version")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// The bytes, compressed, as one gzip member. At most 1 GiB at once.
    package mutating func encode(_ bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count <= 1 << 30, "too much to compress at once")
        deflateReset(stream)
        let room = Int(deflateBound(stream, UInt(bytes.count)))
        return bytes.withUnsafeBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: room) { output, count in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = UInt32(input.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(room)
                let code = deflate(stream, Z_FINISH)
                precondition(code == Z_STREAM_END, "deflateBound is always enough")
                count = room - Int(stream.pointee.avail_out)
            }
        }
    }
}
