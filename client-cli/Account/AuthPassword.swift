import MacrologArgumentParsing
import MacrologFaces
import MacrologJSON
import Macrolog
import MacrologSystem

/// `auth password` and `auth reset`: a new password.
enum AuthPassword {
    static let change = Verb(
        "auth password", "Change the password.", example: "auth password",
        explanation: """
            All other devices are logged out; this one stays logged in. With --password-stdin the old
            password is the first line, and the new one the second.
            """, run: runChange
    ) { AccountWords.passwordStdin }

    static let codeStdin = Parameter.flag(
        "code-stdin", "Read the code that the server's operator gave you from standard input.")

    static let reset = Verb(
        "auth reset", "Set a new password with a code of the server's operator.",
        example: "auth reset ana@example.org --server https://sync.example.org",
        explanation: """
            For a forgotten password. The code works once and for 30 minutes. All devices are logged
            out, and keep everything; log in again on each. A second factor stays. The code is asked
            for; with --code-stdin and --password-stdin it is the first line, and the password the
            second.
            """, run: runReset
    ) {
        AccountWords.email
        AccountWords.server
        codeStdin
        AccountWords.certificates
        AccountWords.passwordStdin
    }

    static func runChange(arguments: ParsedArguments, home: inout Home) async throws {
        let account = try home.account
        guard let session = try account.session else { throw AccountError.loggedOut }
        let old = try home.password(isNew: false, "Password until now: ")
        let new = try home.password(isNew: true, "New password: ", address: session.email)
        try await account.changePassword(from: old, to: new)
        try home.show(AccountJSON.passwordChanged) {
            $0.say("The password is changed. All other devices are logged out.")
        }
    }

    static func runReset(arguments: ParsedArguments, home: inout Home) async throws {
        let server = try home.server()
        let account = try home.accountTrusting()
        let email = arguments[AccountWords.email]
        let code = try resetCode(arguments)
        let password = try home.password(isNew: true, "New password: ", address: email)
        try await account.resetPassword(email: email, code: code, password: password, at: server)
        try home.show(AccountJSON.passwordChanged) {
            $0.say(
                "The password is changed. Now log in: macrolog auth login \(email) --server \(server)"
            )
        }
    }

    /// The operator's code; not an argument, which everyone on the machine can read.
    private static func resetCode(_ arguments: ParsedArguments) throws -> String {
        if arguments[codeStdin] {
            guard let line = readLine(strippingNewline: true), !line.isEmpty else {
                throw CommandError(.noInput, "\(arguments.command): standard input holds no code")
            }
            return line
        }
        guard StandardStream.input.isTerminal else {
            throw CommandError(
                .usage,
                "\(arguments.command): there is no terminal to ask for the code: type --code-stdin")
        }
        return try Terminal.askSecret("Code of the operator: ")
    }
}
