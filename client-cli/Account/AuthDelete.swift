import MacrologArgumentParsing
import MacrologFaces
import MacrologJSON
import Macrolog

/// `auth delete`: deletes the account on the server.
enum AuthDelete {
    static let yes = Parameter.flag("yes", "Delete; without it nothing is done.")

    static let command = Verb(
        "auth delete", "Delete the account, and all that the server holds of it.",
        example: "auth delete --yes",
        explanation: """
            Events, photos and sessions on the server are removed at once, and its backups forget
            them when they are restored. The logs on your devices stay as they are, and can be sent
            to another account with `auth login --move`. To take everything with you first:
            `auth export`.
            """, run: run
    ) {
        yes
        AccountWords.code
        AccountWords.passwordStdin
    }

    static func run(arguments: ParsedArguments, home: inout Home) async throws {
        let account = try home.account
        guard let session = try account.session else { throw AccountError.loggedOut }
        guard arguments[yes] else {
            throw CommandError(
                .usage,
                "\(arguments.command): this deletes \(session.email) at \(session.server) and cannot "
                    + "be undone: type --yes")
        }
        let password = try home.password(isNew: false)
        try await account.delete(password: password, code: arguments[AccountWords.code])
        try home.show(AccountJSON.deleted(session.email)) {
            $0.say("Deleted \(session.email) at \(session.server). The log on this device stays.")
        }
    }
}
