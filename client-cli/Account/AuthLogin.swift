import MacrologArgumentParsing
import Macrolog
import MacrologSystem
import MacrologFaces

/// `auth login`: logs this device in.
enum AuthLogin {
    static let device = Parameter.option(
        "device", .text("NAME"), "The name of this device; otherwise the computer's name.")

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
        AccountWords.passwordStdin
    }

    static func run(arguments: ParsedArguments, home: inout Home) async throws {
        let server = try home.server()
        let password = try home.password(isNew: false)
        let email = arguments[AccountWords.email]
        try await home.account.logIn(
            email: email, password: password, at: server,
            deviceName: arguments[device] ?? Machine.name ?? "computer", moves: arguments[move])
        try home.show(AccountJSON.loggedIn(at: server, as: email)) {
            $0.say("Logged in at \(server) as \(email). Next: macrolog sync")
        }
    }
}
