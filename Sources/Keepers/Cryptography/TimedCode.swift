/// The second factor: codes of six digits that change every thirty seconds (TOTP, RFC 6238), as all
/// authenticator apps compute them.
package enum TimedCode {
    /// Bytes of a secret: as many as SHA-1 gives (RFC 4226 §4, R6).
    package static let secretBytes = 20
    /// How long a code is valid, in milliseconds.
    package static let stepMilliseconds: Int64 = 30_000
    /// How many steps a clock may be off.
    package static let window: Int64 = 1
    package static let digits = 6

    /// The number of the time step at a moment in milliseconds since 1970 UTC.
    package static func step(at now: Int64) -> Int64 { now / stepMilliseconds }

    /// The code of a step (RFC 4226 §5.3).
    package static func code(_ secret: [UInt8], step: Int64) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * Int64($0))) }
        let mac = hmacSHA1(counter, key: secret)
        let offset = Int(mac[19] & 15)
        let number =
            mac[offset...offset + 3].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }

    /// The step whose code was typed, around a moment, and after the last one that was used;
    /// `nil` if there is none.
    package static func step(
        of code: [UInt8], _ secret: [UInt8], now: Int64, after used: Int64
    ) -> Int64? {
        let current = step(at: now)
        return (current - window...current + window).first { step in
            step > used && isEqualInConstantTime(Array(Self.code(secret, step: step).utf8), code)
        }
    }
}

/// HMAC (RFC 2104) with SHA-1, which TOTP still uses; nothing else here does.
private func hmacSHA1(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    let short = key.count > 64 ? sha1(key) : key
    let padded = short + [UInt8](repeating: 0, count: 64 - short.count)
    return sha1(padded.map { $0 ^ 0x5C } + sha1(padded.map { $0 ^ 0x36 } + message))
}

/// SHA-1 (FIPS 180-4 §6.1). 20 bytes.
private func sha1(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    let bits = UInt64(message.count) * 8
    padded += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
    var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for start in stride(from: 0, to: padded.count, by: 64) {
        var words = (0..<16).map { word in
            padded[start + 4 * word..<start + 4 * word + 4].reduce(UInt32(0)) {
                $0 << 8 | UInt32($1)
            }
        }
        for index in 16..<80 {
            let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
            words.append(rotated(mixed, by: 1))
        }
        var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
        for (index, word) in words.enumerated() {
            let (mix, constant): (UInt32, UInt32) =
                switch index {
                case ..<20: (b & c | ~b & d, 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            (a, b, c, d, e) = (
                rotated(a, by: 5) &+ mix &+ e &+ constant &+ word, a, rotated(b, by: 30), c, d
            )
        }
        hash = zip(hash, [a, b, c, d, e]).map { $0 &+ $1 }
    }
    return hash.flatMap { word in
        (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) }
    }
}

private func rotated(_ word: UInt32, by bits: UInt32) -> UInt32 {
    word << bits | word >> (32 - bits)
}
