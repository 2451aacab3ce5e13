/// Input from a socket other than events: targets, addresses, tokens, compressed bodies.
import MacrologEvents
import MacrologGzip
import MacrologHTTP
import MacrologHTTPServer
import MacrologCryptography
import MacrologZstd

extension FuzzTarget {
    static let target = FuzzTarget("target") { input in
        let text = String(decoding: input, as: UTF8.self)
        guard case .accepted(let path, let query) = RequestTarget.read(text) else { return }
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        try promise(parts.first?.isEmpty == true, "a path begins with a slash")
        for (index, part) in parts.enumerated() {
            guard let bytes = percentDecoded(Array(part)) else {
                throw BrokenPromise(description: "an encoding is whole, needed and in capitals")
            }
            try promise(
                !bytes.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0x2F || $0 == 0x5C },
                "no segment holds a slash, a backslash or a control character")
            try promise(
                !bytes.elementsEqual(".".utf8) && !bytes.elementsEqual("..".utf8),
                "no segment climbs")
            try promise(
                !bytes.isEmpty || index == 0 || index == parts.count - 1, "no segment is empty")
        }
        try promise(
            text.utf8.elementsEqual(path.utf8)
                || text.utf8.elementsEqual((path + "?" + query).utf8),
            "nothing of a target is lost")
    }

    static let origin = FuzzTarget("origin") { input in
        let text = String(decoding: input, as: UTF8.self)
        let trusting = try? Origin(text, allowingInsecure: true)
        guard let origin = try? Origin(text) else {
            return try promise(
                trusting.map { !$0.isSecure && !$0.isLoopback } ?? true,
                "only plain http to another computer needs to be allowed")
        }
        try promise(
            origin.isSecure || origin.isLoopback, "a token never travels in the clear unasked")
        try promise(
            (try? Origin(origin.description)) == origin, "an address reads back as it is written")
        try promise((1...65_535).contains(origin.port), "a port is a port")
    }

    /// Not random, so that the inputs kept hold for ever: the tokens of a server of the tests.
    private static let key = TokenKey(seed: [UInt8](repeating: 7, count: TokenKey.seedBytes))

    static let token = FuzzTarget("token", inputBytesMax: 1_100) { input in
        if let payload = key.verify(input) {
            try promise(key.sign(payload) == input, "what is believed is what was signed")
        }
        if let bytes = Base64URL.decode(input) {
            try promise(Base64URL.encode(bytes) == input, "bytes have one base64url")
        }
        // A correctly signed payload, changed in one place.
        let signed = key.sign(Array(input.prefix(256)))
        try promise(key.verify(signed) == Array(input.prefix(256)), "a signed payload is believed")
        if let place = input.first.map({ Int($0) % signed.count }) {
            var changed = signed
            changed[place] ^= 1
            try promise(key.verify(changed) == nil, "one changed letter, and nothing is believed")
        }
        let text = String(decoding: input, as: UTF8.self)
        if let id = Identifier(text) {
            try promise(Identifier(id.description) == id, "an id reads back as it is written")
        }
    }

    static let compressed = FuzzTarget("compressed") { input in
        let limit = 16_384
        if let bytes = try? gunzip(input, limit: limit) {
            try promise(bytes.count <= limit, "unpacking gzip stops at the limit")
        }
        var decoder = ZstdDecoder()
        if let bytes = try? decoder.decode(input, limit: limit) {
            try promise(bytes.count <= limit, "unpacking zstd stops at the limit")
        }
        try promise((try? gunzip(gzip(input), limit: input.count)) == input, "gzip comes back")
        var encoder = ZstdEncoder()
        try promise(
            (try? decoder.decode(encoder.encode(input), limit: input.count)) == input,
            "zstd comes back, also after a refusal")
    }
}

/// The bytes of a segment; `nil` where an encoding is cut short, in small letters, or of a byte that
/// stands for itself (RFC 3986 §6.2.2).
private func percentDecoded(_ bytes: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            result.append(byte)
            continue
        }
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        rest = rest.dropFirst(2)
        guard let value = UInt8(digits, radix: 16), digits.utf8.count == 2,
            digits == digits.uppercased(), !stands(value)
        else { return nil }
        result.append(value)
    }
    return result
}

private func stands(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || "-._~".utf8.contains(byte)
}
