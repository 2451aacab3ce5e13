import Foundation
import MacrologPasswords
import Testing

/// Goal: what many people have for a password, and what follows from an address, is found weak; a
/// few words by chance are found strong.
/// Method: a list of what has leaked most often, and forms of it that people think of.
@Suite struct StrengthTests {
    private static func common() throws -> [String] {
        let path = #filePath.replacing("StrengthTests.swift", with: "common.txt")
        return try String(contentsOfFile: path, encoding: .utf8)
            .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("# ") }
    }

    private func strength(_ password: String, address: String = "") throws -> Strength {
        try #require(try Strength.of(Array(password.utf8), address: Array(address.utf8)))
    }

    @Test func `ten thousand common passwords are found too weak, or are too short`() throws {
        let passwords = try Self.common()
        #expect(passwords.count == 10_000)
        let taken = try passwords.filter {
            try $0.utf8.count >= 8 && strength($0).isEnough
        }
        #expect(taken == [])
    }

    @Test(arguments: [
        "1234567890", "P@ssw0rd1", "Summer2025!", "chocolate", "spiderman", "elizabeth",
        "asdfasdf", "jessica1", "Password123!", "12345678", "abcdefgh", "aaaaaaaa", "abababab",
        "qwertyuiop", "p@ssw0rd", "1q2w3e4r", "2026-11-22", "dragon12345", "Spring2024",
        String(repeating: "password", count: 20),
    ])
    func `what people make of common words is too weak`(password: String) throws {
        let strength = try strength(password)
        #expect(!strength.isEnough, "\(strength)")
    }

    @Test func `what belongs to the person is too weak, and strong for everybody else`() throws {
        let own = "Ana.Kowalczyk@Example.org"
        for password in ["ana.kowalczyk@example.org", "Kowalczyk1985", "Macrolog2026!"] {
            #expect(try !strength(password, address: own).isEnough, "\(password)")
        }
        #expect(try strength("ana.kowalczyk@example.org").isEnough)
    }

    @Test(arguments: [
        "correct horse battery staple", "four words in a row", "nine purple lanterns hum",
        "7391 4820 1123", "kqvw7zpx", "k\u{0}q\u{0}v\u{0}w7", "ünïcödé ist gut", "8 chars!",
    ])
    func `chance is strong, whatever it is made of`(password: String) throws {
        let strength = try strength(password)
        #expect(strength.isEnough, "\(strength)")
    }

    @Test func `only the first hundred bytes are judged, in bounded time`() throws {
        let row = String(repeating: "a", count: 100)
        let hidden = row + "nine purple lanterns hum"
        #expect(try strength(hidden) == strength(row))
        #expect(try !strength(hidden).isEnough)
        #expect(try !strength(String(repeating: "a", count: 1_000_000)).isEnough)
    }

    @Test func `a weak one is refused with the reason`() throws {
        #expect(try strength("chocolate").weakness == .word)
        #expect(try strength("xxxxxxxxxx").weakness == .repetition)
        #expect(try strength("abcdefghijkl").weakness == .sequence)
        #expect(try strength("kowalczyk", address: "kowalczyk@example.org").weakness == .known)
        #expect(try strength("").score == 0)
    }
}
