/// Where the server keeps what people log: in the data folder, or in a PostgreSQL database that several
/// servers share.
import MacrologArgumentParsing
import MacrologCryptography
import MacrologPostgreSQL
import MacrologService
import MacrologSystem
import MacrologTerminal

enum StoreOptions {
    static let address = Parameter.options(
        "store", .text("URL"),
        "The PostgreSQL database of all servers of this service, without a password: "
            + "postgres://user@host/database, or several hosts with commas. Of a service with several "
            + "databases each as NAME=postgres://…. Otherwise a file in --data."
    )
    static let placeNew = Parameter.option(
        "place-new", .text("NAME"),
        "With several --store: the one for new accounts. Otherwise the one with the directory.")
    static let passwords = Parameter.option(
        "store-passwords", .file,
        "A file of passwords for --store, one line host:port:database:user:password.")
    static let pooler = Parameter.flag(
        "store-pooler", "Between this server and --store is PgBouncer in transaction mode.")
    static let files = Parameter.option(
        "store-files", .directory,
        "The folder of photos, which all servers with this --store share; created if missing. Otherwise "
            + "that of --data.")

    /// How databases are reached.
    static let databases: [Specification] = [
        address.specification, passwords.specification, pooler.specification,
    ]

    /// What says which stores of a service a command reaches, the same for each, so that words for one serve for the
    /// next: one that only looks takes --data, too.
    static let reaching: [Specification] =
        [Settings.file.specification, Serve.data.specification] + databases

    /// The address of the only store; `nil` without the option.
    static func address(
        _ arguments: ParsedArguments
    ) throws(CommandError) -> PostgreSQLAddress? {
        let stores = try stores(arguments)
        guard stores.count < 2, stores.first?.name == nil else {
            throw CommandError(
                .usage, "sync-server: here is room for one --store, without a name.")
        }
        return stores.first?.address
    }

    /// The stores: none without the option, and one without a name, or several with one each.
    static func stores(
        _ arguments: ParsedArguments
    ) throws(CommandError) -> [(name: String?, address: PostgreSQLAddress)] {
        let texts = arguments[address]
        if texts.isEmpty {
            let strangers = [
                passwords.specification.name, files.specification.name,
                pooler.specification.name, placeNew.specification.name,
            ]
            let stranger = strangers.first { !(arguments.given($0) ?? []).isEmpty }
            guard let stranger else { return [] }
            throw CommandError(.usage, "sync-server: --\(stranger) goes with --store.")
        }
        var stores: [(name: String?, address: PostgreSQLAddress)] = []
        for text in texts {
            let (name, rest) = named(text)
            guard name != nil || texts.count == 1 else {
                throw CommandError(
                    .usage,
                    "sync-server: of several --store each has a name: --store NAME=\(printable(rest))"
                )
            }
            guard !stores.contains(where: { $0.name == name }) else {
                throw CommandError(
                    .usage, "sync-server: two --store have the name \(name ?? "").")
            }
            stores.append((name, try address(rest, arguments)))
        }
        if let new = arguments.given(placeNew.specification.name)?.first,
            !stores.contains(where: { $0.name == new })
        {
            throw CommandError(
                .usage, "sync-server: --place-new \(printable(new)): no --store has this name.")
        }
        return stores
    }

    /// What stands before the address: `a` in `a=postgres://…`.
    private static func named(_ text: String) -> (name: String?, rest: String) {
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, (1...32).contains(halves[0].utf8.count),
            halves[0].utf8.allSatisfy(isOfName)
        else { return (nil, text) }
        return (String(halves[0]), String(halves[1]))
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The address that a text gives, with the options beside it.
    static func address(
        _ text: String, _ arguments: ParsedArguments
    ) throws(CommandError) -> PostgreSQLAddress {
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
            throw CommandError(
                .usage,
                "sync-server: --store \(text.isEmpty ? "is empty" : "is no address of a database")."
                    + " Write it as postgres://user@host:5432/database; before it NAME= if there are several,"
                    + " of a to z, 0 to 9, - and _.")
        }
        if let path = arguments[passwords] { try check(passwords: path) }
        do throws(PostgreSQLError) {
            return try PostgreSQLAddress(
                text, passwordFile: arguments[passwords], isPooled: arguments[pooler])
        } catch {
            throw sentence(error)
        }
    }

    /// libpq ignores a file that others may read, and says so nowhere.
    private static func check(passwords path: String) throws(CommandError) {
        let text = String(decoding: try DataFolder.readKey(path), as: UTF8.self)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        guard !lines.isEmpty, lines.allSatisfy({ $0.split(separator: ":").count >= 5 }) else {
            throw CommandError(
                .dataErr,
                "sync-server: \(path) needs lines host:port:database:user:password; * stands for any."
            )
        }
    }

    /// Everything about the database that keeps a server from starting, without changing it.
    static func check(_ arguments: ParsedArguments) throws(CommandError) {
        let stores = try stores(arguments)
        guard !stores.isEmpty else { return }
        if arguments[BackupOptions.folder] != nil {
            throw CommandError(
                .usage,
                """
                sync-server: --backup copies the file in --data, and --store has none. \(copying)
                """)
        }
        guard arguments[Settings.check] else { return }
        let folder = DataFolder(path: arguments[Serve.data])
        let keys = try AtRestKey.keys(arguments)
        let secrets = try folder.knownSecrets()
        for (_, address) in stores {
            do {
                try PostgreSQLServerStore.check(address, secrets: secrets, keys: keys)
            } catch {
                throw refusal(error, address, folder)
            }
        }
        try PhotoFolder(arguments)?.check(secrets)
    }

