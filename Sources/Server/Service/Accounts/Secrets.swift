/// The keys that must not be stored in the database: for tokens and for addresses.
import MacrologEvents
import MacrologCryptography
import MacrologSystem

/// 96 secret bytes.
package struct Secrets: Sendable {
    /// How many bytes ``init(_:)`` takes.
    package static let byteCount = 96

    let tokens: TokenKey
    @Secret private var addressKey: [UInt8]
    @Secret private var refreshKey: [UInt8]
    @Secret private var codeKey: [UInt8]
    @Secret private var sealingKey: [UInt8]
    @Secret private var copyKey: [UInt8]
    @Secret private var shareKey: [UInt8]
    @Secret private var photoKey: [UInt8]
    @Secret private var bucketKey: [UInt8]

    /// Takes 96 secret bytes. They must stay the same for the lifetime of the database: without
    /// them no address can be matched to its account.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount, "the secrets are 96 bytes")
        tokens = TokenKey(seed: Array(bytes[0..<32]))
        let addressKey = Array(bytes[32..<64])
        self.addressKey = addressKey
        refreshKey = Array(bytes[64..<96])
        // No address, token or digest has these words.
        codeKey = blake2b(Array("codes that work once".utf8), key: addressKey)
        sealingKey = blake2b(Array("second factors at rest".utf8), key: addressKey)
        copyKey = blake2b(Array("copies of the server".utf8), key: addressKey)
        shareKey = blake2b(Array("tokens of shares".utf8), key: addressKey)
        photoKey = blake2b(Array("addresses of photos".utf8), key: addressKey)
        bucketKey = blake2b(Array("buckets of attempts".utf8), key: addressKey)
    }

    /// The keyed digest by which a part of a copy is recognized as made by this server.
    package func digest(ofCopy part: [UInt8]) -> [UInt8] { blake2b(part, key: copyKey) }

    /// By what a database recognizes that all its servers have the same secrets.
    var mark: [UInt8] { digest(ofCopy: Array("the secrets of a service".utf8)) }

    /// The keyed digest that stands for an address in the database.
    func digest(of email: Email) -> [UInt8] { blake2b(email.key, key: addressKey) }

    /// The keyed digest that stands for an address and a network that it logged in from.
    func digest(ofEmailKey email: [UInt8], from network: [UInt8]) -> [UInt8] {
        // An address has no zero byte, so this input is never that of an address.
        blake2b([0] + email + network, key: addressKey)
    }

    /// The digest that stands for a code that works once.
    func digest(ofCode code: [UInt8]) -> [UInt8] { blake2b(code, key: codeKey) }

    /// The digest that stands for the token of a share in the database.
    func digest(ofShare token: [UInt8]) -> [UInt8] { blake2b(token, key: shareKey) }

    /// The secret of a second factor, sealed for its account.
    func seal(_ secret: [UInt8], of account: Identifier) -> [UInt8] {
        SealedBytes.seal(secret, key: sealingKey, owner: account.bytes)
    }

    /// The secret of a second factor; `nil` if it was sealed with other secrets.
    func open(_ factor: SecondFactor, of account: Identifier) -> [UInt8]? {
        SealedBytes.open(factor.sealed, key: sealingKey, owner: account.bytes)
    }

    /// The keyed digest that proves that this server made the address of a photo.
    func digest(ofPhoto address: [UInt8]) -> [UInt8] { blake2b(address, key: photoKey) }

    /// The digest that stands for who is charged for an attempt in the database.
    func digest(ofBucket key: [UInt8], _ limit: RateLimit) -> [UInt8] {
        blake2b(Array("\(limit.rawValue) ".utf8) + key, key: bucketKey)
    }

    /// What the messages to an address are signed with, sealed for it.
    func seal(webhookSecret secret: [UInt8], of webhook: Identifier) -> [UInt8] {
        SealedBytes.seal(secret, key: sealingKey, owner: webhook.bytes)
    }

    /// The secret of an address; `nil` if it was sealed with other secrets.
    func open(webhookSecret sealed: [UInt8], of webhook: Identifier) -> [UInt8]? {
        SealedBytes.open(sealed, key: sealingKey, owner: webhook.bytes)
    }

    /// The digest that stands for a refresh token in the database.
    func digest(ofRefresh token: [UInt8]) -> [UInt8] { blake2b(token) }

    /// The only successor of a token. It is computed, so that a lost answer can be repeated
    /// although no token is stored.
    func successor(ofRefresh token: [UInt8]) -> [UInt8] { blake2b(token, key: refreshKey) }
}
