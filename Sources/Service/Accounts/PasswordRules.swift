/// Which passwords are accepted: long enough, and not one that everybody tries first.
import HTTP

enum PasswordRules {
    /// Bytes of a password.
    static let lengths = 8...1_024

    /// Refuses a password that is too short, too long, or too easily guessed. No rules of
    /// composition, no truncation, no normalisation: the bytes count as they came.
    static func check(_ password: [UInt8], email: Email) throws(Problem) {
        guard lengths.contains(password.count) else {
            throw .invalid(
                "password", "A password has 8 to 1,024 bytes; four words in a row make a good one.")
        }
        let lowered = password.map { (65...90).contains($0) ? $0 + 32 : $0 }
        // `macrolog2026!` is as easily guessed as `macrolog`.
        let word = lowered.filter { (97...122).contains($0) }
        let isCommon =
            password.count <= word.count + 8
            && commonWords.contains { word.elementsEqual($0.utf8) }
            || commonPasswords.contains { lowered.elementsEqual($0.utf8) }
            || Set(lowered).count < 3 || lowered.elementsEqual(email.key)
            || lowered.elementsEqual(email.local) || isRun(lowered)
        guard !isCommon else {
            throw .invalid(
                "password", "This password is among the first that anybody tries; take another.")
        }
    }

    /// Whether each byte follows the one before it: `abcdefgh`, `87654321`.
    private static func isRun(_ bytes: [UInt8]) -> Bool {
        let steps = Set(zip(bytes, bytes.dropFirst()).map { Int($1) - Int($0) })
        return steps.count == 1
    }

    /// With up to eight digits and signs around or between their letters.
    private static let commonWords = [
        "macrolog", "password", "passwort", "passw", "pass", "qwerty", "qwertyuiop", "qwertz",
        "asdfgh", "asdfghjkl", "zxcvbnm", "iloveyou", "letmein", "welcome", "admin",
        "administrator", "login", "master", "monkey", "dragon", "football", "baseball",
        "princess", "sunshine", "shadow", "superman", "batman", "trustno", "michael", "charlie",
        "jennifer", "starwars", "whatever", "computer", "internet", "secret", "changeme",
        "default", "test", "testtest", "hello", "hellohello", "freedom", "pokemon", "liverpool",
        "chelsea", "arsenal", "q", "qwe", "qaz", "qazwsx", "qazwsxedc", "abc", "abcabc", "abcd",
        "aa", "", "x", "a", "asd", "zxc", "nutrition", "fitness", "diet",
    ]

    private static let commonPasswords = [
        "1q2w3e4r", "1q2w3e4r5t", "1qaz2wsx", "q1w2e3r4", "zaq12wsx", "qwer1234", "asdf1234",
        "p@ssw0rd", "p@ssword", "passw0rd", "pa$$word", "pa$$w0rd", "abc12345", "a1b2c3d4",
        "1a2b3c4d", "le7me1n!", "adm1n123",
    ]
}
