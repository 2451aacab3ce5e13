import Macrolog
import MacrologArgumentParsing
import MacrologFaces
import MacrologTerminal

/// `share grant` and `auth token`: tokens for the web interface of the server.
enum ShareGrant {
    private static let name = Parameter.argument(
        "name", .text("NAME"), "Who or what it is for: 1 to 64 bytes, such as \"coach Eva\".")
    private static let from = Parameter.argument(
        "from", .day, "The first day that is shown: today, -30 or 2026-11-01.")
    private static let days = Parameter.option(
        "days", .integer("DAYS", in: 1...365), otherwise: "90", "For how many days it works.")
    private static let scope = Parameter.option(
        "scope", .choice(["read", "write", "quick"].map { ($0, $0) }), otherwise: "read",
        "read; write; or quick, which records one line and reads nothing.")

    static let command = Verb(
        "share grant", "Let a coach read from some day on.",
        example: "share grant \"coach Eva\" 2026-11-01", "share grant Eva today --days 30",
        explanation: """
            Prints a token, once. Who has it sees days, meals, averages and tables from that day on over the
            server's web interface, changes nothing, and sees no profile, advice or history. Each use is in
            your audit trail: auth audit. End it at any time: device revoke, with its name.
            """, run: grant
    ) {
        name
        from
        days
    }

    static let token = Verb(
        "auth token", "Make a token for a script or a shortcut.",
        example: "auth token \"phone shortcut\" --scope quick", "auth token backup --days 365",
        explanation: """
            Prints a token, once, for the server's web interface: its page /api has the routes. It is listed by
            auth sessions, and ended by device revoke.
            """, run: make
    ) {
        name
        scope
        days
    }

    private static func grant(_ arguments: ParsedArguments, _ home: inout Home) async throws {
        let first = try home.typedDay(arguments[from], from, arguments)
        try await print("read", first, arguments, &home)
    }

    private static func make(_ arguments: ParsedArguments, _ home: inout Home) async throws {
        try await print(arguments[scope], nil, arguments, &home)
        guard arguments[scope] != "read", try home.preferences.zone == nil else { return }
        let zone = LocalZone.system.name?.string ?? "Europe/Zurich"
        home.warn(
            "your zone is not set, so the server counts the days of what is recorded with this token in "
                + "UTC: macrolog config set zone \(zone)")
    }

    private static func print(
        _ scope: String, _ first: Day?, _ arguments: ParsedArguments, _ home: inout Home
    ) async throws {
        let (account, name, days) = (try home.account, arguments[name], arguments[days])
        guard let session = try account.session else { throw AccountError.loggedOut }
        let token = try await account.makeToken(
            named: name, scope: scope, firstDay: first?.number, days: days)
        try home.show(
            AccountJSON.token(token, named: name, scope: scope, from: first, days: days)
        ) { home in
            let what =
                switch scope {
                case "quick": "record lines"
                case "write": "read and record"
                default: "read" + (first.map { " from \($0) on" } ?? "")
                }
            home.say("\(printable(name)) may \(what) for \(counted(days, "day")), with this token:")
            home.say(printable(token))
            home.say("Try it:")
            let request =
                scope == "quick" ? "/api/v1/quick -d 'line=300 kcal lunch'" : "/api/v1/day"
            home.say(
                "curl -s \(session.server)\(request) -H 'authorization: Bearer TOKEN'")
        }
    }
}
