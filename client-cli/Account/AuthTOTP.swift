import MacrologArgumentParsing
import MacrologFaces
import MacrologJSON
import MacrologTerminal
import Macrolog

/// `auth totp …`: the optional second factor.
enum AuthTOTP {
    static let enable = Verb(
        "auth totp enable", "Begin a second factor with an authenticator app.",
        example: "auth totp enable",
        explanation: """
            Prints a secret for the app, also as an otpauth: address that can be shown as a QR code.
            Nothing asks for codes before `auth totp confirm`.
            """, run: runEnable
    ) { AccountWords.passwordStdin }

    static let typed = Parameter.argument("code", .text("CODE"), "The code that the app shows.")

    static let confirm = Verb(
        "auth totp confirm", "Confirm the second factor with a first code.",
        example: "auth totp confirm 123456",
        explanation: """
            From now on logging in needs a code; other devices are logged out, and tokens end.
            Prints ten recovery codes, once: each works once in place of a code. Keep them where the
            phone is not.
            """, run: runConfirm
    ) { typed }

    static let disable = Verb(
        "auth totp disable", "End the second factor.", example: "auth totp disable --code 123456",
        run: runDisable
    ) {
        AccountWords.code
        AccountWords.passwordStdin
    }

    static func runEnable(arguments: ParsedArguments, home: inout Home) async throws {
        let account = try home.account
        let password = try home.password(isNew: false)
        let begun = try await account.beginSecondFactor(password: password)
        try home.show(AccountJSON.secondFactor(secret: begun.secret, uri: begun.uri)) { home in
            home.say("Type this secret into your app, or show it the address as a QR code:")
            home.say("  \(printable(begun.secret))")
            home.say("  \(printable(begun.uri))")
            home.say("Next: macrolog auth totp confirm, with the code that the app shows")
        }
    }

    static func runConfirm(arguments: ParsedArguments, home: inout Home) async throws {
        let codes = try await home.account.confirmSecondFactor(code: arguments[typed])
        try home.show(AccountJSON.recoveryCodes(codes)) { home in
            home.say(
                "Logging in needs a code from now on. Each of these works once in place of one:")
            for code in codes { home.say("  \(printable(code))") }
            home.say(
                "Your other devices are logged out, and your tokens have ended: log in again with a "
                    + "code, and make new tokens.")
        }
    }

    static func runDisable(arguments: ParsedArguments, home: inout Home) async throws {
        let account = try home.account
        let password = try home.password(isNew: false)
        try await account.endSecondFactor(password: password, code: arguments[AccountWords.code])
        try home.show(AccountJSON.secondFactorEnded) {
            $0.say("Logging in needs no code from now on.")
        }
    }
}
