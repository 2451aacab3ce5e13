import CMacrologSodium
import MacrologEvents
import MacrologWire
import MacrologTestSupport
import Testing

/// Goal: an event has one name on every platform.
/// Method: the examples of FIPS 180-4 (NIST), every length around the block borders, and random
/// messages against libsodium; by the processor's instructions where it has them, and in pure Swift.
@Suite struct SHA256Tests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ])
    func `the NIST examples have their hashes`(message: String, hash: String) {
        #expect(hex(SHA256.hash(Array(message.utf8))) == hash)
        #expect(hex(portable(Array(message.utf8))) == hash)
    }

    @Test func `a million times a has the hash that NIST gives`() {
        let message = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(
            hex(SHA256.hash(message))
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func `every length from 0 to 300 agrees with libsodium`() {
        var dice = Dice(seed: 1)
        for length in 0...300 {
            let message = dice.bytes(length...length)
            #expect(SHA256.hash(message) == sodium(message), "length \(length)")
            #expect(portable(message) == sodium(message), "length \(length)")
        }
    }

    @Test func `a thousand random messages agree with libsodium`() {
        let seed: UInt64 = 2
        var dice = Dice(seed: seed)
        for round in 0..<1_000 {
            let message = dice.bytes(0...2_000)
            #expect(SHA256.hash(message) == sodium(message), "seed \(seed), round \(round)")
            #expect(portable(message) == sodium(message), "seed \(seed), round \(round)")
        }
    }

    /// A window of a longer buffer begins at any address: loads must not assume alignment.
    @Test func `the hash does not depend on where the bytes lie`() {
        let message = Dice.some(200)
        for start in 0..<16 {
            let window = Array(message[start..<start + 150])
            let hash = message.withUnsafeBytes {
                SHA256.hash(UnsafeRawBufferPointer(rebasing: $0[start..<start + 150]))
            }
            #expect(hash == SHA256.hash(window))
        }
    }

    @Test func `words and bytes are the same hash`() {
        let words = Dice.some(99).withUnsafeBytes { SHA256.words($0) }
        #expect(SHA256.bytes(words) == SHA256.hash(Dice.some(99)))
    }

    private func portable(_ message: [UInt8]) -> [UInt8] {
        SHA256.bytes(message.withUnsafeBytes { SHA256.portableWords($0) })
    }

    private func sodium(_ message: [UInt8]) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: 32)
        crypto_hash_sha256(&hash, message, UInt64(message.count))
        return hash
    }
}

extension Dice {
    /// `count` bytes that are always the same.
    static func some(_ count: Int) -> [UInt8] {
        var dice = Dice(seed: 3)
        return dice.bytes(count...count)
    }
}
