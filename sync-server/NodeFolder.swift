/// The data folder of a server whose accounts are in PostgreSQL: it has no database, and what a command finds there
/// instead.
import MacrologArgumentParsing
import MacrologPostgreSQL
import MacrologService
import MacrologSystem

extension DataFolder {
    /// The name by which servers that share a folder of photos know each other.
    var nodeNameFile: String { "\(path)/node.name" }

    /// The folder of a server with these databases, which is there and has their secrets: another one has another list
    /// of deleted accounts.
    static func ofNode(
        _ path: String, of addresses: [PostgreSQLAddress]
    ) throws(CommandError) -> DataFolder {
        Running.createsPrivateFiles()
        let folder = DataFolder(path: path)
        guard folder.hasSecrets else {
            throw CommandError(
                .noInput,
                """
                sync-server: \(path) is not the folder of a server with this --store: \(folder.secretsFile) is missing. \
                Name one with --data: its server.db.deletions says who was deleted and must not come back. On a new \
                machine, put both files of a server there first.
                """)
        }
        let secrets = try folder.secrets()
        for address in addresses {
            do { try PostgreSQLServerStore.check(address, secrets: secrets) } catch {
                throw StoreOptions.refusal(error, address, folder)
            }
        }
        return folder
    }

    /// The secrets, which are not made; `nil` if there are none. Root may look at those of the server's user.
    func knownSecrets() throws(CommandError) -> Secrets? {
        guard hasSecrets else { return nil }
        guard Running.isRoot else { return try secrets() }
        let bytes = try Self.read(secretsFile)
        guard bytes.count == Secrets.byteCount else {
            throw CommandError(
                .dataErr, "sync-server: \(secretsFile) is damaged; restore its copy.")
        }
        return Secrets(bytes)
    }

    /// How much the list of deletions says, as a line.
    func summary(of ledger: DeletionLedger) throws(CommandError) -> String {
        let count: Int
        do { count = try ledger.entries().count } catch {
            throw CommandError(.dataErr, ledger.path, error)
        }
        return count == 0
            ? """
            \(ledger.path) has no lines: accounts that were deleted or disabled since are back. If other servers have lines, \
            put them there, and give the command again.\n
            """
            : "\(ledger.path) has \(count == 1 ? "1 line" : "\(count) lines") of who was deleted, disabled or enabled.\n"
    }

    /// The folder of a database on which a command works.
    ///
    /// - Parameter instead: What to do where the accounts are in PostgreSQL.
    static func existing(
        _ arguments: ParsedArguments, instead: String
    ) throws(CommandError) -> DataFolder {
        let folder = DataFolder(path: arguments[Serve.data])
        let store = StoreOptions.address.specification.name
        let isShared = Settings(for: arguments).entries[store]?.words.isEmpty == false
        try folder.refuseNode(isNode: isShared, instead: instead)
        return try existing(folder.path)
    }

    /// Refuses a folder without a database whose server has its accounts in PostgreSQL.
    ///
    /// - Parameters:
    ///   - isNode: Whether the settings say so; otherwise the folder does.
    ///   - instead: What to do there.
    func refuseNode(isNode: Bool = false, instead: String) throws(CommandError) {
        guard !hasDatabase, isNode || Files.exists(nodeNameFile) else { return }
        throw CommandError(
            .noInput,
            "sync-server: there is no database \(database), because the accounts are in PostgreSQL. \(instead)"
        )
    }
}
