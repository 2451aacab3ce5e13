/// The key of encryption at rest: a file outside the data folder, with one key a line; the first is the
/// current one. `at-rest-key create`, `at-rest-key rotate` and `encrypt`.
import MacrologArgumentParsing
import MacrologSQLite
import MacrologCryptography
import MacrologService
import MacrologSystem

enum AtRestKey {
    static let option = Parameter.option(
        "at-rest-key", .file,
        "A file of keys, outside the data folder: what people log, and their photos, are encrypted "
            + "on the disk. `sync-server at-rest-key create` makes it.")
    static let file = Parameter.argument("file", .file, "The file of keys.")

    static let create = Command<Void, CommandError>(
        "at-rest-key create", "Make a key of encryption at rest.",
        example: "at-rest-key create /etc/macrolog/at-rest.key",
        explanation: """
            Keep a copy of the file where no backup of the server is: without it nothing that is \
            encrypted can be read again, and beside a backup it protects nothing.
            """,
        run: { arguments, _ throws(CommandError) in
            let path = arguments[file]
            guard !Files.exists(path) else {
                throw CommandError(
                    .cantCreate,
                    """
                    sync-server: \(path) exists, and a database may need it. To add a newer key to it: \
                    sync-server at-rest-key rotate \(path)
                    """)
            }
            try write([randomBytes(DataKey.byteCount)], to: path)
            Standard.output("\(path) holds a new key. Keep a copy apart from all backups.\n")
        }
    ) {
        file
    }

    static let rotate = Command<Void, CommandError>(
        "at-rest-key rotate", "Add a newer key before those of a file.",
        example: "at-rest-key rotate /etc/macrolog/at-rest.key",
        explanation: """
            At its next start the server encrypts the keys of all accounts with the newer one. Then the \
            older lines may go, once no backup that needs them is kept.
            """,
        run: { arguments, _ throws(CommandError) in
            let path = arguments[file]
            let keys = try read(path)
            try write([randomBytes(DataKey.byteCount)] + keys, to: path)
            Standard.output("\(path) holds a newer key, and \(keys.count) of before.\n")
        }
    ) {
        file
    }

    static let encrypt = Command<Void, CommandError>(
        "encrypt", "Encrypt what was stored before there was a key.",
        example: "encrypt --data /var/lib/macrolog --at-rest-key /etc/macrolog/at-rest.key",
        explanation: """
            Stop the server first. Everything that it stores from now on is encrypted anyway; this \
            rewrites what is older. If it is interrupted, give it again. Backups of before stay as they \
            are: make a new one, and delete them. So do databases that were moved aside, which it names.
            """,
        run: { arguments, _ throws(CommandError) in
            let folder = try DataFolder.existing(
                arguments,
                instead: """
                    What is stored there from now on is encrypted; what is older only on the way: `sync-server migrate` \
                    it to SQLite, encrypt it there, and `migrate` it back to an empty database.
                    """)
            let keys = try keys(arguments, for: folder)
            guard !keys.isEmpty else {
                throw CommandError(.usage, "sync-server: give the key with --at-rest-key.")
            }
            let lock = try folder.lock()
            let count: Int64
            do {
                count = try ServerFile.encrypt(folder.database, keys: keys, holding: lock)
            } catch {
                throw CommandError(.ioErr, folder.database, error)
            }
            for left in [folder.restored, folder.copying] { DataFolder.removeUnfinished(left) }
            Standard.output("\(count) events were encrypted; now all events and photos are.\n")
            for old in folder.oldDatabases {
                Standard.output(
                    "Not encrypted by this: \(old), a database of before. Once you do not need it, "
                        + "remove it and its .blobs folder.\n")
            }
            _ = consume lock
        }
    ) {
        Settings.file
        Serve.data
        option
    }

    /// The keys of a database, which it has proved to be its own; none without the option.
    static func keys(
        _ arguments: ParsedArguments, for folder: DataFolder
    ) throws(CommandError) -> [DataKey] {
        let keys = try keys(arguments)
        if let path = arguments[option], folder.holds(path) {
            throw CommandError(
                .config,
                """
                sync-server: \(path) is in the data folder, where every copy of the database finds it. \
                Move it, for example to /etc/macrolog.
                """)
        }
        if folder.hasDatabase { try check(folder.database, keys) }
        return keys
    }

    /// The keys that the option names; none without it.
    static func keys(_ arguments: ParsedArguments) throws(CommandError) -> [DataKey] {
        guard let path = arguments[option] else { return [] }
        return try read(path).map { DataKey($0) }
    }

    /// Refuses a database with other keys.
    static func check(_ database: String, _ keys: [DataKey]) throws(CommandError) {
        let problem: ServerFile.KeyProblem?
        do { problem = try ServerFile.keyProblem(database, keys: keys) } catch {
            throw CommandError(.dataErr, database, error)
        }
        if let problem { throw refusal(problem, database) }
    }

    /// Why a database is not opened with the keys given, and what to do.
    static func refusal(_ problem: ServerFile.KeyProblem, _ database: String) -> CommandError {
        switch problem {
        case .missing:
            CommandError(
                .noInput,
                "sync-server: \(database) is encrypted. Name the file of its key with --at-rest-key."
            )
        case .wrong:
            CommandError(
                .dataErr,
                """
                sync-server: the key given is not that of \(database). Restore the copy of its file, \
                with the lines of before a rotation.
                """)
        }
    }

    private static func read(_ path: String) throws(CommandError) -> [[UInt8]] {
        let text = String(decoding: try DataFolder.readKey(path), as: UTF8.self)
        let lines = text.split(whereSeparator: \.isWhitespace)
        let keys = lines.compactMap { Base64URL.decode(Array($0.utf8)) }
            .filter { $0.count == DataKey.byteCount }
        guard !keys.isEmpty, keys.count == lines.count else {
            throw CommandError(
                .dataErr,
                "sync-server: \(path) is no file of keys, or is damaged; restore its copy.")
        }
        return keys
    }

    private static func write(_ keys: [[UInt8]], to path: String) throws(CommandError) {
        let lines = keys.map { String(decoding: Base64URL.encode($0), as: UTF8.self) + "\n" }
        do throws(SystemError) {
            var whole = try WholeFile(path)
            try whole.write(Array(lines.joined().utf8))
            try whole.complete()
        } catch {
            throw CommandError(.cantCreate, "sync-server: cannot write \(path): \(error)")
        }
    }
}
