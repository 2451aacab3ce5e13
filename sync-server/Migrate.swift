/// `migrate`: moves the server's store from SQLite to PostgreSQL, or back.
import MacrologArgumentParsing
import MacrologCryptography
import MacrologEvents
import MacrologPostgreSQL
import MacrologService
import MacrologSystem

enum Migrate {
    static let from = Parameter.option(
        "from", .text("STORE"),
        "Where the store is: sqlite:DIR, a data folder; or postgres://user@host/database.")
    static let to = Parameter.option(
        "to", .text("STORE"), "Where it goes: the other one of the two, which must be empty.")
    static let lists = Parameter.options(
        "deletions", .file,
        "On the way back: the server.db.deletions of another server of the PostgreSQL side, whose lines come along; "
            + "once for each.")
    static let startOver = Parameter.flag(
        "start-over", "Empty a target that an interrupted move has begun to fill, and begin again.")

    static let command = Command<Void, CommandError>(
        "migrate", "Move everything from SQLite to PostgreSQL, or back.",
        example:
            "migrate --from sqlite:/var/lib/macrolog --to postgres://macrolog@db/macrolog --data /var/lib/node",
        "migrate --from postgres://macrolog@db/macrolog --to sqlite:/var/lib/macrolog --data /var/lib/node",
        explanation: """
            Stop all servers of the store first. Accounts, sessions, logs, photos, shares and all else are copied, \
            and then both sides are read whole and compared, before the target can be served. Devices notice \
            nothing: the log has the same epoch, and their sessions stay.

            If it is interrupted, at whatever point, give it again: it continues. Until then the target \
            refuses to be served; the source can be, and then --start-over empties the target. Once all is \
            compared, the source keeps what it has and refuses to be served: two servers would go on from it in \
            two ways. `sync-server store restored` lets it be served again.

            --data is the data folder of a server of the PostgreSQL side, with its secrets.key and its list of \
            deleted accounts. On the way there it gets both; on the way back it has them, and where there were several \
            servers, give the lists of the others with --deletions. Photos in a bucket \
            stay there.
            """, run: run
    ) {
        from
        to
        lists
        startOver
        Settings.file
        Serve.data
        StoreOptions.passwords
        StoreOptions.pooler
        StoreOptions.files
        AtRestKey.option
    }

    @Sendable static func run(_ arguments: ParsedArguments, _: inout Void) throws(CommandError) {
        let way = try Way(arguments)
        let keys = try AtRestKey.keys(arguments)
        if let files = arguments[StoreOptions.files] { try DataFolder.refuseAnothers(files) }
        let node = try DataFolder.open(arguments[Serve.data])
        let folder =
            way.isToShared
            ? try DataFolder.existing(way.folder, evenMarked: true)
            : try DataFolder.open(way.folder, evenMarked: true)
        guard Files.wholePath(folder.path) != Files.wholePath(node.path) else {
            throw CommandError(
                .usage,
                """
                sync-server: --data is the folder of sqlite:\(folder.path). Name the folder of a server on the \
                PostgreSQL side: a new one, or that of one that has stopped.
                """)
        }
        guard !node.hasDatabase else {
            throw CommandError(
                .usage,
                """
                sync-server: \(node.database) is a database, and --data names the folder of a server that has \
                none. Name an empty folder.
                """)
        }
        let lock = try folder.lock()
        let nodeLock = try node.lock()
        let (source, target) = way.isToShared ? (folder, node) : (node, folder)
        let secrets = try Self.secrets(of: source, for: target)
        let isElsewhere = source.hasBlobsElsewhere
        let shared = "\(arguments[StoreOptions.files] ?? node.path)/server.db"
        let own = folder.database
        let blobs: (source: String, target: String)? =
            isElsewhere ? nil : way.isToShared ? (own, shared) : (shared, own)
        let places = (StoreMove.Place.file(own), StoreMove.Place.shared(way.address))
        let progress = Progress()
        let move = StoreMove(
            from: way.isToShared ? places.0 : places.1, to: way.isToShared ? places.1 : places.0,
            blobs: blobs, secrets: Secrets(secrets), keys: keys, note: { progress.note($0) })
        let moved: StoreMove.Moved
        do {
            if arguments[startOver] {
                _ = try move.startOver()
                if !way.isToShared { try empty(folder, blobs?.source) }
            }
            moved = try move.run {
                try bring(from: source, to: target, secrets, lists: arguments[lists])
                if let blobs { try makeFolder(Files.folder(of: blobs.target)) }
            }
        } catch let error as CommandError {
            throw error
        } catch let error as StoreMoveError {
            throw way.sentence(error)
        } catch let error as PostgreSQLError where error.state == "42501" {
            throw CommandError(
                .noPerm,
                """
                sync-server: \(error.description).
                Connect as the owner of the database's tables: a role that only serves cannot move them.
                """)
        } catch let error as PostgreSQLError {
            throw CommandError(
                error.code == .address ? .usage : .unavailable,
                "sync-server: \(error.description).\n\(again)")
        } catch {
            throw CommandError(.ioErr, "sync-server: \(error)\n\(again)")
        }
        report(moved, way, arguments, isElsewhere: isElsewhere)
        _ = consume lock
        _ = consume nodeLock
    }

