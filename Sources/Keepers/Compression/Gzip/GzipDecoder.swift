import CMacrologZlib

/// Decodes gzip (RFC 1952) up to a size limit. Reuse one instance for many bodies.
package struct GzipDecoder: ~Copyable {
    /// On the heap, because zlib's state points back at its stream.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Allocates the state; the window is allocated at the first use.
    package init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 bits are zlib's largest window; adding 16 accepts gzip's format only.
        let code = inflateInit2_(
            stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(code == Z_OK, "zlib has no memory or another version")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// The decompressed bytes of all members of the stream.
    ///
    /// - Parameters:
    ///   - bytes: At most 1 GiB of gzip, untrusted.
    ///   - limit: The maximum size of the result, in bytes. Little more than that is allocated,
    ///     whatever the input claims.
    /// - Throws: ``GzipError``.
    package mutating func decode(
        _ bytes: [UInt8], limit: Int
    ) throws(GzipError) -> [UInt8] {
        precondition(limit >= 0 && bytes.count <= 1 << 30)
        inflateReset(stream)
        var output: [UInt8] = []
        var consumed = 0
        while true {
            // One byte more than the limit suffices to detect an overlong result.
            let room = min(Self.pieceBytes, limit - output.count + 1)
            let (piece, code) = inflatePiece(of: bytes, from: &consumed, room: room)
            if output.isEmpty { output = piece } else { output += piece }
            guard output.count <= limit else { throw .tooLarge(limit: limit) }
            switch code {
            case Z_STREAM_END where consumed == bytes.count: return output
            case Z_STREAM_END: inflateReset(stream)
            case Z_OK where consumed < bytes.count || piece.count == room: continue
            case Z_OK, Z_BUF_ERROR: throw .truncated
            default: throw .malformed
            }
        }
    }

    /// Up to 64 KiB of decompressed bytes, from a part of the stream that continues where the last
    /// one stopped.
    ///
    /// - Parameters:
    ///   - consumed: Set to the number of input bytes read.
    ///   - isInside: Set to whether the current member continues after these bytes.
    mutating func step(
        _ bytes: [UInt8], from consumed: inout Int, isInside: inout Bool
    ) throws(GzipError) -> [UInt8] {
        let (piece, code) = inflatePiece(of: bytes, from: &consumed, room: Self.pieceBytes)
        switch code {
        case Z_STREAM_END:
            inflateReset(stream)
            isInside = false
        // No progress until there is more input.
        case Z_OK, Z_BUF_ERROR: break
        default: throw .malformed
        }
        return piece
    }

    static let pieceBytes = 65_536

    private mutating func inflatePiece(
        of bytes: [UInt8], from consumed: inout Int, room: Int
    ) -> (piece: [UInt8], code: Int32) {
        var code = Z_OK
        let piece = bytes.withUnsafeBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: room) { output, count in
                let rest = input[consumed...]
                stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: input.baseAddress.map { $0 + consumed })
                stream.pointee.avail_in = UInt32(rest.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(room)
                code = inflate(stream, Z_NO_FLUSH)
                count = room - Int(stream.pointee.avail_out)
                consumed = input.count - Int(stream.pointee.avail_in)
            }
        }
        return (piece, code)
    }
}

/// Why bytes were not accepted as gzip.
public enum GzipError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The result would exceed the limit, in bytes.
    case tooLarge(limit: Int)
    /// The stream ends too early.
    case truncated
    /// The bytes are not gzip, are damaged, or are followed by something else.
    case malformed

    /// One line for a person.
    public var description: String {
        switch self {
        case .tooLarge(let limit): "the gzip body holds more than \(limit) bytes"
        case .truncated: "the gzip body ends too early"
        case .malformed: "the body is not valid gzip"
        }
    }
}
