/// Cryptographic helpers: random bytes, constant-time comparison, wiping, digests, base64url.
import CMacrologSodium

/// Whether libsodium is initialized. Every function here checks it first.
private let isReady = sodium_init() >= 0

func requireSodium() { precondition(isReady, "libsodium could not be initialised") }

/// Unpredictable random bytes.
package func randomBytes(_ count: Int) -> [UInt8] {
    requireSodium()
    var bytes = [UInt8](repeating: 0, count: count)
    randombytes_buf(&bytes, count)
    return bytes
}

/// Whether two secrets are equal, in a time that depends only on their length.
package func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    requireSodium()
    return left.count == right.count && sodium_memcmp(left, right, left.count) == 0
}

/// BLAKE2b-256 (RFC 7693), keyed with 0 to 64 bytes. 32 bytes.
package func blake2b(_ message: [UInt8], key: [UInt8] = []) -> [UInt8] {
    requireSodium()
    precondition(key.count <= 64, "a BLAKE2b key has at most 64 bytes")
    var digest = [UInt8](repeating: 0, count: 32)
    crypto_generichash(
        &digest, 32, message, UInt64(message.count), key.isEmpty ? nil : key, key.count)
    return digest
}

/// SHA-256 by libsodium, to check our own implementation. 32 bytes.
package func sha256(_ message: [UInt8]) -> [UInt8] {
    requireSodium()
    var digest = [UInt8](repeating: 0, count: 32)
    crypto_hash_sha256(&digest, message, UInt64(message.count))
    return digest
}

/// base64url without padding (RFC 4648 §5).
package enum Base64URL {
    private static let variant = Int32(7)  // sodium_base64_VARIANT_URLSAFE_NO_PADDING

    /// The ASCII letters of these bytes.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        requireSodium()
        let capacity = sodium_base64_encoded_len(bytes.count, variant)
        var letters = [CChar](repeating: 0, count: capacity)
        sodium_bin2base64(&letters, capacity, bytes, bytes.count, variant)
        return letters.dropLast().map { UInt8(bitPattern: $0) }
    }

    /// The bytes, or `nil` for anything that ``encode(_:)`` would not write: padding, white space,
    /// letters of the other alphabet, non-zero trailing bits.
    package static func decode(_ letters: some Collection<UInt8>) -> [UInt8]? {
        requireSodium()
        let source = letters.map { CChar(bitPattern: $0) }
        var bytes = [UInt8](repeating: 0, count: source.count / 4 * 3 + 3)
        var count = 0
        let status = sodium_base642bin(
            &bytes, bytes.count, source, source.count, nil, &count, nil, variant)
        bytes.removeSubrange(count...)
        return status == 0 && encode(bytes).elementsEqual(letters) ? bytes : nil
    }
}

/// Incremental SHA-256.
package struct SHA256Stream: ~Copyable {
    private var state = crypto_hash_sha256_state()

    /// The initial state, before any bytes.
    package init() {
        requireSodium()
        crypto_hash_sha256_init(&state)
    }

    /// Adds the next bytes.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        crypto_hash_sha256_update(
            &state, start.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count))
    }

    /// The 32 bytes of the hash. To be called once.
    package mutating func finish() -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: 32)
        crypto_hash_sha256_final(&state, &hash)
        return hash
    }
}
