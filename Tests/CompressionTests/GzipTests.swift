import MacrologGzip
import Testing

/// Goal: what was compressed comes back, and nothing a stranger sends costs more than the limit.
@Suite struct GzipTests {
    @Test(arguments: samples)
    func `bytes come back at every level`(sample: [UInt8]) throws {
        for level in [1, 6, 9] {
            let packed = gzip(sample, level: level)
            #expect(packed.starts(with: [0x1F, 0x8B]))
            #expect(try gunzip(packed, limit: sample.count) == sample)
        }
    }

    @Test func `one encoder and one decoder serve many bodies`() throws {
        var encoder = GzipEncoder()
        var decoder = GzipDecoder()
        for sample in samples + samples {
            let packed = encoder.encode(sample)
            #expect(packed == gzip(sample), "the same bytes every time")
            #expect(throws: GzipError.truncated) {
                try decoder.decode(packed.dropLast().map(\.self), limit: sample.count)
            }
            #expect(try decoder.decode(packed, limit: sample.count) == sample)
        }
    }

    /// What comes out of gzip that goes in by pieces of this many bytes.
    private func read(_ packed: [UInt8], pieces: Int) throws -> [UInt8] {
        var reader = GzipReader()
        var place = 0
        var bytes: [UInt8] = []
        while let piece = try reader.next({
            guard place < packed.count else { return nil }
            defer { place += pieces }
            return Array(packed[place..<min(place + pieces, packed.count)])
        }) {
            #expect(!piece.isEmpty && piece.count <= 65_536)
            bytes += piece
        }
        return bytes
    }

    @Test(arguments: samples)
    func `pieces of any size come back whole, members one after the other`(sample: [UInt8]) throws {
        let packed = gzip(sample)
        for pieces in [1, 13, 65_536] {
            #expect(try read(packed, pieces: pieces) == sample)
            #expect(try read(packed + packed, pieces: pieces) == sample + sample)
        }
    }

    @Test func `what the last piece holds comes out, however much it is`() throws {
        for count in [65_535, 65_536, 65_537, 131_072, 1_000_000] {
            let sample = [UInt8](repeating: 7, count: count)
            for pieces in [1, 100, 1_000_000] {
                #expect(try read(gzip(sample), pieces: pieces) == sample)
            }
        }
    }

    @Test func `pieces that end too early or are something else are refused`() {
        let packed = gzip(noise(200_000))
        for pieces in [1, 1_000, 1_000_000] {
            for cut in [0, 5, packed.count / 2, packed.count - 1] {
                #expect(throws: GzipError.truncated) {
                    try read(Array(packed.prefix(cut)), pieces: pieces)
                }
            }
            #expect(throws: GzipError.malformed) { try read(packed + [7, 7, 7], pieces: pieces) }
            var damaged = packed
            damaged[packed.count / 2] ^= 0x10
            #expect(throws: GzipError.self) { try read(damaged, pieces: pieces) }
        }
    }

    @Test func `a bomb stops at the limit`() {
        let bomb = gzip([UInt8](repeating: 0, count: 50_000_000), level: 9)
        #expect(bomb.count < 60_000)
        #expect(throws: GzipError.tooLarge(limit: 1_000_000)) {
            try gunzip(bomb, limit: 1_000_000)
        }
        #expect(throws: GzipError.tooLarge(limit: 0)) { try gunzip(bomb, limit: 0) }
    }

    @Test func `the limit itself is allowed, one byte less is not`() throws {
        for count in [1, 65_535, 65_536, 65_537, 131_072] {
            let sample = noise(count)
            #expect(try gunzip(gzip(sample), limit: count) == sample)
            #expect(throws: GzipError.tooLarge(limit: count - 1)) {
                try gunzip(gzip(sample), limit: count - 1)
            }
        }
    }

    @Test func `members follow each other, and nothing else follows them`() throws {
        let two = gzip([1, 2]) + gzip([3])
        #expect(try gunzip(two, limit: 3) == [1, 2, 3])
        #expect(throws: GzipError.malformed) { try gunzip(gzip([1]) + [0, 0], limit: 9) }
    }

    @Test func `every cut is noticed, and no flipped bit changes the bytes`() {
        let sample = noise(300)
        let packed = gzip(sample)
        for count in 0..<packed.count {
            #expect(throws: GzipError.truncated) {
                try gunzip(Array(packed.prefix(count)), limit: 1_000)
            }
        }
        for bit in 0..<packed.count * 8 {
            var damaged = packed
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            let found = Result { try gunzip(damaged, limit: 1_000) }
            // The time, the system's name and padding are covered by no check, and mean nothing.
            if case .success(let bytes) = found { #expect(bytes == sample, "bit \(bit)") }
        }
        #expect(throws: GzipError.malformed) { try gunzip(Array("hello".utf8), limit: 9) }
    }
}
