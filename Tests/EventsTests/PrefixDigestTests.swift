import MacrologEvents
import MacrologWire
import MacrologTestSupport
import Testing

/// Goal: two replicas that hold different logs, or the same events under other seals, know it.
@Suite struct PrefixDigestTests {
    private func log(_ count: Int, seed: UInt64 = 8) -> [(body: [UInt8], seal: Seal)] {
        var dice = Dice(seed: seed)
        return (1...count).map { n in
            (dice.bytes(1...80), Seal(n: Int64(n), t: dice.int() & Int64.max))
        }
    }

    private func digest(_ rows: some Sequence<(body: [UInt8], seal: Seal)>) -> PrefixDigest {
        var digest = PrefixDigest.empty
        for row in rows {
            digest.add(hash: row.body.withUnsafeBytes { SHA256.words($0) }, seal: row.seal)
        }
        return digest
    }

    @Test func `the digest of a range is the difference of two prefixes`() {
        let rows = log(60)
        for cut in 0...60 {
            let range = digest(rows).subtracting(digest(rows[..<cut]))
            #expect(range == digest(rows[cut...]), "cut \(cut)")
        }
        #expect(digest(rows).subtracting(digest(rows)) == .empty)
    }

    @Test func `the sum carries from the low half to the high half`() {
        // 60 random summands of 128 bits carry some 30 times; the sum is checked bit by bit.
        var expected = [UInt8](repeating: 0, count: 16)
        for row in log(60) {
            var message = SHA256.hash(row.body)
            for number in [row.seal.n.rawValue, row.seal.t.rawValue] {
                withUnsafeBytes(of: number.bigEndian) { message.append(contentsOf: $0) }
            }
            var carry = 0
            let summand = SHA256.hash(message)
            for index in (0..<16).reversed() {
                let sum = Int(expected[index]) + Int(summand[index]) + carry
                expected[index] = UInt8(sum & 255)
                carry = sum >> 8
            }
        }
        #expect(digest(log(60)).bytes == expected)
    }

    @Test func `any flipped bit of a body or a seal changes the digest`() {
        let rows = log(12)
        let right = digest(rows)
        for index in rows.indices {
            for bit in 0..<rows[index].body.count * 8 {
                var wrong = rows
                wrong[index].body[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(digest(wrong) != right)
            }
            for bit in 0..<63 {
                let (seal, flip) = (rows[index].seal, Int64(1) << Int64(bit))
                var wrong = rows
                wrong[index].seal = Seal(n: seal.n.rawValue ^ flip, t: seal.t)
                #expect(digest(wrong) != right)
                wrong[index].seal = Seal(n: seal.n.rawValue, t: seal.t.rawValue ^ flip)
                #expect(digest(wrong) != right)
            }
        }
    }

    @Test func `an exchange, a repeat and an absence change the digest`() {
        var rows = log(5)
        let right = digest(rows)
        let (second, third) = (rows[1].body, rows[2].body)
        (rows[1].body, rows[2].body) = (third, second)
        #expect(digest(rows) != right)
        #expect(digest(log(5) + [log(5)[0]]) != right)
        #expect(digest(log(5).dropFirst()) != right)
    }

    @Test func `bytes read back`() {
        let digest = digest(log(3))
        #expect(PrefixDigest(bytes: digest.bytes) == digest)
        #expect(PrefixDigest(bytes: digest.bytes.dropLast()) == nil)
    }
}
