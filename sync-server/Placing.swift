/// `store join`, `account list`, `account show` and `account move`: several databases of one service, each with
/// whole accounts.
import MacrologArgumentParsing
import MacrologPostgreSQL
import MacrologService
import MacrologSystem
import MacrologTerminal

enum Placing {
    static let commands = [join, list, show, move]

    private static let email = Parameter.argument("email", .text, "The address of the account.")
    private static let to = Parameter.option(
        "to", .text("NAME"), "The --store that shall serve the account.")

    // MARK: Joining

    private static let join = Command<Void, CommandError>(
        "store join", "Make one service of several databases, or add one to it.",
        example:
            "store join --store a=postgres://macrolog@db1/macrolog --store b=postgres://macrolog@db2/macrolog --data /var/lib/node",
        explanation: """
            Give all --store with the names that they shall have for ever. The first time the first one keeps the \
            directory: where each account is. Only it may have accounts then; a database that is added later must \
            be new, or have no number and no address that the service has. No server may be connected to a \
            database that is added, nor to the first one the first time. Afterwards start every server with \
            all --store.

            Give the command again if the directory lacks accounts that a database has: they are added. After a \
            database was brought back from a backup, `store restored` does that.
            """
    ) { arguments, _ throws(CommandError) in
        let stores = try stores(arguments)
        try DataFolder.refuseAnothers(arguments[Serve.data])
        let folder = try DataFolder.open(arguments[Serve.data])
        let secrets = try folder.secrets()
        let keys = try AtRestKey.keys(arguments)
        let files = "\(arguments[StoreOptions.files] ?? folder.path)/server.db"
        try explained {
            for store in stores {
                try PostgreSQLServerStore.open(
                    store.address, beside: files, secrets: secrets, newEpoch: folder.newEpoch(),
                    keys: keys, connections: 5, hasThreads: false
                ) { _ in }.close()
            }
            let new = try JoinedStores(stores).join()
            Standard.output(
                new.isEmpty
                    ? "All of them were joined before.\n"
                    : "Joined: \(new.joined(separator: ", ")). Start every server with all --store.\n"
            )
        }
    } parameters: {
        StoreOptions.reaching
        StoreOptions.files
        AtRestKey.option
    }

    // MARK: Looking

    private static let list = Command<Void, CommandError>(
        "account list", "List the accounts, and the database that serves each.",
        example: "account list --config /etc/macrolog/sync-server.conf"
    ) { arguments, _ throws(CommandError) in
        let stores = JoinedStores(try stores(arguments))
        try explained {
            _ = try stores.directory()
            Standard.output(lines(try stores.accounts()))
        }
    } parameters: {
        StoreOptions.reaching
    }

    private static let show = Command<Void, CommandError>(
        "account show", "Show which database serves an account.",
        example: "account show ana@example.org --config /etc/macrolog/sync-server.conf"
    ) { arguments, _ throws(CommandError) in
        let stores = JoinedStores(try stores(arguments))
        try explained {
            let space = try space(arguments, stores)
            Standard.output(lines(try stores.accounts(of: space)))
        }
    } parameters: {
        email
        StoreOptions.reaching
    }

    private static func lines(_ accounts: [PlacedAccount]) -> String {
        var table = Table(columns: ["account", "store", "size", ""].map { Table.Column($0) })
        for account in accounts {
            table.add(
                [
                    printable(account.email), account.store, "\(account.bytes >> 10) KiB",
                    account.closedFor.map { "closed: on its way to \($0)" } ?? "",
                ].map { Table.Cell($0) })
        }
        return table.lines(style: .plain, width: nil).joined(separator: "\n") + "\n"
    }

    // MARK: Moving

