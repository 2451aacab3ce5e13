// One C file of this package, without a library: the processor's instructions. Where it is not built, as for wasm,
// the same hash is computed in Swift.
#if canImport(CMacrologSHA256)
    import CMacrologSHA256
#endif

/// SHA-256 (FIPS 180-4): by the processor's instructions where it has them, otherwise in pure Swift, so that
/// every platform computes the same hash.
package struct SHA256: Sendable {
    /// The 32 bytes of a hash.
    public typealias Words = SIMD8<UInt32>

    #if DEBUG
        /// Gets each message that is hashed by the task, for tests that count.
        @TaskLocal package static var observer: (@Sendable ([UInt8]) -> Void)?
    #endif

    /// The hash of `bytes`.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBufferPointer { hash(UnsafeRawBufferPointer($0)) }
    }

    /// The hash of `bytes`.
    public static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        Self.bytes(words(bytes))
    }

    /// The hash of `bytes` as eight big-endian words, for further computation.
    public static func words(_ message: UnsafeRawBufferPointer) -> Words {
        words(message, inSwift: false)
    }

    /// The same words in pure Swift, as on processors without such instructions.
    package static func portableWords(_ message: UnsafeRawBufferPointer) -> Words {
        words(message, inSwift: true)
    }

    private static func words(_ message: UnsafeRawBufferPointer, inSwift: Bool) -> Words {
        #if DEBUG
            observer?(Array(message))
        #endif
        let whole = message.count & ~63
        let rest = message.count - whole
        var state = initial
        compress(&state, message, upTo: whole, inSwift: inSwift)
        withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { tail in
            tail.initializeMemory(as: UInt8.self, repeating: 0)
            tail.copyMemory(from: UnsafeRawBufferPointer(rebasing: message[whole...]))
            tail[rest] = 0x80
            let end = rest < 56 ? 64 : 128
            let bits = UInt64(message.count) * 8
            tail.storeBytes(of: bits.bigEndian, toByteOffset: end - 8, as: UInt64.self)
            compress(&state, UnsafeRawBufferPointer(tail), upTo: end, inSwift: inSwift)
        }
        return state
    }

    /// The bytes of a hash, most significant first.
    public static func bytes(_ words: Words) -> [UInt8] {
        var swapped = Words()
        for index in words.indices { swapped[index] = words[index].bigEndian }
        return withUnsafeBytes(of: swapped) { Array($0) }
    }

    /// The words of a 32-byte hash.
    static func words(of bytes: [UInt8]) -> Words {
        precondition(bytes.count == 32, "a hash has 32 bytes")
        var words = Words()
        for (index, byte) in bytes.enumerated() {
            words[index / 4] = words[index / 4] << 8 | UInt32(byte)
        }
        return words
    }

    private static let initial: Words = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A,
        0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]

    private static let constants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1,
        0x923F_82A4, 0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3,
        0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786,
        0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147,
        0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13,
        0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
        0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A,
        0x5B9C_CA4F, 0x682E_6FF3, 0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208,
        0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]

    /// Processes the 64-byte blocks before `end`.
    private static func compress(
        _ state: inout Words, _ message: UnsafeRawBufferPointer, upTo end: Int, inSwift: Bool
    ) {
        #if canImport(CMacrologSHA256)
            if !inSwift, addByProcessor(&state, message, upTo: end) { return }
        #endif
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            constants.withUnsafeBufferPointer { constants in
                for block in stride(from: 0, to: end, by: 64) {
                    expand(UnsafeRawBufferPointer(rebasing: message[block..<block + 64]), schedule)
                    mix(&state, schedule, constants)
                }
            }
        }
    }

    #if canImport(CMacrologSHA256)
        /// Whether the processor has the instructions; otherwise nothing is changed.
        private static func addByProcessor(
            _ state: inout Words, _ message: UnsafeRawBufferPointer, upTo end: Int
        ) -> Bool {
            withUnsafeMutableBytes(of: &state) { state in
                macrolog_sha256_add(
                    state.baseAddress?.assumingMemoryBound(to: UInt32.self),
                    message.baseAddress?.assumingMemoryBound(to: UInt8.self), end / 64) != 0
            }
        }
    #endif

    @inline(__always)
    private static func expand(
        _ block: UnsafeRawBufferPointer, _ schedule: UnsafeMutableBufferPointer<UInt32>
    ) {
        for index in 0..<16 {
            schedule[index] = UInt32(
                bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        }
        for index in 16..<64 {
            let (early, late) = (schedule[index &- 15], schedule[index &- 2])
            let first = rotate(early, 7) ^ rotate(early, 18) ^ early >> 3
            let second = rotate(late, 17) ^ rotate(late, 19) ^ late >> 10
            schedule[index] = schedule[index &- 16] &+ first &+ schedule[index &- 7] &+ second
        }
    }

    /// The 64 rounds, eight at a time: after eight rounds every variable is in its original
    /// position.
    @inline(__always)
    private static func mix(
        _ state: inout Words, _ schedule: UnsafeMutableBufferPointer<UInt32>,
        _ constants: UnsafeBufferPointer<UInt32>
    ) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in stride(from: 0, to: 64, by: 8) {
            func next(_ step: Int) -> UInt32 { constants[index &+ step] &+ schedule[index &+ step] }
            round(a, b, c, &d, e, f, g, &h, next(0))
            round(h, a, b, &c, d, e, f, &g, next(1))
            round(g, h, a, &b, c, d, e, &f, next(2))
            round(f, g, h, &a, b, c, d, &e, next(3))
            round(e, f, g, &h, a, b, c, &d, next(4))
            round(d, e, f, &g, h, a, b, &c, next(5))
            round(c, d, e, &f, g, h, a, &b, next(6))
            round(b, c, d, &e, f, g, h, &a, next(7))
        }
        state = state &+ Words(a, b, c, d, e, f, g, h)
    }

    @inline(__always)
    private static func round(
        _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
        _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32, _ next: UInt32
    ) {
        h = h &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ (g ^ e & (f ^ g)) &+ next
        d = d &+ h
        h = h &+ (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ (a & b | c & (a | b))
    }

    @inline(__always)
    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 {
        value >> count | value << (32 - count)
    }
}
