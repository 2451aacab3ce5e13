/// `invite …`: codes with which people create accounts.
import MacrologArgumentParsing
import MacrologJSON
import MacrologService

enum Invitations {
    static let commands: [Command<Void, CommandError>] = [create, list, revoke]

    private static let uses = Parameter.option(
        "uses", .integer("COUNT", in: 1...1_000_000), otherwise: "1",
        "How many accounts may be created with it.")
    private static let days = Parameter.option(
        "days", .integer("DAYS", in: 1...3_650), otherwise: "7", "How long it can be used.")

    private static let create = Command<Void, CommandError>(
        "invite create", "Make an invitation.", example: "invite create",
        "invite create --uses 50 --days 1",
        explanation: """
            It is shown once: the server keeps only a digest. Who has it creates an account with \
            macrolog auth register --invite, also from a network that has made many.
            """
    ) { arguments, _ throws(CommandError) in
        let members = [
            JSON.Member("uses", .integer(arguments[uses])),
            JSON.Member("days", .integer(arguments[days])),
        ]
        try Administer.show("invite create", arguments, members) { result in
            let made = result["invitation"] ?? .null
            return [
                "Invitation \(number(made, "number")), for accounts: \(number(made, "uses")), until "
                    + "\(text(made, "expires_at")):",
                "  \(text(made, "code"))",
                "People type: macrolog auth register EMAIL --server URL --invite \(text(made, "code"))",
            ]
        }
    } parameters: {
        uses
        days
        Administer.everywhere
    }

    private static let list = Command<Void, CommandError>(
        "invite list", "List the invitations that can still be used.", example: "invite list"
    ) { arguments, _ throws(CommandError) in
        try Administer.show("invite list", arguments) { result in
            let open = result["invitations"]?.array ?? []
            guard !open.isEmpty else { return ["No invitations are open."] }
            return table(["number", "created", "until", "used", "of"], open) {
                [
                    number($0, "number"), date($0, "created_at"), date($0, "expires_at"),
                    number($0, "used"), number($0, "uses"),
                ]
            }
        }
    } parameters: {
        Administer.everywhere
    }

    private static let which = Parameter.argument(
        "number", .integer("NUMBER", in: 1...Int64.max), "Its number, as invite list shows.")

    private static let revoke = Command<Void, CommandError>(
        "invite revoke", "Withdraw an invitation; accounts made with it stay.",
        example: "invite revoke 3"
    ) { arguments, _ throws(CommandError) in
        try Administer.show(
            "invite revoke", arguments, [JSON.Member("number", .integer(arguments[which]))]
        ) { ["Withdrew invitation \(number($0, "revoked"))."] }
    } parameters: {
        which
        Administer.everywhere
    }
}
