/// `user …`: the accounts of a server.
import MacrologArgumentParsing
import MacrologJSON
import MacrologService
import MacrologSystem
import MacrologTerminal

enum Users {
    private static let email = Parameter.argument("email", .text, "The address of the account.")

    static let commands: [Command<Void, CommandError>] = [
        list, show, add, LegacyUsers.command, disable, enable, delete, resetCode, sessions, audit,
        usage,
    ]

    // MARK: Seeing

    private static let list = Command<Void, CommandError>(
        "user list", "List the accounts.", example: "user list --data /var/lib/macrolog"
    ) { arguments, _ throws(CommandError) in
        try Administer.show("user list", arguments) { result in
            let users = result["users"]?.array ?? []
            guard !users.isEmpty else { return ["No accounts yet."] }
            return table(["account", "created", "last seen", "devices", "events", ""], users) {
                [
                    text($0, "email"), date($0, "created_at"), date($0, "last_seen_at"),
                    number($0, "session_count"), number($0, "event_count"), state($0),
                ]
            }
        }
    } parameters: {
        Administer.everywhere
    }

    private static let show = Command<Void, CommandError>(
        "user show", "Show an account.", example: "user show ana@example.org"
    ) { arguments, _ throws(CommandError) in
        try Administer.show("user show", arguments, [named(arguments)]) { describe($0["user"]) }
    } parameters: {
        email
        Administer.everywhere
    }

    private static let usage = Command<Void, CommandError>(
        "user usage", "Show what accounts take of their quotas.", example: "user usage",
        "user usage ana@example.org",
        explanation: "The quotas are those of the server that runs, or the defaults if none does."
    ) { arguments, _ throws(CommandError) in
        let members = arguments[anyEmail].map { [JSON.Member("email", .string($0))] } ?? []
        try Administer.show("user usage", arguments, members) { result in
            let quotas = result["quotas"] ?? .null
            let rows = table(
                ["account", "events", "size", "photos", "size", "devices"],
                result["usage"]?.array ?? []
            ) {
                [
                    text($0, "email"), number($0, "event_count"), size($0, "event_bytes"),
                    number($0, "blob_count"), size($0, "blob_bytes"), number($0, "session_count"),
                ]
            }
            return rows + [
                "",
                "Each may have \(number(quotas, "event_count")) events of "
                    + "\(size(quotas, "event_bytes")), \(size(quotas, "blob_bytes")) of photos, and "
                    + "\(number(quotas, "session_count")) devices.",
            ]
        }
    } parameters: {
        anyEmail
        Administer.everywhere
    }
    private static let anyEmail = Parameter.optionalArgument(
        "email", .text, "One account; otherwise all.")

    // MARK: Changing

    private static let hashStdin = Parameter.flag(
        "bcrypt-hash-stdin",
        "Read the hash of an earlier system, such as $2b$12$…, from standard input.")
    private static let passwordStdin = Parameter.flag(
        "password-stdin", "Read the first password from standard input.")

    private static let add = Command<Void, CommandError>(
        "user add", "Add an account.", example: "user add ana@example.org",
        "user add ana@example.org --bcrypt-hash-stdin <hash",
        explanation: """
            Without a password its owner sets one with the code that is printed, which works once and \
            for 30 minutes: macrolog auth reset. A password of an earlier system gets another hash when \
            it is first used.
            """
    ) { arguments, _ throws(CommandError) in
        var members = [named(arguments)]
        // Not as arguments, which everyone on the machine can read.
        switch (arguments[hashStdin], arguments[passwordStdin]) {
        case (true, true):
            throw CommandError(
                .usage,
                "sync-server user add: --bcrypt-hash-stdin and --password-stdin exclude each other")
        case (true, false): members.append(JSON.Member("bcrypt_hash", .string(try line("hash"))))
        case (false, true): members.append(JSON.Member("password", .string(try line("password"))))
        case (false, false): break
        }
        try Administer.show("user add", arguments, members) { result in
            ["Added \(text(result["user"] ?? .null, "email"))."] + code(result)
        }
    } parameters: {
        email
        hashStdin
        passwordStdin
        Administer.everywhere
    }

