extension SHA256 {
    /// HMAC (RFC 2104) with SHA-256.
    package static func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        let short = key.count > 64 ? hash(key) : key
        let padded = short + [UInt8](repeating: 0, count: 64 - short.count)
        return hash(padded.map { $0 ^ 0x5C } + hash(padded.map { $0 ^ 0x36 } + message))
    }
}