    private static let move = Command<Void, CommandError>(
        "account move", "Have another database serve an account.",
        example: "account move ana@example.org --to b --config /etc/macrolog/sync-server.conf",
        explanation: """
            The servers run meanwhile. The account is closed, copied with its sessions, log, shares and all else, \
            read back and compared, and served again from the other database: its devices try again for as long, \
            which is about a second for ten thousand events, and notice nothing else. Photos stay where they are.

            If it is interrupted, give it again: it continues. Until the account is served again, --to with the \
            database that it came from undoes the move. `account list` shows what is not finished.
            """
    ) { arguments, _ throws(CommandError) in
        let stores = JoinedStores(try stores(arguments))
        let keys = try AtRestKey.keys(arguments)
        guard let target = arguments[to] else {
            throw CommandError(.usage, "sync-server account move: give --to NAME.")
        }
        let email = printable(arguments[Self.email])
        try explained {
            let space = try space(arguments, stores)
            let outcome = try stores.move(of: space, keys: keys) { step in
                if let sentence = sentence(step) { Standard.error("\(sentence)\n") }
            }.run(to: target)
            Standard.output("\(sentence(outcome, email, target))\n")
        }
    } parameters: {
        email
        to
        StoreOptions.reaching
        AtRestKey.option
    }

    /// What a step has done; `nil` for one of many.
    private static func sentence(_ step: AccountMove.Step) -> String? {
        switch step {
        case .held(let store): "\(store) has a place for the account, which is served as before."
        case .closed(let store):
            "The account is closed in \(store): its devices are answered with 503, and try again."
        case .copied, .removed(_, isMore: true): nil
        case .compared(let rows):
            "All \(grouped(rows)) rows of the account were copied, read back and compared: they are equal."
        case .served(let store): "\(store) serves the account now."
        case .placed(let store): "The directory says that the account is in \(store)."
        case .removed(let store, isMore: false):
            "The rows of the account that were left in \(store) are removed."
        }
    }

    private static func sentence(
        _ outcome: AccountMove.Outcome, _ email: String, _ target: String
    ) -> String {
        switch outcome {
        case .wasThere: "\(target) serves \(email): there was nothing to move."
        case .reopened(let other):
            "\(target) serves \(email) again: the move to \(other) was undone."
        case .moved(let source, let events, let milliseconds):
            "Moved \(email) with \(grouped(events)) \(events == 1 ? "event" : "events") from \(source) to \(target). "
                + "It was closed for \(milliseconds) ms."
        }
    }

    private static func grouped(_ count: Int) -> String {
        NumberFormat.grouped.text(Int64(count))
    }

    // MARK: Words

    /// All stores with their names.
    static func stores(
        _ arguments: ParsedArguments
    ) throws(CommandError) -> [(name: String, address: PostgreSQLAddress)] {
        var named: [(name: String, address: PostgreSQLAddress)] = []
        for store in try StoreOptions.stores(arguments) {
            guard let name = store.name else {
                throw CommandError(
                    .usage, "sync-server: give each --store a name: --store NAME=postgres://…")
            }
            named.append((name, store.address))
        }
        guard !named.isEmpty else {
            throw CommandError(
                .usage,
                "sync-server: give all databases of the service: --store NAME=postgres://…, each with its name. "
                    + "A file of SQLite is always the only one.")
        }
        return named
    }

    /// The number of the account that is meant.
    private static func space(_ arguments: ParsedArguments, _ stores: JoinedStores) throws -> Space
    {
        let folder = try DataFolder.open(arguments[Serve.data])
        guard folder.hasSecrets else {
            throw CommandError(
                .noInput,
                "sync-server: \(folder.secretsFile) is missing. Name the folder of a server of this service with --data."
            )
        }
        guard let space = try stores.space(of: arguments[email], try folder.secrets()) else {
            throw AccountMoveError.unknownAccount
        }
        return space
    }

    static func explained(_ body: () throws -> Void) throws(CommandError) {
        do { try body() } catch { throw refusal(error) }
    }

