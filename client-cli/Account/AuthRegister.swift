import MacrologArgumentParsing
import Macrolog
import MacrologFaces

/// `auth register`: asks a server for an account.
enum AuthRegister {
    static let command = Verb(
        "auth register", "Create an account on a server.",
        example: "auth register ana@example.org --server https://sync.example.org",
        explanation: """
            The server does not reveal whether the address already has an account: log in to find
            out. Only syncing needs an account.
            """, run: run
    ) {
        AccountWords.email
        AccountWords.server
        AccountWords.passwordStdin
    }

    static func run(arguments: ParsedArguments, home: inout Home) async throws {
        let server = try home.server()
        let password = try home.password(isNew: true)
        try await home.account.register(
            email: arguments[AccountWords.email], password: password, at: server)
        try home.show(AccountJSON.registered(at: server)) {
            $0.say("Registered at \(server). Now log in: macrolog auth login")
        }
    }
}