    private static let disable = Command<Void, CommandError>(
        "user disable", "Refuse an account until it is enabled again.",
        example: "user disable ana@example.org",
        explanation: """
            All its sessions end at once. Nothing is deleted, here or on the devices, which go on \
            recording.
            """
    ) { arguments, _ throws(CommandError) in
        try Administer.show("user disable", arguments, [named(arguments)]) { result in
            [
                "Disabled \(text(result["user"] ?? .null, "email")). Sessions ended: "
                    + "\(number(result, "ended_count"))."
            ]
        }
    } parameters: {
        email
        Administer.everywhere
    }

    private static let enable = Command<Void, CommandError>(
        "user enable", "Serve a disabled account again.", example: "user enable ana@example.org",
        explanation: "Every device has to log in again."
    ) { arguments, _ throws(CommandError) in
        try Administer.show("user enable", arguments, [named(arguments)]) { result in
            ["Enabled \(text(result["user"] ?? .null, "email"))."]
        }
    } parameters: {
        email
        Administer.everywhere
    }

    private static let yes = Parameter.flag("yes", "Delete; without it nothing is done.")

    private static let delete = Command<Void, CommandError>(
        "user delete", "Delete an account and everything in it.",
        example: "user delete ana@example.org --yes",
        explanation: """
            Its events and photos are removed and overwritten, and its address is free again. The \
            devices keep what they hold. The account is noted by a random number in \
            server.db.deletions, and restoring an earlier backup deletes it again: keep a copy of that \
            file apart from the backups. Backups hold the account until you delete them.
            """
    ) { arguments, _ throws(CommandError) in
        guard arguments[yes] else {
            throw CommandError(
                .usage,
                "sync-server user delete: this cannot be undone. Type --yes to delete \(arguments[email])."
            )
        }
        let old = DataFolder(path: arguments[Serve.data]).oldDatabases
        try Administer.show(
            "user delete", arguments, [named(arguments)],
            adding: [JSON.Member("copies", .array(old.map { .string($0) }))]
        ) { result in
            ["Deleted \(text(result, "deleted"))."]
                + old.map {
                    "Still in \($0), which was moved aside: remove it and its .blobs folder."
                }
                + [
                    "Still in backups that were made before \(text(result, "deleted_at")): a restore "
                        + "deletes it again, by \(text(result, "deletions_file"))."
                ]
        }
    } parameters: {
        email
        yes
        Administer.everywhere
    }

    private static let disablesTOTP = Parameter.flag(
        "disable-totp",
        "The code disables the second factor, too, when it is used: for who has lost it.")

    private static let resetCode = Command<Void, CommandError>(
        "user reset-code", "Make a code with which its owner sets a new password.",
        example: "user reset-code ana@example.org",
        explanation: """
            The code works once and for 30 minutes: macrolog auth reset. Earlier codes no longer \
            work. All sessions end when it is used.
            """
    ) { arguments, _ throws(CommandError) in
        let members = [
            named(arguments), JSON.Member("disables_totp", .bool(arguments[disablesTOTP])),
        ]
        try Administer.show("user reset-code", arguments, members) { code($0) }
    } parameters: {
        email
        disablesTOTP
        Administer.everywhere
    }

    private static let ending = Parameter.option(
        "end", .text("ID"), "End the session of this id.")
    private static let endingAll = Parameter.flag("end-all", "End all sessions.")

