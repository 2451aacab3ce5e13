/// Codes that are given to a person once: invitations, reset codes, recovery codes.
import MacrologCryptography

/// A code of 80 bits, which no one guesses.
struct SecretCode: Sendable {
    static let byteCount = 10
    /// How long a reset code works, in milliseconds.
    static let resetMilliseconds: Int64 = 1_800_000
    /// How many recovery codes an account gets.
    static let recoveryCodes = 10

    let bytes: [UInt8]

    init(random: (Int) -> [UInt8]) {
        bytes = random(Self.byteCount)
    }

    /// Reads what a person typed: small letters, spaces and hyphens do not matter.
    init?(_ text: String) {
        guard let bytes = Base32.decode(text), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// As it is shown: `ABCD-EFGH-IJKL-MNOP`.
    var text: String {
        let letters = Array(Base32.encode(bytes).utf8)
        return stride(from: 0, to: letters.count, by: 4)
            .map { String(decoding: letters[$0..<min($0 + 4, letters.count)], as: UTF8.self) }
            .joined(separator: "-")
    }
}
