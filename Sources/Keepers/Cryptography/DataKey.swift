/// Encryption of data that is stored: messages with XChaCha20-Poly1305, and long files of which any
/// part may be read, with XChaCha20 alone.
import CMacrologSodium
package import MacrologSystem

/// A secret key of 256 bits.
package struct DataKey: Sendable {
    /// The size of a key, in bytes.
    package static let byteCount = 32
    /// The size of a nonce, in bytes: large enough to be chosen at random.
    package static let nonceBytes = 24

    @Secret private var bytes: [UInt8]

    /// Takes 32 secret bytes.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount, "a key has 32 bytes")
        self.bytes = bytes
    }

    /// The message, encrypted and protected against changes: nonce, ciphertext, tag.
    ///
    /// - Parameter context: What the message belongs to; it must be the same when it is opened.
    package func seal(_ message: [UInt8], for context: [UInt8]) -> [UInt8] {
        let nonce = randomBytes(Self.nonceBytes)
        var sealed = [UInt8](repeating: 0, count: message.count + 16)
        crypto_aead_xchacha20poly1305_ietf_encrypt(
            &sealed, nil, message, UInt64(message.count), context, UInt64(context.count), nil,
            nonce,
            bytes)
        return nonce + sealed
    }

    /// The message that ``seal(_:for:)`` encrypted with this key and context; `nil` for anything else.
    package func open(_ sealed: some RandomAccessCollection<UInt8>, for context: [UInt8])
        -> [UInt8]?
    {
        requireSodium()
        guard sealed.count >= Self.nonceBytes + 16 else { return nil }
        let nonce = Array(sealed.prefix(Self.nonceBytes))
        let text = Array(sealed.dropFirst(Self.nonceBytes))
        var message = [UInt8](repeating: 0, count: text.count - 16)
        let status = crypto_aead_xchacha20poly1305_ietf_decrypt(
            &message, nil, nil, text, UInt64(text.count), context, UInt64(context.count), nonce,
            bytes)
        return status == 0 ? message : nil
    }

    /// Encrypts or decrypts a part of a long text in place. The same bytes of a text must not be
    /// encrypted twice with one nonce.
    ///
    /// - Parameter offset: Where in the text the part begins.
    package func apply(nonce: [UInt8], at offset: Int64, to part: inout [UInt8]) {
        requireSodium()
        precondition(nonce.count == Self.nonceBytes && offset >= 0)
        let skipped = Int(offset % 64)
        var padded = [UInt8](repeating: 0, count: skipped) + part
        padded.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            crypto_stream_xchacha20_xor_ic(
                start, start, UInt64(buffer.count), nonce, UInt64(offset / 64), bytes)
        }
        part = Array(padded[skipped...])
    }
}

/// A pair of keys: anybody with the public one can encrypt, only the secret one decrypts.
package struct SealingPair: Sendable {
    /// The size of either key, in bytes.
    package static let byteCount = 32

    @Secret package private(set) var secret: [UInt8]
    package let publicKey: [UInt8]

    /// A new pair.
    package init() {
        requireSodium()
        var (publicKey, secret) = (
            [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32)
        )
        crypto_box_keypair(&publicKey, &secret)
        (self.secret, self.publicKey) = (secret, publicKey)
    }

    /// The pair of a secret key.
    package init(secret: [UInt8]) {
        requireSodium()
        precondition(secret.count == Self.byteCount, "a secret key has 32 bytes")
        var publicKey = [UInt8](repeating: 0, count: 32)
        crypto_scalarmult_base(&publicKey, secret)
        (self.secret, self.publicKey) = (secret, publicKey)
    }
}

/// Encrypts a long text for a public key, piece by piece (libsodium's sealed box around the key of a
/// secretstream). A text that is cut off or changed anywhere cannot be opened.
package struct StreamSealer: ~Copyable {
    /// How long each piece but the last is, in bytes.
    package static let pieceBytes = 65_536
    /// How much longer a sealed piece is.
    package static let addedBytes = 17
    /// The size of what precedes the first piece.
    package static let headBytes = 32 + 48 + 24

    private var state = crypto_secretstream_xchacha20poly1305_state()
    /// What precedes the first piece.
    package let head: [UInt8]

    /// Begins a text.
    package init(to publicKey: [UInt8]) {
        let key = randomBytes(32)
        var box = [UInt8](repeating: 0, count: 32 + 48)
        crypto_box_seal(&box, key, 32, publicKey)
        var header = [UInt8](repeating: 0, count: 24)
        crypto_secretstream_xchacha20poly1305_init_push(&state, &header, key)
        head = box + header
    }

    /// The next piece, sealed. Each has ``pieceBytes`` but the last, which may have fewer, or none.
    package mutating func seal(_ piece: [UInt8], isLast: Bool) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: piece.count + Self.addedBytes)
        crypto_secretstream_xchacha20poly1305_push(
            &state, &sealed, nil, piece, UInt64(piece.count), nil, 0, isLast ? 3 : 0)
        return sealed
    }
}

/// Decrypts what ``StreamSealer`` encrypted.
package struct StreamOpener: ~Copyable {
    private var state: crypto_secretstream_xchacha20poly1305_state

    /// Begins a text; `nil` if it is not for this pair.
    package init?(head: [UInt8], pair: SealingPair) {
        requireSodium()
        guard head.count == StreamSealer.headBytes else { return nil }
        var key = [UInt8](repeating: 0, count: 32)
        var state = crypto_secretstream_xchacha20poly1305_state()
        let box = Array(head.prefix(32 + 48))
        guard
            crypto_box_seal_open(&key, box, UInt64(box.count), pair.publicKey, pair.secret) == 0,
            crypto_secretstream_xchacha20poly1305_init_pull(
                &state, Array(head.suffix(24)), key) == 0
        else { return nil }
        self.state = state
    }

    /// The next piece, and whether it is the last; `nil` if it was changed.
    package mutating func open(_ sealed: [UInt8]) -> (piece: [UInt8], isLast: Bool)? {
        guard sealed.count >= StreamSealer.addedBytes else { return nil }
        var piece = [UInt8](repeating: 0, count: sealed.count - StreamSealer.addedBytes)
        var tag: UInt8 = 0
        let status = crypto_secretstream_xchacha20poly1305_pull(
            &state, &piece, nil, &tag, sealed, UInt64(sealed.count), nil, 0)
        return status == 0 ? (piece, tag == 3) : nil
    }
}