    private static let again =
        "Nothing is lost, and nothing has moved. Give the same command again: it continues."

    /// The secrets of a store. A target that has others is refused.
    private static func secrets(
        of source: DataFolder, for target: DataFolder
    ) throws(CommandError) -> [UInt8] {
        guard source.hasSecrets else {
            throw CommandError(
                .noInput,
                """
                sync-server: \(source.secretsFile) is missing, and no one could log in. Put the copy of the store's \
                secrets.key there.
                """)
        }
        let secrets = try DataFolder.secrets(at: source.secretsFile)
        let known = target.hasSecrets ? try DataFolder.secrets(at: target.secretsFile) : secrets
        guard known == secrets else {
            throw CommandError(
                .dataErr,
                """
                sync-server: \(target.secretsFile) is not that of \(source.path), and no one could log in. Move it \
                away: the right one is put in its place.
                """)
        }
        return secrets
    }

    /// Copies what is beside the database: the secrets, the list of deletions, and where photos are.
    private static func bring(
        from source: DataFolder, to target: DataFolder, _ secrets: [UInt8], lists: [String]
    ) throws(CommandError) {
        try target.putSecrets(secrets)
        do {
            let entries = try DeletionLedger(of: source.database).entries()
            if !entries.isEmpty { try DeletionLedger(of: target.database).merge(entries) }
        } catch {
            throw CommandError(
                .dataErr, "sync-server: cannot copy \(source.database).deletions: \(error)")
        }
        for path in lists {
            do {
                guard let bytes = try WholeFile.read(path, atMost: 1 << 30) else {
                    throw CommandError(.noInput, "sync-server: there is no file \(path).")
                }
                try DeletionLedger(of: target.database).merge(try DeletionLedger.entries(bytes))
            } catch let error as CommandError {
                throw error
            } catch {
                throw CommandError(.dataErr, "sync-server: cannot copy \(path): \(error)")
            }
        }
        try target.takePlace(from: source)
    }

    private static func makeFolder(_ path: String) throws(CommandError) {
        do throws(SystemError) { try Files.makeFolder(path) } catch {
            throw CommandError(.cantCreate, "sync-server: cannot create \(path): \(error)")
        }
    }

    /// Removes a database that is being filled, and no other, with its photos.
    ///
    /// - Parameter source: Where the photos of the source are, which stay.
    private static func empty(_ folder: DataFolder, _ source: String?) throws {
        guard folder.hasDatabase, case .filling = try StoreMark.of(folder.database) else { return }
        let own = Files.wholePath("\(folder.database).blobs")
        guard let source, Files.wholePath("\(source).blobs") == own else {
            return DataFolder.removeUnfinished(folder.database)
        }
        for end in ["", "-wal", "-shm"] { Files.remove(folder.database + end) }
    }

    private static func report(
        _ moved: StoreMove.Moved, _ way: Way, _ arguments: ParsedArguments, isElsewhere: Bool
    ) {
        let contents = moved.contents
        let blobs = contents.blobs == 0 ? "" : ", \(contents.blobs) photos"
        Standard.output(
            "\(moved.isOld ? "Had been moved before" : "Moved") and compared: \(contents.events) events of "
                + "\(contents.accounts) accounts\(blobs).\n")
        Standard.output("The digest of the logs is \(hexadecimal(contents.digest)).\n")
        let data = arguments[Serve.data]
        let files = arguments[StoreOptions.files].map { " --store-files \($0)" } ?? ""
        let passwords = arguments[StoreOptions.passwords].map { " --store-passwords \($0)" } ?? ""
        let pooler = arguments[StoreOptions.pooler] ? " --store-pooler" : ""
        let key = arguments[AtRestKey.option].map { " --at-rest-key \($0)" } ?? ""
        let bucket = isElsewhere ? ", with the --blobs of before" : ""
        let words =
            way.isToShared
            ? "servers with: sync-server --store '\(way.address.text)'\(passwords)\(pooler)\(files) --data \(data)"
            : "the server with: sync-server --data \(way.folder)"
        Standard.output("Start \(words)\(key)\(bucket)\n")
        Standard.output("\(way.source) keeps what it has, and refuses to be served.\n")
        guard !way.isToShared, arguments[lists].isEmpty else { return }
        Standard.output(
            """
            If there were other servers than that of \(data), put the lines of their server.db.deletions into \
            \(way.folder)/server.db.deletions before you start: else a \
            restored copy brings back whom they have deleted.

            """)
    }
}

/// Says what is being copied, when that changes.
private final class Progress: Sendable {
    private let last = Monitor("")

