import MacrologArgumentParsing
import MacrologJSON
import Macrolog
import MacrologFaces

/// `auth status`: says who is logged in.
enum AuthStatus {
    static let command = Verb(
        "auth status", "Show the account that is logged in.", example: "auth status", run: run)

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let session = try home.account.session
        let device = try home.replica.device
        try home.show([
            "logged_in": .bool(session != nil), "email": .optional(session?.email),
            "server": .optional(session?.server), "account_id": .optional(session?.account),
            "device_id": .id(device),
        ]) { home in
            if let session {
                home.say("Logged in at \(session.server) as \(session.email).")
            } else {
                home.say("Not logged in. Only syncing needs an account.")
            }
        }
    }
}
