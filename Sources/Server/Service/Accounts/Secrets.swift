/// The keys that must not lie in the database: for tokens and for addresses.
import MacrologSeal

/// 96 secret bytes.
package struct Secrets: Sendable {
    /// How many bytes ``init(_:)`` takes.
    package static let byteCount = 96

    let tokens: TokenKey
    private let addressKey: [UInt8]
    private let refreshKey: [UInt8]

    /// Takes 96 bytes that nobody else knows, and that must stay the same for as long as the
    /// database lives: without them no address finds its account.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount, "the secrets are 96 bytes")
        tokens = TokenKey(seed: Array(bytes[0..<32]))
        addressKey = Array(bytes[32..<64])
        refreshKey = Array(bytes[64..<96])
    }

    /// What the database knows an address by.
    func digest(of email: Email) -> [UInt8] { blake2b(email.key, key: addressKey) }

    /// What the database knows by that an address logged in from a network.
    func digest(ofEmailKey email: [UInt8], from network: [UInt8]) -> [UInt8] {
        // No address has a zero byte, so this is never the digest of one.
        blake2b([0] + email + network, key: addressKey)
    }

    /// What the database knows a refresh token by.
    func digest(ofRefresh token: [UInt8]) -> [UInt8] { blake2b(token) }

    /// The one token that follows another: computed, so that a lost answer can be given again
    /// although no token is stored.
    func successor(ofRefresh token: [UInt8]) -> [UInt8] { blake2b(token, key: refreshKey) }
}
