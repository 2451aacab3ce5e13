/// Which request targets are canonical: `/path?query` that every parser reads alike.
package enum RequestTarget {
    /// The outcome of reading a target.
    package enum Outcome: Equatable, Sendable {
        /// The path as received, and what follows the first `?`; empty if there is nothing.
        case accepted(path: String, query: String)
        /// An ambiguous or invalid target.
        case refused(String)
    }

    /// Splits and checks a target.
    package static func read(_ target: String) -> Outcome {
        var target = target
        return target.withUTF8 { bytes in
            let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
            let path = UnsafeBufferPointer(rebasing: bytes[..<end])
            let query = UnsafeBufferPointer(rebasing: bytes[min(end + 1, bytes.count)...])
            if let reason = problem(inPath: path) { return .refused(reason) }
            guard query.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
                return .refused("a byte of the query must be percent-encoded")
            }
            return .accepted(
                path: String(decoding: path, as: UTF8.self),
                query: String(decoding: query, as: UTF8.self))
        }
    }

    /// Why a path is not canonical, or `nil`.
    private static func problem(inPath path: UnsafeBufferPointer<UInt8>) -> String? {
        guard path.first == slash else { return "the target must begin with a slash" }
        var index = 0
        var segment = 1
        while index < path.count {
            let byte = path[index]
            if byte == percent {
                guard index + 2 < path.count, let high = upperHex(path[index + 1]),
                    let low = upperHex(path[index + 2]), mustBeEncoded(high << 4 | low)
                else { return "a percent-encoding in the path is not canonical" }
                index += 3
                continue
            }
            guard byte > 0x20, byte < 0x7F, byte != backslash, byte != UInt8(ascii: "#") else {
                return "a byte of the path must be percent-encoded"
            }
            if byte == slash, index > 0 {
                if isDots(path[segment..<index]) || segment == index { return dotted }
                segment = index + 1
            }
            index += 1
        }
        return isDots(path[segment...]) ? dotted : nil
    }

    private static let dotted = "the path has an empty segment, or . or .. as one"

    private static func isDots(_ segment: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        (1...2).contains(segment.count) && segment.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    /// Bytes with a reserved meaning, that would end a string, or that would split a path.
    private static func mustBeEncoded(_ byte: UInt8) -> Bool {
        let isUnreserved =
            isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
        return !isUnreserved && byte >= 0x20 && byte != 0x7F && byte != slash && byte != backslash
    }
}

private let slash = UInt8(ascii: "/")
private let backslash = UInt8(ascii: "\\")
private let percent = UInt8(ascii: "%")

private func upperHex(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
