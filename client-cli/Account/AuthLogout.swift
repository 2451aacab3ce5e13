import MacrologArgumentParsing
import Macrolog
import MacrologFaces

/// `auth logout`: logs this device out.
enum AuthLogout {
    static let evenUnsynced = Parameter.flag(
        "even-unsynced", "Log out although some events have not reached the server.")

    static let command = Verb(
        "auth logout", "Log this device out; its log stays.", example: "auth logout",
        explanation: """
            Refuses while unsent events remain, unless you type --even-unsynced. Nothing is deleted:
            log in again and they are sent.
            """, run: run
    ) { evenUnsynced }

    static func run(arguments: ParsedArguments, home: inout Home) async throws {
        let account = try home.account
        let wasLoggedIn = try account.session != nil
        try await account.logOut(evenUnsynced: arguments[evenUnsynced])
        try home.show(AccountJSON.loggedOut(wasLoggedIn)) {
            $0.say(wasLoggedIn ? "Logged out. The log stays as it is." : "Not logged in.")
        }
    }
}
