import MacrologArgumentParsing
import Macrolog
import MacrologSystem
import MacrologFaces

/// `auth login`: logs this device in.
enum AuthLogin {
    static let device = Parameter.option(
        "device", .text("NAME"),
        "The name of this device; otherwise the one that it had, or the computer's name.")

    static let move = Parameter.flag(
        "move", "Move this log to another account or server, with everything in it.")

    static let command = Verb(
        "auth login", "Log this device in.",
        example: "auth login ana@example.org --server https://sync.example.org --device laptop",
        explanation: """
            The session is kept in a file beside the log that only you can read. A log belongs to one
            account: use another file (--db) for another person. To move to another server, create an
            account there and log in with --move on each device.
            """, run: run
    ) {
        AccountWords.email
        AccountWords.server
        device
        move
        AccountWords.code
        AccountWords.certificates
        AccountWords.passwordStdin
    }

    static func run(arguments: ParsedArguments, home: inout Home) async throws {
        let server = try home.server()
        let account = try home.accountTrusting()
        let password = try home.password(isNew: false)
        let email = arguments[AccountWords.email]
        let name = try arguments[device] ?? previousName(&home) ?? Machine.name ?? "computer"
        func logIn(_ code: String?) async throws {
            try await account.logIn(
                email: email, password: password, code: code, at: server, deviceName: name,
                moves: arguments[move])
        }
        do { try await logIn(arguments[AccountWords.code]) } catch AccountError.codeRequired
            where StandardStream.input.isTerminal
        {
            try await logIn(try Terminal.askSecret("Code of your app: "))
        }
        try home.show(AccountJSON.loggedIn(at: server, as: email)) {
            $0.say("Logged in at \(server) as \(email). Next: macrolog sync")
        }
    }

    /// The name that this device had when it was last logged in, if a server has told it; `nil` for a copy
    /// of another device's log.
    private static func previousName(_ home: inout Home) throws -> String? {
        let device = try home.replica.device
        let receipts = try home.replica.syncStatus().receipts?.devices ?? []
        return receipts.first { $0.isThis && $0.device == device }?.name
    }
}
