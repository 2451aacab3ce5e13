import MacrologArgumentParsing
import Macrolog
import MacrologFaces

/// `auth status`: says who is logged in.
enum AuthStatus {
    static let command = Verb(
        "auth status", "Show the account that is logged in.", example: "auth status", run: run)

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let session = try home.account.session
        let device = try home.replica.device
        let account = session.map {
            AccountFace(id: $0.account, server: $0.server, email: $0.email)
        }
        try home.show(AccountJSON.status(account, of: device)) { home in
            if let session {
                home.say("Logged in at \(session.server) as \(session.email).")
            } else {
                home.say("Not logged in. Only syncing needs an account.")
            }
        }
    }
}
