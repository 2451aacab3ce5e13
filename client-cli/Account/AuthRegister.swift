import MacrologArgumentParsing
import MacrologJSON
import Macrolog

/// `auth register`: asks a server for an account.
enum AuthRegister {
    static let command = Verb(
        "auth register", "Make an account at a server.",
        example: "auth register ana@example.org --server https://sync.example.org",
        explanation: """
            The server does not tell whether the address has an account already, so that nobody
            learns who is there: sign in to see. Everything but syncing works without an account.
            """, run: run
    ) {
        AccountWords.email
        AccountWords.server
        AccountWords.passwordStdin
    }

    static func run(words: Words, home: inout Home) async throws {
        let server = try home.server()
        let password = try home.password(isNew: true)
        try await home.account.register(
            email: words[AccountWords.email], password: password, at: server)
        try home.show(["server": .string(server), "registered": true]) {
            $0.say("Registered at \(server). Now sign in: macrolog auth login")
        }
    }
}
