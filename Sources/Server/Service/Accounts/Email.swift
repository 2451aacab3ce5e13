/// Which email addresses are valid, and when two are the same.
import MacrologHTTP

/// An email address: ASCII, one `@`, at most 254 bytes.
struct Email {
    /// As its owner wrote it.
    let text: String
    /// The bytes that are compared: ASCII letters in lower case, everything else unchanged.
    let key: [UInt8]

    /// Checks an address. An internationalized domain must be given in its `xn--` form; non-ASCII
    /// letters before the `@` are refused, because too many of them look alike.
    init(_ text: String) throws(Problem) {
        let bytes = Array(asciiLowercased(text).utf8)
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard bytes.count <= 254, parts.count == 2, Self.isLocal(parts[0]), Self.isDomain(parts[1])
        else {
            throw .invalid("email", "Type an address such as ana@example.org, in ASCII letters.")
        }
        self.text = text
        key = bytes
    }

    /// `dot-atom` of RFC 5322 §3.2.3, at most 64 bytes.
    private static func isLocal(_ part: ArraySlice<UInt8>) -> Bool {
        let atoms = part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return part.count <= 64 && atoms.allSatisfy { !$0.isEmpty && $0.allSatisfy(isAtomByte) }
    }

    private static func isAtomByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
        }
    }

    private static func isDomain(_ part: ArraySlice<UInt8>) -> Bool {
        part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
            let hyphen = UInt8(ascii: "-")
            return (1...63).contains($0.count) && $0.first != hyphen && $0.last != hyphen
                && $0.allSatisfy {
                    switch $0 {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), hyphen:
                        true
                    default: false
                    }
                }
        }
    }
}
