import MacrologCryptography
import Testing

/// Goal: codes, hashes and sealed secrets are those of their standards.
/// Method: the vectors of RFC 4226, RFC 6238, RFC 4648 and crypt_blowfish.
@Suite struct CodeTests {
    private let secret = Array("12345678901234567890".utf8)

    @Test func `codes are those of RFC 4226, appendix D`() {
        let codes = (0..<10).map { TimedCode.code(secret, step: $0) }
        #expect(
            codes == [
                "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583",
                "399871", "520489",
            ])
    }

    @Test(arguments: [
        (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"),
        (1_234_567_890, "005924"), (2_000_000_000, "279037"), (20_000_000_000, "353130"),
    ])
    func `timed codes are those of RFC 6238, appendix B, of six digits`(
        seconds: Int64, code: String
    ) {
        let now = seconds * 1_000
        #expect(TimedCode.code(secret, step: TimedCode.step(at: now)) == code)
        let step = TimedCode.step(at: now)
        let typed = Array(code.utf8)
        #expect(TimedCode.step(of: typed, secret, now: now, after: 0) == step)
        #expect(TimedCode.step(of: typed, secret, now: now + 30_000, after: 0) == step)
        #expect(TimedCode.step(of: typed, secret, now: now + 60_000, after: 0) == nil)
        #expect(TimedCode.step(of: typed, secret, now: now, after: step) == nil)
    }

    @Test func `long keys are hashed first, as RFC 2104 says`() {
        // 80 bytes, more than a block: two equal codes would need the same first 64.
        let long = [UInt8](repeating: 0xAA, count: 80)
        let cut = [UInt8](repeating: 0xAA, count: 64)
        #expect(TimedCode.code(long, step: 1) != TimedCode.code(cut, step: 1))
    }

    @Test(arguments: [
        ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"),
        ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
    ])
    func `base32 is that of RFC 4648, section 10`(text: String, letters: String) {
        #expect(Base32.encode(Array(text.utf8)) == letters)
        #expect(Base32.decode(letters) == Array(text.utf8))
        #expect(Base32.decode(letters.lowercased() + " -") == Array(text.utf8))
    }

    @Test(arguments: ["M", "MZ=", "MZXW6YTB1", "M8", "MZXW6YR", "MÄ", "MY\0"])
    func `what base32 would not write is refused`(letters: String) {
        #expect(Base32.decode(letters) == nil)
    }

    @Test(arguments: [
        ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
        ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK", "U*U*"),
        ("$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a", "U*U*U"),
    ])
    func `bcrypt hashes of earlier systems verify`(hash: String, password: String) {
        let bytes = Array(password.utf8)
        #expect(Password.verify(bytes, hash: Array(hash.utf8)))
        // Implementations of today write the same hash under newer names.
        for name in ["$2b$", "$2y$"] {
            #expect(Password.verify(bytes, hash: Array((name + hash.dropFirst(4)).utf8)))
        }
        #expect(!Password.verify(bytes + [65], hash: Array(hash.utf8)))
        #expect(!Password.verify([], hash: Array(hash.utf8)))
        #expect(!Password.verify(bytes + [0], hash: Array(hash.utf8)))
        let cost = PasswordCost(operations: 1, memoryBytes: 8_192)
        #expect(Password.needsRehash(Array(hash.utf8), cost: cost))
    }

    @Test(arguments: [
        "", "$2b$12$", "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeWW",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW ",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe\0", "$6$salt$x",
    ])
    func `what is no bcrypt hash of a fair cost is none`(hash: String) {
        #expect(!Bcrypt.isHash(Array(hash.utf8)))
        #expect(!Password.verify(Array("U*U".utf8), hash: Array(hash.utf8)))
    }

    @Test func `sealed bytes open with their key for their owner, unchanged, and for nothing else`()
    {
        let (key, owner) = ([UInt8](repeating: 7, count: 32), [UInt8]("ana".utf8))
        for count in [0, 1, 20, 100] {
            let bytes = randomBytes(count)
            let sealed = SealedBytes.seal(bytes, key: key, owner: owner)
            #expect(SealedBytes.open(sealed, key: key, owner: owner) == bytes)
            #expect(SealedBytes.seal(bytes, key: key, owner: owner) != sealed)
            #expect(SealedBytes.open(sealed, key: key, owner: []) == nil)
            let wrong = [UInt8](repeating: 8, count: 32)
            #expect(SealedBytes.open(sealed, key: wrong, owner: owner) == nil)
            for index in sealed.indices {
                var changed = sealed
                changed[index] ^= 1
                #expect(SealedBytes.open(changed, key: key, owner: owner) == nil)
            }
            #expect(SealedBytes.open(Array(sealed.dropLast()), key: key, owner: owner) == nil)
        }
        #expect(SealedBytes.open([], key: key, owner: owner) == nil)
    }
}
