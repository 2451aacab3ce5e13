/// Where the server keeps what people log: in the data folder, or in a PostgreSQL database that several
/// servers share.
import MacrologArgumentParsing
import MacrologCryptography
import MacrologPostgreSQL
import MacrologService
import MacrologSystem

enum StoreOptions {
    static let address = Parameter.option(
        "store", .text("URL"),
        "The PostgreSQL database of all servers of this service, without a password: "
            + "postgres://user@host/database, or several hosts with commas. Otherwise a file in --data."
    )
    static let passwords = Parameter.option(
        "store-passwords", .file,
        "A file of passwords for --store, one line host:port:database:user:password.")
    static let pooler = Parameter.flag(
        "store-pooler", "Between this server and --store is PgBouncer in transaction mode.")
    static let files = Parameter.option(
        "store-files", .directory,
        "The folder of photos, which all servers with this --store share. Otherwise that of --data."
    )

    /// The address; `nil` without the option.
    static func address(
        _ arguments: ParsedArguments
    ) throws(CommandError) -> PostgreSQLAddress? {
        guard let text = arguments[address] else {
            let stranger =
                arguments[passwords] != nil
                ? "store-passwords"
                : arguments[files] != nil
                    ? "store-files" : arguments[pooler] ? "store-pooler" : nil
            guard let stranger else { return nil }
            throw CommandError(.usage, "sync-server: --\(stranger) goes with --store.")
        }
        return try address(text, arguments)
    }

    /// The address that a text gives, with the options beside it.
    static func address(
        _ text: String, _ arguments: ParsedArguments
    ) throws(CommandError) -> PostgreSQLAddress {
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
            throw CommandError(
                .usage,
                "sync-server: --store \(text.isEmpty ? "is empty" : "is no address of a database")."
                    + " Write it as postgres://user@host:5432/database.")
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
        guard let address = try address(arguments) else { return }
        if arguments[BackupOptions.folder] != nil {
            throw CommandError(
                .usage,
                """
                sync-server: --backup copies the file in --data, and --store has none. Copy the database \
                with PostgreSQL's own means, such as pg_dump or an archive of its log.
                """)
        }
        guard arguments[Settings.check] else { return }
        let mark: StoreMark?
        do throws(PostgreSQLError) {
            mark = try StoreMark.of(address)
            if mark == nil { _ = try PostgreSQLServerStore.pendingUpgrades(address) }
        } catch {
            throw sentence(error)
        }
        if let mark { throw refusal(mark, address.summary) }
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
        }
    }

    /// Opens the database; `nil` without the option.
    static func open(
        _ arguments: ParsedArguments, _ folder: DataFolder, _ keys: [DataKey], _ secrets: Secrets,
        blobs: (any BlobStorage)?, fatal: @escaping @Sendable (String) -> Void
    ) throws(CommandError) -> PostgreSQLServerStore? {
        guard let address = try address(arguments) else { return nil }
        guard !folder.hasDatabase else {
            throw CommandError(
                .usage,
                """
                sync-server: \(folder.database) is a database, and --store names another one. Start \
                without --store, or name an empty folder with --data and put secrets.key into it.
                """)
        }
        let files = arguments[files] ?? folder.path
        do {
            return try PostgreSQLServerStore.open(
                address, beside: "\(files)/server.db", node: try folder.nodeName(),
                ledgerPath: folder.database, secrets: secrets,
                newEpoch: folder.newEpoch(), keys: keys, blobs: blobs, fatal: fatal)
        } catch is PostgreSQLServerStore.OtherSecrets {
            throw CommandError(
                .dataErr,
                """
                sync-server: \(folder.secretsFile) is not that of the other servers with this --store, and \
                no one could log in. Copy theirs into this place.
                """)
        } catch let mark as StoreMark {
            throw refusal(mark, address.summary)
        } catch let error as PostgreSQLError {
            throw sentence(error)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.unavailable, "sync-server: \(error)")
        }
    }

    static func sentence(_ error: PostgreSQLError) -> CommandError {
        if error.state == "42501" {
            return CommandError(
                .noPerm,
                """
                sync-server: the user of --store may not do this: \(error.detail). As the owner of the tables, type \
                `sync-server store roles`, which makes what this version needs.
                """)
        }
        let code: ExitCode =
            switch error.code {
            case .address: .usage
            case .migrations: .dataErr
            default: .unavailable
            }
        return CommandError(code, "sync-server: \(error.description).")
    }
}
