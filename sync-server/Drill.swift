/// `drill`: proves a copy by starting on it.
import MacrologArgumentParsing
import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologCryptography
import MacrologService
import MacrologSystem

enum Drill {
    static let copy = Parameter.argument(
        "copy", .directory, "A copy, or a folder of copies, of which the newest is taken.")
    static let command = Command<Void, CommandError>(
        "drill", "Prove a copy: restore it into a scratch folder, and start on it.",
        example: "drill /backups/macrolog --secrets /safe/secrets.key",
        explanation: """
            Every event, number, digest and photo is read, and compared with what the server had when \
            the copy was made. Nothing but the scratch folder, below $TMPDIR, is written, and that is \
            removed; after an interruption, by the next drill. A folder that passes can be restored \
            with the same keys.
            """, run: run
    ) {
        copy
        Unpacked.secretsOption
        Settings.file
        BackupOptions.secret
        AtRestKey.option
    }

    @Sendable static func run(_ arguments: ParsedArguments, _: inout Void) throws(CommandError) {
        let copy = try Copy.newest(arguments[copy])
        removeInterrupted()
        let path = "\(Environment.temporaryFolder)/\(prefix)\(hexadecimal(randomBytes(8)))"
        let folder = try DataFolder.open(path)
        defer { Files.removeAll(path) }
        let lock = try folder.lock()
        let known: [UInt8]? =
            if let path = arguments[Unpacked.secretsOption] {
                try DataFolder.secrets(at: path)
            } else {
                nil
            }
        let unpacked = try Unpacked(
            copy, to: folder.database, known.map { .known($0) } ?? .own,
            pair: try BackupOptions.pair(arguments))
        let (manifest, secrets) = (unpacked.manifest, Secrets(unpacked.secrets))
        guard !unpacked.lacksDeletions else {
            throw CommandError(
                .dataErr,
                """
                sync-server: server.db.deletions beside the copy is missing, or has fewer entries than \
                when the copy was made: who was deleted could come back. Restore it from another place, \
                or make a new copy.
                """)
        }
        let keys = try AtRestKey.keys(arguments)
        try AtRestKey.check(folder.database, keys)
        try compare(folder.database, manifest, keys, unpacked.deletions ?? [])
        do {
            try DeletionLedger(of: folder.database).merge(unpacked.deletions ?? [])
            guard try ServerFile.accounts(of: folder.database, belongTo: secrets) else {
                throw CommandError(
                    .dataErr, "sync-server: these secrets are not those of the copy \(copy.path).")
            }
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.dataErr, folder.database, error)
        }
        try start(folder, secrets, keys)
        Standard.output(
            "\(copy.path) is good: \(manifest.events) events of \(manifest.accounts) accounts, "
                + "\(manifest.blobs) blobs, of \(SystemClock.utc(manifest.madeAt)); "
                + "a server started on it.\n\(unpacked.deletionsSummary)\n"
                + proof(known == nil))
        _ = consume lock
    }

    /// Whose secrets the copy was compared with.
    private static func proof(_ isOwn: Bool) -> String {
        guard isOwn else { return "The server of --secrets made it.\n" }
        return """
            It was compared with its own secrets.key, which proves only that its parts belong together: \
            name yours with --secrets to prove who made it.

            """
    }

    private static let prefix = "macrolog-drill-"

    /// Removes what drills left that were interrupted: their lock is held by no one.
    private static func removeInterrupted() {
        let scratch = Environment.temporaryFolder
        for name in Files.names(in: scratch) where name.hasPrefix(prefix) {
            let path = "\(scratch)/\(name)"
            guard let status = FileStatus(of: path, followsLinks: false), !status.isAnothers,
                status.isFolder,
                // One that has just begun has no lock yet.
                SystemClock.wallMilliseconds - status.modified / 1_000_000 > 60_000,
                let lock = try? DataFolder(path: path).lock()
            else { continue }
            Files.removeAll(path)
            _ = consume lock
        }
    }

    /// Reads everything, and compares it with the manifest.
    private static func compare(
        _ database: String, _ manifest: Manifest, _ keys: [DataKey],
        _ deletions: [DeletionLedger.Entry]
    ) throws(CommandError) {
        let contents: ServerFile.Contents
        do { contents = try ServerFile.check(database, keys: keys) } catch {
            throw CommandError(.dataErr, database, error)
        }
        var problems = contents.problems + Unpacked.problems(of: contents, deletions)
        for (what, found, expected) in [
            ("accounts", contents.accounts, manifest.accounts),
            ("events", contents.events, manifest.events),
            ("blobs", contents.blobs, manifest.blobs),
            ("epoch", Int64(contents.epoch), manifest.epoch),
        ] where found != expected {
            problems.append("\(what): \(found) instead of \(expected)")
        }
        if hexadecimal(contents.digest) != manifest.digest {
            problems.append("the digest of the logs is another one")
        }
        guard problems.isEmpty else {
            throw CommandError(
                .dataErr,
                problems.joined(separator: "\n")
                    + "\nsync-server: the copy is not good. Make a new one, and look at the disk.")
        }
    }

    /// Starts a server on a restored copy, as `restore` and `serve` would.
    private static func start(
        _ folder: DataFolder, _ secrets: Secrets, _ keys: [DataKey]
    ) throws(CommandError) {
        let failed = CommandError(
            .dataErr, "sync-server: a server started on the copy, and could not use it.")
        do {
            let now = SystemClock.wallMilliseconds
            try ServerFile.renew(
                folder.database, epoch: folder.newEpoch(), endsSessions: false, now: now)
            let store = try SQLiteServerStore.open(
                folder.database, newEpoch: folder.newEpoch(), keys: keys
            ) { _ in }
            let server = SyncServer(
                store: store, secrets: secrets, clock: { SystemClock.wallMilliseconds })
            defer { server.close() }
            let outcome = Monitor<Readiness?>(nil)
            server.readiness { readiness in
                outcome.withLock { $0 = readiness }
                outcome.wakeAll()
            }
            let readiness = outcome.wait { $0 }
            guard readiness.reads == nil, readiness.writes == nil else { throw failed }
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.dataErr, folder.database, error)
        }
    }
}
