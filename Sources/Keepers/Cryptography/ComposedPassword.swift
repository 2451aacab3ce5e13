#if canImport(Darwin)
    import Foundation
#else
    @_spi(_Unicode) import Swift
#endif

extension Password {
    /// A password in Unicode's canonical composition (NFC; RFC 8265 §4.2.2): the same bytes, whether a keyboard
    /// makes "é" as one code point or as two. What is no text stays as it is.
    package static func composed(_ password: [UInt8]) -> [UInt8] {
        guard !password.allSatisfy({ $0 < 0x80 }),
            let text = String(validating: password, as: UTF8.self)
        else { return password }
        #if canImport(Darwin)
            return Array(text.precomposedStringWithCanonicalMapping.utf8)
        #else
            return text._nfc.flatMap { Array(String($0).utf8) }
        #endif
    }
}
