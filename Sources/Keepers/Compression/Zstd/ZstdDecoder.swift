import CMacrologZstd

/// Decodes Zstandard frames (RFC 8878) up to a size limit. Reuse one instance for many bodies.
package struct ZstdDecoder: ~Copyable {
    private let context: OpaquePointer

    /// The largest window accepted: 2^23 bytes, which RFC 8878 recommends every decoder to support.
    package static let windowBitsMax = 23

    /// Allocates the state; the window is allocated when a frame needs one.
    package init() {
        guard let context = ZSTD_createDCtx() else { preconditionFailure("no memory") }
        self.context = context
        let code = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Int32(Self.windowBitsMax))
        precondition(ZSTD_isError(code) == 0)
    }

    deinit {
        ZSTD_freeDCtx(context)
    }

    /// The decompressed bytes of all frames of the stream.
    ///
    /// - Parameters:
    ///   - bytes: Zstandard frames, untrusted.
    ///   - limit: The maximum size of the result, in bytes. Little more than that and one window is
    ///     allocated, whatever the input claims.
    /// - Throws: ``ZstdError``.
    package mutating func decode(
        _ bytes: [UInt8], limit: Int
    ) throws(ZstdError) -> [UInt8] {
        precondition(limit >= 0)
        guard !bytes.isEmpty else { throw .truncated }
        ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
        var output: [UInt8] = []
        var consumed = 0
        var wanted = pieceBytes(for: bytes)
        while true {
            // One byte more than the limit suffices to detect an overlong result.
            let room = min(wanted, limit - output.count + 1)
            let (piece, result) = decodePiece(of: bytes, from: &consumed, room: room)
            guard ZSTD_isError(result) == 0 else { throw .malformed }
            if output.isEmpty { output = piece } else { output += piece }
            guard output.count <= limit else { throw .tooLarge(limit: limit) }
            // 0 means that a frame is complete, and all its output has been written.
            if consumed == bytes.count {
                if result == 0 { return output }
                if piece.count < room { throw .truncated }
            }
            wanted = Self.pieceBytes
        }
    }

    private static let pieceBytes = 131_072

    /// If a whole small frame fits, the library decodes it in one call and without a window.
    private func pieceBytes(for bytes: [UInt8]) -> Int {
        let claimed = bytes.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
        // The two largest values mean "unknown" and "not a frame".
        return claimed <= 1_048_576 ? max(Int(claimed), 1) : Self.pieceBytes
    }

    private mutating func decodePiece(
        of bytes: [UInt8], from consumed: inout Int, room: Int
    ) -> (piece: [UInt8], result: Int) {
        var result = 0
        let piece = bytes.withUnsafeBytes { input in
            [UInt8](unsafeUninitializedCapacity: room) { output, count in
                var source = ZSTD_inBuffer(
                    src: input.baseAddress, size: input.count, pos: consumed)
                var target = ZSTD_outBuffer(dst: output.baseAddress, size: room, pos: 0)
                result = ZSTD_decompressStream(context, &target, &source)
                consumed = source.pos
                count = target.pos
            }
        }
        return (piece, result)
    }
}

/// Why bytes were not accepted as Zstandard.
package enum ZstdError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The result would exceed the limit, in bytes.
    case tooLarge(limit: Int)
    /// The stream ends too early.
    case truncated
    /// The bytes are not Zstandard, are damaged, or need a window that is too large.
    case malformed

    /// One line for a person.
    package var description: String {
        switch self {
        case .tooLarge(let limit): "the zstd body holds more than \(limit) bytes"
        case .truncated: "the zstd body ends too early"
        case .malformed: "the body is not valid zstd"
        }
    }
}
