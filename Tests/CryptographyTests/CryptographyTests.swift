import MacrologCryptography
import Testing

/// Goal: the secrets of the server are made and checked as the standards say.
/// Method: published vectors where there are any, every bit flipped where a forger would.
@Suite struct CryptographyTests {
    private let cheap = PasswordCost(operations: 1, memoryBytes: 8192)

    @Test func `a password is known by its hash and no other one is`() throws {
        let password = Array("correct horse".utf8)
        let hash = try #require(Password.hash(password, cost: cheap))
        #expect(String(decoding: hash, as: UTF8.self).hasPrefix("$argon2id$v=19$m=8,t=1,p=1$"))
        #expect(Password.verify(password, hash: hash))
        #expect(!Password.verify(Array("correct horsf".utf8), hash: hash))
        #expect(!Password.verify(password + [0], hash: hash))
        #expect(!Password.verify([], hash: hash))
        #expect(try #require(Password.hash(password, cost: cheap)) != hash)
    }

    @Test func `NUL and the empty password are passwords like others`() throws {
        let hash = try #require(Password.hash([97, 0, 98], cost: cheap))
        #expect(Password.verify([97, 0, 98], hash: hash))
        #expect(!Password.verify([97, 0, 99], hash: hash))
        let empty = try #require(Password.hash([], cost: cheap))
        #expect(Password.verify([], hash: empty))
        #expect(!Password.verify([0], hash: empty))
        #expect(!Password.verify([], hash: Array("nonsense".utf8)))
        #expect(!Password.verify([], hash: []))
    }

    @Test func `a hash of another cost asks to be made again`() throws {
        let hash = try #require(Password.hash([1], cost: cheap))
        #expect(!Password.needsRehash(hash, cost: cheap))
        #expect(Password.needsRehash(hash, cost: PasswordCost(operations: 2, memoryBytes: 8192)))
        #expect(Password.needsRehash(hash, cost: .standard))
    }

    @Test func `a token is accepted unchanged and with no bit or byte changed`() throws {
        let key = TokenKey(seed: [UInt8](repeating: 7, count: 32))
        let payload = Array(#"{"sub":"x"}"#.utf8)
        let token = key.sign(payload)
        #expect(key.verify(token) == payload)
        for index in token.indices {
            for bit in 0..<8 {
                var forged = token
                forged[index] ^= 1 << bit
                #expect(key.verify(forged) == nil, "byte \(index), bit \(bit)")
            }
            #expect(key.verify(token[..<index]) == nil)
            #expect(key.verify(token[(index + 1)...]) == nil)
        }
        for more: [UInt8] in [[61], [46], [32], [10], [0]] {
            #expect(key.verify(token + more) == nil)
            #expect(key.verify(more + token) == nil)
        }
        #expect(TokenKey(seed: [UInt8](repeating: 8, count: 32)).verify(token) == nil)
        #expect(key.verify(key.sign([UInt8](repeating: 32, count: 1000))) == nil)
    }

    @Test func `a token that names its own algorithm is refused`() throws {
        let key = TokenKey(seed: [UInt8](repeating: 7, count: 32))
        let parts = key.sign([123, 125]).split(separator: UInt8(ascii: "."))
        for header in [#"{"alg":"none"}"#, #"{"alg":"HS256","typ":"at+jwt"}"#, "{}"] {
            let forged = Base64URL.encode(Array(header.utf8)) + [46] + parts[1] + [46]
            #expect(key.verify(forged) == nil)
            #expect(key.verify(forged + parts[2]) == nil)
        }
    }

    @Test func `BLAKE2b and SHA-256 give the published digests`() {
        let sha = sha256(Array("abc".utf8)).map { hex($0) }.joined()
        #expect(sha == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let empty = blake2b([]).map { hex($0) }.joined()
        #expect(empty == "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8")
        #expect(blake2b([1], key: [1]) != blake2b([1]))
        #expect(blake2b([1], key: [1]).count == 32)
    }

    @Test func `base64url has one text for each sequence of bytes`() {
        for count in 0..<40 {
            let bytes = randomBytes(count)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
        #expect(Base64URL.encode([0xFB, 0xFF]) == Array("-_8".utf8))
        for bad in ["-_9", "-_8=", "+/8", "-_8 ", " -_8", "a", "-_\n8", "\0"] {
            #expect(Base64URL.decode(Array(bad.utf8)) == nil, "\(bad)")
        }
    }

    @Test func `secrets are compared whole`() {
        #expect(isEqualInConstantTime([1, 2], [1, 2]))
        #expect(!isEqualInConstantTime([1, 2], [1, 3]))
        #expect(!isEqualInConstantTime([1, 2], [1]))
        #expect(isEqualInConstantTime([], []))
        #expect(randomBytes(32) != randomBytes(32))
    }

    private func hex(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16)
        return text.count == 1 ? "0" + text : text
    }
}