    func note(_ step: String) {
        let isNew = last.withLock { last in
            defer { last = step }
            return last != step
        }
        if isNew { Standard.error("\(step) …\n") }
    }
}

extension Migrate {
    /// Which of the two sides is which.
    struct Way {
        let isToShared: Bool
        /// The data folder of the SQLite side.
        let folder: String
        let address: PostgreSQLAddress
        let source, target: String

        init(_ arguments: ParsedArguments) throws(CommandError) {
            guard let from = arguments[from], let to = arguments[to] else {
                throw Self.usage("give both --from and --to")
            }
            func isShared(_ text: String) -> Bool {
                text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
            }
            for text in [from, to] where !isShared(text) && !text.hasPrefix("sqlite:") {
                throw Self.usage(
                    "\(text.isEmpty ? "one of the two is empty" : "\(text) is no store")")
            }
            guard isShared(from) != isShared(to) else {
                throw Self.usage(
                    isShared(from)
                        ? "both are PostgreSQL; copy such a database with pg_dump and psql"
                        : "both are SQLite; copy such a folder with `backup` and `restore`")
            }
            (isToShared, source, target) = (isShared(to), from, to)
            folder = String((isShared(to) ? from : to).dropFirst("sqlite:".utf8.count))
            guard !folder.isEmpty else { throw Self.usage("sqlite: names no folder") }
            address = try StoreOptions.address(isShared(to) ? to : from, arguments)
        }

        private static func usage(_ problem: String) -> CommandError {
            CommandError(
                .usage,
                """
                sync-server: \(problem). Type: migrate --from sqlite:DIR --to postgres://user@host/database, or \
                the other way round.
                """)
        }

        /// What to do about it.
        func sentence(_ error: StoreMoveError) -> CommandError {
            let (code, text): (ExitCode, String) =
                switch error {
                case .sourceIsEmpty:
                    (.noInput, "\(source) holds no store: no server has run on it.")
                case .sourceIsFilling:
                    (
                        .dataErr,
                        "\(source) is not complete: a move to it was interrupted. Give that command again."
                    )
                case .sourceHasMoved(let name):
                    (
                        .dataErr,
                        """
                        \(source) was moved to \(name) before. Move from there; or, if that one is lost, let \
                        this one be served again with `sync-server store restored`, and move it then.
                        """
                    )
                case .otherVersion(let isTarget):
                    (
                        .dataErr,
                        isTarget
                            ? "another version began to fill \(target). Begin again with --start-over."
                            : isToShared
                                ? "\(source) is of another version. Type: sync-server upgrade --data \(folder)"
                                : "\(source) is of another version. Start one of its servers with this one, and stop it."
                    )
                case .serversRun(let name):
                    (.tempFail, StoreOptions.serversRun(name))
                case .isPart:
                    (
                        .usage,
                        """
                        \(source) is one of several databases of a service, and holds only a part of its accounts. To \
                        another server of PostgreSQL it is copied with pg_dump and pg_restore: sync-server/README.md, \
                        "Move one of several databases". Its accounts go to the others with `sync-server account move`.
                        """
                    )
                case .targetIsUsed:
                    (
                        .cantCreate,
                        "\(target) holds a store already, and two cannot be joined. Name an empty one."
                    )
                case .targetHasMoved:
                    (
                        .cantCreate,
                        isToShared
                            ? "\(target) holds what was moved away from it. Name an empty database."
                            : """
                            \(folder)/server.db holds what was moved away from it. Move that file and server.db.blobs \
                            to another place, and try again.
                            """
                    )
                case .targetIsFilling:
                    (
                        .cantCreate,
                        """
                        \(target) is being filled from another store. Finish that move, or empty it with \
                        --start-over.
                        """
                    )
                case .otherSecrets:
                    (
                        .dataErr,
                        "the secrets.key beside \(source) is not that of the store, and no one could log in."
                    )
                case .key(.missing):
                    (
                        .noInput,
                        "\(source) is encrypted. Name the file of its key with --at-rest-key."
                    )
                case .key(.wrong):
                    (
                        .dataErr,
                        """
                        the key given is not that of \(source), and nothing was moved. Name the copy of its key file \
                        that has the lines from before the last rotation, too.
                        """
                    )
                case .sourceIsDamaged(let problems):
                    (
                        .dataErr,
                        problems.joined(separator: "\n")
                            + "\n\(source) is damaged, and nothing was moved. "
                            + (isToShared
                                ? "Restore its newest good copy first."
                                : "Bring its newest good backup back first, and type `sync-server store restored`.")
                    )
                case .differs(let differences):
                    (
                        .dataErr,
                        differences.joined(separator: "\n")
                            + """
                            \n\(source) and \(target) differ: one of them was changed since the move began. \
                            \(source) can be served as before. Stop its servers, and begin again with --start-over.
                            """
                    )
                }
            return CommandError(code, "sync-server: \(text)")
        }
    }
}
