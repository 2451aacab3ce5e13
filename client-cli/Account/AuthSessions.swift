import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `auth sessions`: where the account is logged in.
enum AuthSessions {
    static let command = Verb(
        "auth sessions", "List where the account is logged in.", example: "auth sessions",
        explanation: "`device list` shows the devices of the log beside them.", run: run)

    static func run(arguments: ParsedArguments, home: inout Home) async throws {
        let sessions = try await home.account.devices()
        try home.show(AccountJSON.sessions(sessions.map(\.face))) { home in
            let table = try DeviceList.accountTable(sessions, now: home.replica.now)
            home.say(table.lines(style: home.style, width: home.terminalWidth))
        }
    }
}

/// `auth audit`: what happened to the account.
enum AuthAudit {
    static let command = Verb(
        "auth audit", "List what happened to the account.", example: "auth audit",
        explanation: """
            Log-ins and failed ones, changes of the password, exports, and what the server's operator
            did, the latest first: when, from which network, on which device. The server keeps the
            last thousand of 400 days.
            """, run: run)

    static func run(arguments: ParsedArguments, home: inout Home) async throws {
        let events = try await home.account.audit()
        try home.show(AccountJSON.audit(events.map(\.face))) { home in
            var table = Table(
                Table.Column("when"), Table.Column("what"), Table.Column("network"),
                Table.Column("device"))
            for event in events {
                table.add(
                    Table.Cell(localTimeText(event.at)),
                    Table.Cell(event.event.replacing("_", with: " ")),
                    Table.Cell(event.network ?? "the operator"), Table.Cell(event.device ?? ""))
            }
            home.say(table.lines(style: home.style, width: home.terminalWidth))
        }
    }
}

extension AccountEvent {
    fileprivate var face: AccountEventFace {
        AccountEventFace(at: at, event: event, network: network, device: device)
    }
}