    private static let sessions = Command<Void, CommandError>(
        "user sessions", "List the sessions of an account, or end them.",
        example: "user sessions ana@example.org", "user sessions ana@example.org --end-all"
    ) { arguments, _ throws(CommandError) in
        guard arguments[ending] == nil || !arguments[endingAll] else {
            throw CommandError(
                .usage, "sync-server user sessions: --end and --end-all exclude each other")
        }
        var members = [named(arguments), JSON.Member("ends_all", .bool(arguments[endingAll]))]
        if let id = arguments[ending] { members.append(JSON.Member("end", .string(id))) }
        try Administer.show("user sessions", arguments, members) { result in
            let ended = result["ended"]?.array?.count ?? 0
            let open = result["sessions"]?.array ?? []
            return (ended == 0 ? [] : ["Sessions ended: \(ended)."])
                + (open.isEmpty
                    ? ["No device is logged in."]
                    : table(["device", "since", "last seen", "id"], open) {
                        [
                            text($0, "name"), date($0, "created_at"), date($0, "last_seen_at"),
                            text($0, "id"),
                        ]
                    })
        }
    } parameters: {
        email
        ending
        endingAll
        Administer.everywhere
    }

    private static let audit = Command<Void, CommandError>(
        "user audit", "List what happened to an account.", example: "user audit ana@example.org",
        explanation: "The same that its owner sees: macrolog auth audit."
    ) { arguments, _ throws(CommandError) in
        try Administer.show("user audit", arguments, [named(arguments)]) { result in
            table(["when", "event", "network", "device"], result["audit"]?.array ?? []) {
                [date($0, "at"), text($0, "event"), text($0, "network"), text($0, "name")]
            }
        }
    } parameters: {
        email
        Administer.everywhere
    }

    // MARK: Words

    /// A line of standard input.
    private static func line(_ what: String) throws(CommandError) -> String {
        guard let line = readLine(strippingNewline: true), !line.isEmpty else {
            throw CommandError(.noInput, "sync-server user add: standard input holds no \(what)")
        }
        return line
    }

    private static func named(_ arguments: ParsedArguments) -> JSON.Member {
        JSON.Member("email", .string(arguments[email]))
    }

    private static func describe(_ user: JSON?) -> [String] {
        guard let user else { return [] }
        return [
            "\(text(user, "email")) \(state(user))",
            "account        \(text(user, "account_id"))",
            "created        \(date(user, "created_at"))",
            "last seen      \(date(user, "last_seen_at"))",
            "second factor  \(user["second_factor"] == true ? "yes" : "no")",
            "devices        \(number(user, "session_count"))",
            "events         \(number(user, "event_count")), \(size(user, "event_bytes"))",
            "photos         \(number(user, "blob_count")), \(size(user, "blob_bytes"))",
        ]
    }

    private static func state(_ user: JSON) -> String {
        if let since = user["disabled_at"]?.string { return "disabled since \(since)" }
        return user["password_set"] == true ? "" : "no password yet"
    }

    /// The code of an answer, if there is one, and what to do with it.
    private static func code(_ result: JSON) -> [String] {
        guard let code = result["code"]?.string else { return [] }
        return [
            "Give its owner this code, which works once, until \(text(result, "expires_at")):",
            "  \(code)",
            "Its owner types: macrolog auth reset \(text(result["user"] ?? .null, "email")) --server URL",
        ]
    }
}

// MARK: Tables of answers

func text(_ json: JSON, _ key: String) -> String { printable(json[key]?.string ?? "–") }

func number(_ json: JSON, _ key: String) -> String {
    NumberFormat.grouped.text(json[key]?.integer ?? 0, scale: 0)
}

/// An instant without its `T`: `2026-11-21 03:41:20Z`.
func date(_ json: JSON, _ key: String) -> String { text(json, key).replacing("T", with: " ") }

private func size(_ json: JSON, _ key: String) -> String {
    let tenths = (json[key]?.integer ?? 0) * 10 / (1 << 20)
    return "\(NumberFormat.grouped.text(tenths, scale: 1)) MiB"
}

func table(_ titles: [String], _ rows: [JSON], cells: (JSON) -> [String]) -> [String] {
    var table = Table(columns: titles.map { Table.Column($0) })
    for row in rows { table.add(cells(row).map { Table.Cell($0) }) }
    return table.lines(style: .plain, width: nil)
}
