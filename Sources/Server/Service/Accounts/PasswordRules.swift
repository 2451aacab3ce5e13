/// Which passwords are accepted: long enough, and hard to guess.
import MacrologHTTP
import MacrologPasswords
import MacrologSystem

enum PasswordRules {
    /// Bytes of a password.
    static let lengths = 8...1_024

    /// Refuses a password that is too short, too long, or too easily guessed. No composition rules, and
    /// no truncation.
    static func check(
        _ password: [UInt8], email: Email, field: String = "password"
    ) throws(Problem) {
        guard lengths.contains(password.count) else {
            throw .invalid(
                field, "A password has 8 to 1,024 bytes; \(Strength.advice).")
        }
        let strength: Strength?
        do throws(LibraryError) {
            strength = try Strength.of(password, address: email.key)
        } catch {
            // `serve` does not start without the library.
            throw .busy
        }
        guard let strength, !strength.isEnough else { return }
        throw .invalid(
            field,
            "This password is too easily guessed: \(strength.reason). Take another; "
                + "\(Strength.advice).")
    }
}
