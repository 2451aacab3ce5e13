/// bcrypt hashes of earlier systems: they are only verified, and replaced at the next login.
package import MacrologSystem

package enum Bcrypt {
    /// How many rounds are accepted: 2^4 to 2^14, at most a second or two.
    package static let costs: ClosedRange<Int> = 4...14

    /// Whether a text is a bcrypt hash: `$2a$`, `$2b$` or `$2y$`, a cost, 22 letters of salt and 31
    /// of hash.
    package static func isHash(_ hash: [UInt8]) -> Bool {
        let parts = hash.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, parts[2].count == 2,
            ["2a", "2b", "2y"].contains(where: { parts[1].elementsEqual($0.utf8) }),
            let cost = Int(String(decoding: parts[2], as: UTF8.self)), costs.contains(cost)
        else { return false }
        return parts[3].count == 53 && parts[3].allSatisfy(isLetter)
    }

    /// The cost of a hash, the logarithm of its rounds.
    package static func cost(_ hash: [UInt8]) -> Int {
        precondition(isHash(hash), "a cost is asked of a bcrypt hash only")
        return Int(hash[4] - UInt8(ascii: "0")) * 10 + Int(hash[5] - UInt8(ascii: "0"))
    }

    /// A hash of the same cost that no password is known to match.
    package static func unmatched(like hash: [UInt8]) -> [UInt8] {
        precondition(isHash(hash), "only a bcrypt hash has a cost")
        return hash.prefix(7) + [UInt8](repeating: UInt8(ascii: "."), count: 53)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}

#if canImport(CMacrologCrypt)
    import CMacrologCrypt

    /// libcrypt, opened by the first hash.
    private let crypt: Result<macrolog_crypt, LibraryError> = Result { () throws(LibraryError) in
        let library = try Library.open("libcrypt.so.1", package: "libcrypt1")
        return macrolog_crypt(hash: try library.function("crypt_rn"))
    }

    extension Bcrypt {
        /// Opens libcrypt, so that a missing one is reported before it is needed.
        package static func prepare() throws(LibraryError) { _ = try crypt.get() }

        /// Whether a password matches a hash. A password with a zero byte matches none.
        package static func verify(_ password: [UInt8], hash: [UInt8]) -> Bool {
            guard isHash(hash), !password.contains(0), let library = try? crypt.get() else {
                return false
            }
            let size = MemoryLayout<crypt_data>.size
            let scratch = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            scratch.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            defer { scratch.deallocate() }
            let phrase = (password + [0]).map { CChar(bitPattern: $0) }
            let setting = (hash + [0]).map { CChar(bitPattern: $0) }
            guard let found = library.hash(phrase, setting, scratch, Int32(size)) else {
                return false
            }
            let text = UnsafeBufferPointer(start: found, count: 60).map { UInt8(bitPattern: $0) }
            return isEqualInConstantTime(text, hash)
        }
    }
#else
    extension Bcrypt {
        package static func prepare() throws(LibraryError) {}

        package static func verify(_ password: [UInt8], hash: [UInt8]) -> Bool { false }
    }
#endif
