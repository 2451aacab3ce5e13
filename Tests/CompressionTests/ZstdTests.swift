import Testing
import MacrologZstd

/// Goal: what was compressed comes back, and nothing a stranger sends costs more than the limit.
@Suite struct ZstdTests {
    private func packed(_ bytes: [UInt8], level: Int = 3) -> [UInt8] {
        var encoder = ZstdEncoder(level: level)
        return encoder.encode(bytes)
    }

    private func unpacked(_ bytes: [UInt8], limit: Int) throws(ZstdError) -> [UInt8] {
        var decoder = ZstdDecoder()
        return try decoder.decode(bytes, limit: limit)
    }

    @Test(arguments: samples)
    func `bytes come back at every level`(sample: [UInt8]) throws {
        for level in [1, 3, 19] {
            #expect(try unpacked(packed(sample, level: level), limit: sample.count) == sample)
        }
    }

    @Test func `one encoder and one decoder serve many bodies`() throws {
        var encoder = ZstdEncoder()
        var decoder = ZstdDecoder()
        for sample in samples + samples {
            let packed = encoder.encode(sample)
            #expect(throws: ZstdError.truncated) {
                try decoder.decode(packed.dropLast().map(\.self), limit: sample.count)
            }
            #expect(try decoder.decode(packed, limit: sample.count) == sample)
        }
    }

    @Test func `a bomb stops at the limit`() {
        let bomb = packed([UInt8](repeating: 0, count: 50_000_000))
        #expect(bomb.count < 10_000)
        #expect(throws: ZstdError.tooLarge(limit: 1_000_000)) {
            try unpacked(bomb, limit: 1_000_000)
        }
        #expect(throws: ZstdError.tooLarge(limit: 0)) { try unpacked(bomb, limit: 0) }
    }

    @Test func `the limit itself is allowed, one byte less is not`() throws {
        for count in [1, 131_071, 131_072, 131_073, 1_048_577] {
            let sample = noise(count)
            #expect(try unpacked(packed(sample), limit: count) == sample)
            #expect(throws: ZstdError.tooLarge(limit: count - 1)) {
                try unpacked(packed(sample), limit: count - 1)
            }
        }
    }

    @Test func `frames follow each other, and nothing else follows them`() throws {
        #expect(try unpacked(packed([1, 2]) + packed([3]), limit: 3) == [1, 2, 3])
        #expect(throws: ZstdError.malformed) {
            try unpacked(packed([1]) + Array("rubbish".utf8), limit: 9)
        }
    }

    @Test func `a window over 8 MiB is refused`() {
        // Magic number, a descriptor without size or single segment, and a window of 2^24 bytes.
        let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, (24 - 10) << 3, 1, 0, 0]
        #expect(throws: ZstdError.malformed) { try unpacked(frame, limit: 1_000) }
        var allowed = frame
        allowed[5] = (23 - 10) << 3
        #expect(throws: Never.self) { try unpacked(allowed, limit: 1_000) }
    }

    @Test func `every cut is noticed`() {
        let packed = packed(noise(300))
        for count in 0..<packed.count {
            #expect(throws: ZstdError.truncated) {
                try unpacked(Array(packed.prefix(count)), limit: 1_000)
            }
        }
        #expect(throws: ZstdError.malformed) { try unpacked(Array("hello".utf8), limit: 9) }
    }
}