    /// Why a server does not start on a database, and what to do.
    static func refusal(
        _ error: any Error, _ address: PostgreSQLAddress, _ folder: DataFolder
    ) -> CommandError {
        switch error {
        case is PostgreSQLServerStore.OtherSecrets:
            CommandError(
                .dataErr,
                """
                sync-server: \(folder.secretsFile) is \(folder.hasSecrets ? "not that" : "missing: that") of the other \
                servers with this --store, and no one could log in. Copy theirs into this place.
                """)
        case let problem as ServerFile.KeyProblem: AtRestKey.refusal(problem, address.summary)
        case let mark as StoreMark: refusal(mark, address.summary)
        case let error as PostgreSQLError: sentence(error)
        case let error as CommandError: error
        default: CommandError(.unavailable, "sync-server: \(error)")
        }
    }

    /// Why a database must not be served, and what to do.
    static func refusal(_ mark: StoreMark, _ name: String) -> CommandError {
        switch mark {
        case .filling:
            CommandError(
                .dataErr,
                """
                sync-server: \(name) is not complete: `sync-server migrate` fills it. Give that command again, and it \
                continues. To give it up, serve the store from which it is filled.
                """)
        case .moved(let other):
            CommandError(
                .dataErr,
                """
                sync-server: what was in \(name) is in \(other) now, and two servers must not go on from it in two \
                ways. Serve that one. If it is lost, type `sync-server store restored`: then \(name) can be served \
                again, and the devices give back what it lacks.
                """)
        case .restoring:
            CommandError(
                .dataErr,
                """
                sync-server: \(name) went back to an earlier state, and `sync-server store restored` was interrupted. \
                Give that command again, with the same --restored, and it continues.
                """)
        }
    }

    /// Opens the store, or all of them as one; `nil` without the option.
    static func open(
        _ arguments: ParsedArguments, _ folder: DataFolder, _ keys: [DataKey], _ secrets: Secrets,
        blobs: (any BlobStorage)?, fatal: @escaping @Sendable (String) -> Void,
        note: @escaping @Sendable (String) -> Void, noteEnd: @escaping @Sendable (String) -> Void
    ) throws(CommandError) -> (any ServerStore)? {
        let ledger = DeletionLedger(of: folder.database)
        var open: [(name: String?, store: PostgreSQLServerStore)] = []
        do {
            for (name, address) in try stores(arguments) {
                let store = try self.open(
                    address, arguments, folder, keys, secrets, ledger, blobs: blobs, fatal: fatal,
                    note: { detail in note(name.map { "\($0): \(detail)" } ?? detail) },
                    noteEnd: { noteEnd(name ?? address.summary) })
                open.append((name, store))
            }
            guard let first = open.first else { return nil }
            if let photos = try PhotoFolder(arguments) {
                try photos.check(secrets)
                try photos.take(secrets)
            }
            if first.name == nil, first.store.part == nil { return first.store }
            return try PlacedStore(
                open.map { ($0.name ?? $0.store.part?.name ?? "", $0.store) },
                newIn: arguments[placeNew])
        } catch {
            for (_, store) in open { store.close() }
            throw Placing.refusal(error)
        }
    }

    private static func open(
        _ address: PostgreSQLAddress, _ arguments: ParsedArguments, _ folder: DataFolder,
        _ keys: [DataKey], _ secrets: Secrets, _ ledger: DeletionLedger,
        blobs: (any BlobStorage)?, fatal: @escaping @Sendable (String) -> Void,
        note: @escaping @Sendable (String) -> Void, noteEnd: @escaping @Sendable () -> Void
    ) throws(CommandError) -> PostgreSQLServerStore {
        guard !folder.hasDatabase else {
            throw CommandError(
                .usage,
                """
                sync-server: \(folder.database) is a database, and --store names another one. Start \
                without --store, or name an empty folder with --data and put secrets.key into it.
                """)
        }
        let files = arguments[files] ?? folder.path
        // Without it no photo could be kept, and nothing would be known of the room on its disk.
        do throws(SystemError) { try Files.makeFolder(files) } catch {
            throw CommandError(.cantCreate, "sync-server: cannot create \(files): \(error)")
        }
        do {
            return try PostgreSQLServerStore.open(
                address, beside: "\(files)/server.db", node: try folder.nodeName(),
                ledger: ledger, secrets: secrets,
                newEpoch: folder.newEpoch(), keys: keys, blobs: blobs, fatal: fatal, note: note,
                noteEnd: noteEnd)
        } catch {
            throw refusal(error, address, folder)
        }
    }

    /// How a database of PostgreSQL is copied.
    static let copying =
        "Copy that database with PostgreSQL's own means, such as pg_dump or an archive of its log."

    /// What is said while a server is connected to a database to which none may be.
    static func serversRun(_ name: String) -> String {
        "a server is connected to \(name). Stop all of its servers, and try again. If PgBouncer is in between, "
            + "restart it: it keeps their connections."
    }

    static func sentence(_ error: PostgreSQLError) -> CommandError {
        if error.state == "42501" {
            return CommandError(
                .noPerm,
                """
                sync-server: the user of --store may not do this in \(error.database ?? "the database"): \
                \(error.detail). As the owner of its tables, type `sync-server store roles`, which makes what this \
                version needs.
                """)
        }
        let code: ExitCode =
            switch error.code {
            case .address: .usage
            case .migrations, .unsuitable, .damaged: .dataErr
            default: .unavailable
            }
        return CommandError(code, "sync-server: \(error.description).")
    }
}
