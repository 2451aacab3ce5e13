import MacrologArgumentParsing
import Macrolog
import MacrologFaces

/// `auth register`: asks a server for an account.
enum AuthRegister {
    static let invitation = Parameter.option(
        "invite", .text("CODE"), "The invitation that the server's operator gave you.")

    static let command = Verb(
        "auth register", "Create an account on a server.",
        example: "auth register ana@example.org --server https://sync.example.org",
        "auth register ana@example.org --invite ABCD-EFGH-IJKL-MNOP",
        explanation: """
            The server does not reveal whether the address already has an account: log in to find
            out. Only syncing needs an account.
            """, run: run
    ) {
        AccountWords.email
        AccountWords.server
        invitation
        AccountWords.certificates
        AccountWords.passwordStdin
    }

    static func run(arguments: ParsedArguments, home: inout Home) async throws {
        let server = try home.server()
        let account = try home.accountTrusting()
        let email = arguments[AccountWords.email]
        let password = try home.password(isNew: true, address: email)
        try await account.register(
            email: email, password: password, invitation: arguments[invitation], at: server)
        try home.show(AccountJSON.registered(at: server)) {
            $0.say(
                "Registered at \(server). Now log in: macrolog auth login \(email) --server \(server)"
            )
        }
    }
}
