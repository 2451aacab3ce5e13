/// Password hashing: Argon2id hashes in PHC text (RFC 9106).
import CMacrologSodium

/// The cost parameters of one password hash.
package struct PasswordCost: Hashable, Sendable {
    /// Passes over the memory.
    package let operations: UInt64
    /// Memory, in bytes.
    package let memoryBytes: Int

    /// Memberwise initializer; libsodium's minima are 1 pass and 8 KiB. 3 passes over 12 MiB are the minimum of
    /// OWASP ASVS.
    package init(operations: UInt64 = 3, memoryBytes: Int) {
        self.operations = operations
        self.memoryBytes = memoryBytes
    }

    /// 3 passes over 64 MiB: about 80 ms.
    package static let standard = PasswordCost(memoryBytes: 64 << 20)
}

/// Hashes and verifies passwords. Each call takes as long as its cost implies: never call it on a
/// thread that answers requests.
package enum Password {
    /// The hash of a password with a new random salt, in PHC text; `nil` if memory ran out.
    package static func hash(_ password: [UInt8], cost: PasswordCost) -> [UInt8]? {
        requireSodium()
        let capacity = Int(crypto_pwhash_strbytes())
        var text = [CChar](repeating: 0, count: capacity)
        let status = withCharacters(password) { password, count in
            crypto_pwhash_str_alg(
                &text, password, count, cost.operations, cost.memoryBytes,
                crypto_pwhash_alg_argon2id13())
        }
        guard status == 0 else { return nil }
        return text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }

    /// Whether a password matches a hash, of Argon2id or of bcrypt.
    package static func verify(_ password: [UInt8], hash: [UInt8]) -> Bool {
        if Bcrypt.isHash(hash) { return Bcrypt.verify(password, hash: hash) }
        requireSodium()
        guard hash.count < crypto_pwhash_strbytes() else { return false }
        return withCharacters(password) { password, count in
            withCharacters(hash + [0]) { hash, _ in
                crypto_pwhash_str_verify(hash, password, count) == 0
            }
        }
    }

    /// Whether a hash has a different cost, or is of bcrypt, so that the next login should replace
    /// it.
    package static func needsRehash(_ hash: [UInt8], cost: PasswordCost) -> Bool {
        requireSodium()
        return withCharacters(hash + [0]) { hash, _ in
            // Not 0 for what is no hash of Argon2id, too.
            crypto_pwhash_str_needs_rehash(hash, cost.operations, cost.memoryBytes) != 0
        }
    }

    private static func withCharacters<T>(
        _ bytes: [UInt8], _ body: (UnsafePointer<CChar>, UInt64) -> T
    ) -> T {
        // One more byte, so that the address is valid even for an empty array.
        (bytes + [0]).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else {
                    preconditionFailure("an array that is not empty has an address")
                }
                return body(start, UInt64(bytes.count))
            }
        }
    }
}
