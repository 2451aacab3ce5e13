/// Secrets at rest: XChaCha20-Poly1305 (IETF) with a random nonce, which precedes the sealed bytes.
import CMacrologSodium

package enum SealedBytes {
    private static let nonceBytes = 24  // crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
    private static let tagBytes = 16  // crypto_aead_xchacha20poly1305_ietf_ABYTES

    /// Seals bytes, so that only the key opens them, and only for the same owner.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - owner: What the bytes belong to.
    package static func seal(_ bytes: [UInt8], key: [UInt8], owner: [UInt8]) -> [UInt8] {
        requireSodium()
        precondition(key.count == 32, "the key has 32 bytes")
        let nonce = randomBytes(nonceBytes)
        var sealed = [UInt8](repeating: 0, count: bytes.count + tagBytes)
        var count: UInt64 = 0
        crypto_aead_xchacha20poly1305_ietf_encrypt(
            &sealed, &count, bytes, UInt64(bytes.count), owner, UInt64(owner.count), nil, nonce,
            key)
        return nonce + sealed
    }

    /// The bytes; `nil` if they were sealed with another key, for another owner, or changed since.
    package static func open(_ sealed: [UInt8], key: [UInt8], owner: [UInt8]) -> [UInt8]? {
        requireSodium()
        precondition(key.count == 32, "the key has 32 bytes")
        guard sealed.count >= nonceBytes + tagBytes else { return nil }
        let (nonce, rest) = (Array(sealed[..<nonceBytes]), Array(sealed[nonceBytes...]))
        var bytes = [UInt8](repeating: 0, count: rest.count)
        var count: UInt64 = 0
        let status = crypto_aead_xchacha20poly1305_ietf_decrypt(
            &bytes, &count, nil, rest, UInt64(rest.count), owner, UInt64(owner.count), nonce, key)
        return status == 0 ? Array(bytes[..<Int(count)]) : nil
    }
}
