import CMacrologZstd

/// Encodes Zstandard frames (RFC 8878). Reuse one instance for many bodies: its tables are
/// allocated once.
package struct ZstdEncoder: ~Copyable {
    private let context: OpaquePointer

    /// - Parameter level: From 1, fast, to 19, small. The window stays within
    ///   ``ZstdDecoder/windowBitsMax``.
    package init(level: Int = 3) {
        precondition((1...19).contains(level), "a Zstandard level is 1 to 19")
        guard let context = ZSTD_createCCtx() else { preconditionFailure("no memory") }
        self.context = context
        let code = ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Int32(level))
        precondition(ZSTD_isError(code) == 0)
    }

    deinit {
        ZSTD_freeCCtx(context)
    }

    /// Compresses the bytes into one frame that contains their size.
    package mutating func encode(_ bytes: [UInt8]) -> [UInt8] {
        let room = ZSTD_compressBound(bytes.count)
        return [UInt8](unsafeUninitializedCapacity: room) { output, count in
            let result = bytes.withUnsafeBytes { input in
                ZSTD_compress2(context, output.baseAddress, room, input.baseAddress, input.count)
            }
            precondition(ZSTD_isError(result) == 0, "compressBound is always enough")
            count = result
        }
    }
}
