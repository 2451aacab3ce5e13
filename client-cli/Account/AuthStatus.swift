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
        let hasEnded = try home.replica.syncStatus().hasEndedSession
        let account = session.map {
            AccountFace(id: $0.account, server: $0.server, email: $0.email)
        }
        try home.show(AccountJSON.status(account, hasEnded: hasEnded, of: device)) { home in
            if let session, hasEnded {
                home.say(
                    "Not logged in: the session of \(session.email) has ended. "
                        + "macrolog auth login \(session.email) --server \(session.server)")
            } else if let session {
                home.say("Logged in at \(session.server) as \(session.email).")
            } else {
                home.say("Not logged in. Only syncing needs an account.")
            }
        }
    }
}
