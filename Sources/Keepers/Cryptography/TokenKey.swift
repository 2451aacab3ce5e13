/// The key that signs access tokens: JSON Web Tokens (RFC 7519) with one fixed header.
///
/// A token's header must equal, byte for byte, the one header that this key writes. `alg`, `jku`
/// and `kid` of a token are never evaluated, which excludes algorithm confusion. The signature is
/// Ed25519 (RFC 8032, `EdDSA` of RFC 8037).
import CMacrologSodium
import MacrologSystem

/// An Ed25519 key pair, and the fixed prefix of its tokens.
package struct TokenKey: Sendable {
    /// The maximum length of a token, in bytes; longer ones are refused unread.
    package static let tokenBytesMax = 1024
    /// The size of a seed, in bytes.
    package static let seedBytes = 32

    @Secret private var secret: [UInt8]
    private let publicKey: [UInt8]
    /// `base64url(header) .`
    private let prefix: [UInt8]

    /// Derives the pair from 32 secret bytes.
    package init(seed: [UInt8]) {
        requireSodium()
        precondition(seed.count == Self.seedBytes, "the seed of a token key has 32 bytes")
        var publicKey = [UInt8](repeating: 0, count: 32)
        var secret = [UInt8](repeating: 0, count: 64)
        crypto_sign_seed_keypair(&publicKey, &secret, seed)
        self.secret = secret
        self.publicKey = publicKey
        let identifier = String(
            decoding: Base64URL.encode(Array(blake2b(publicKey).prefix(8))), as: UTF8.self)
        let header = #"{"alg":"EdDSA","kid":"\#(identifier)","typ":"at+jwt"}"#
        prefix = Base64URL.encode(Array(header.utf8)) + [UInt8(ascii: ".")]
    }

    /// The token of a payload, a JSON object.
    package func sign(_ payload: [UInt8]) -> [UInt8] {
        let message = prefix + Base64URL.encode(payload)
        var signature = [UInt8](repeating: 0, count: 64)
        crypto_sign_detached(&signature, nil, message, UInt64(message.count), secret)
        return message + [UInt8(ascii: ".")] + Base64URL.encode(signature)
    }

    /// The payload of a token that this key signed, or `nil`.
    package func verify(_ token: some RandomAccessCollection<UInt8>) -> [UInt8]? {
        guard token.count <= Self.tokenBytesMax, token.starts(with: prefix),
            let dot = token.lastIndex(of: UInt8(ascii: ".")),
            let signature = Base64URL.decode(token[token.index(after: dot)...]),
            signature.count == 64,
            token.distance(from: token.startIndex, to: dot) >= prefix.count
        else { return nil }
        let message = Array(token[..<dot])
        guard
            crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
        else { return nil }
        return Base64URL.decode(message[prefix.count...])
    }
}