    /// What went wrong with several databases, and what to do.
    static func refusal(_ error: any Error) -> CommandError {
        switch error {
        case let error as CommandError: error
        case let error as JoinError: sentence(error)
        case let error as AccountMoveError: sentence(error)
        case let error as RestoredStoresError: SeveralRestored.sentence(error)
        case is PostgreSQLServerStore.OtherSecrets:
            CommandError(
                .dataErr,
                "sync-server: secrets.key in --data is not that of all these databases: they are of two services."
            )
        case let marked as MarkedStore:
            StoreOptions.refusal(marked.mark, "the database \(marked.name)")
        case let mark as StoreMark: StoreOptions.refusal(mark, "one of the databases")
        case let error as PostgreSQLError: StoreOptions.sentence(error)
        default: CommandError(.unavailable, "sync-server: \(error)")
        }
    }

    private static func sentence(_ error: JoinError) -> CommandError {
        let (code, sentence): (ExitCode, String) =
            switch error {
            case .notJoined(let name):
                (
                    .usage,
                    "the database \(name) is not joined to the others. Type: sync-server store join"
                )
            case .notGiven(let name):
                (
                    .usage,
                    "the service has the database \(name), too. Give it as well: --store \(name)=postgres://…"
                )
            case .serversRun(let name):
                (.tempFail, StoreOptions.serversRun(name))
            case .otherService(let name):
                (.usage, "the database \(name) belongs to another service.")
            case .otherName(let given, let known):
                (.usage, "the database that is given as \(given) has the name \(known).")
            case .directoryMissing:
                (
                    .usage,
                    "none of these databases has the directory. Give all databases of the service."
                )
            case .lacks(let name, let count):
                (
                    .dataErr,
                    "this database lacks accounts that the directory has in \(name) (\(count)), so no server starts with "
                        + "it. If \(name) has gone to another server of PostgreSQL, drop this database, and copy that "
                        + "one into its place (sync-server/README.md, \"Move one of several databases\"). If it is lost, "
                        + "type: sync-server store restored --restored \(name)"
                )
            case .collides(let name, let count):
                (
                    .dataErr,
                    "\(count) accounts in \(name) have numbers or addresses of accounts of the service. Name a new "
                        + "database, and let their owners register there again: their devices bring the log along."
                )
            }
        return CommandError(code, "sync-server: \(sentence)")
    }

    private static func sentence(_ error: AccountMoveError) -> CommandError {
        let (code, sentence): (ExitCode, String) =
            switch error {
            case .unknownStore(let names):
                (.usage, "--to names none of the databases: \(names.joined(separator: ", ")).")
            case .unknownAccount:
                (
                    .noInput,
                    "there is no such account, or it is deleted. `sync-server account list` lists them."
                )
            case .unplaced(let name):
                (
                    .dataErr,
                    "the directory lacks this account, which is in \(name). Type: sync-server store join"
                )
            case .isMoving(let source, let target):
                (
                    .tempFail,
                    "this account is on its way from \(source) to \(target), and closed until it is there. Finish it "
                        + "with --to \(target), or undo it with --to \(source)."
                )
            case .isHeld: (.tempFail, "another command moves this account now. Try again.")
            case .severalServe(let names):
                (
                    .dataErr,
                    "\(names.joined(separator: " and ")) both serve this account: one of these databases was brought "
                        + "back from a backup. Stop all servers, and type: sync-server store restored"
                )
            case .otherVersion(let name):
                (
                    .dataErr,
                    "the database \(name) has not the tables of this version. Start the servers of this version, or "
                        + "use the program of theirs."
                )
            case .key(.missing):
                (
                    .usage,
                    "the databases are encrypted, or not all of them. Give --at-rest-key, as the servers do."
                )
            case .key(.wrong):
                (.dataErr, "--at-rest-key does not open the keys in these databases.")
            case .differs(let lines):
                (
                    .dataErr,
                    "the copy differs, and was thrown away; the account is served as before.\n"
                        + lines.joined(separator: "\n")
                )
            }
        return CommandError(code, "sync-server: \(sentence)")
    }
}
