/// `restore`: replaces the database by a backup, with a new epoch, so that devices start recovery.
import MacrologArgumentParsing
import MacrologSQLite
import MacrologCryptography
import MacrologService
import MacrologSystem

enum Restore {
    static let copy = Parameter.argument(
        "file", .file,
        "The backup: a file of `backup`, a copy of `backup add`, or a folder of such copies.")
    static let force = Parameter.flag(
        "force", "Move an existing database aside; it stays beside the new one.")
    static let endSessions = Parameter.flag(
        "end-sessions", "End all sessions: every device has to log in again.")

    static let newSecrets = Parameter.flag(
        "new-secrets",
        "Make a new secrets.key, because the backup's is lost. Every device has to log in again.")

    static let command = Command<Void, CommandError>(
        "restore", "Restore a backup.",
        example: "restore /backups/server-2026-11-21.db --data /var/lib/macrolog",
        explanation: """
            Stop the server first. Type this as the user who runs it: for the package's unit by \
            `systemd-run`, as the operator's guide shows under Restore. The backup is verified, and its \
            log gets a new epoch: at their next sync the devices notice it and give back the events that \
            the backup lacks.

            Accounts that were deleted or disabled after the backup are so again: server.db.deletions \
            in the folder, and beside the copies, names them. Invitations and reset codes are void: make \
            new ones.

            Sessions that began after the backup have to log in again, and no session can be renewed, \
            because a token used since would work twice. Whom you logged out after the backup is \
            logged in again until the access token ends; with --end-sessions no device is.

            If secrets.key is lost and no copy has it, --new-secrets makes another one. Passwords stay. \
            Second factors cannot be checked any more: `sync-server user reset-code --disable-totp` for \
            each. And nothing proves who made the copy: take one from a place that you trust.
            """, run: run
    ) {
        copy
        Settings.file
        Serve.data
        AtRestKey.option
        BlobOptions.place
        BackupOptions.secret
        Unpacked.secretsOption
        newSecrets
        force
        endSessions
    }

    @Sendable static func run(_ arguments: ParsedArguments, _: inout Void) throws(CommandError) {
        let keys = try AtRestKey.keys(arguments)
        let isFile = FileStatus(of: arguments[copy])?.isRegular ?? true
        // A single file is read where it is, before anything is written.
        let source = isFile ? nil : try Copy.newest(arguments[copy])
        var holds = ""
        let named = try arguments[Unpacked.secretsOption].map { path throws(CommandError) in
            try DataFolder.secrets(at: path)
        }
        let made = arguments[newSecrets] ? randomBytes(Secrets.byteCount) : nil
        guard made == nil || named == nil else {
            throw CommandError(
                .usage, "sync-server restore: --secrets and --new-secrets exclude each other")
        }
        if isFile {
            if Files.exists(arguments[copy]) { try AtRestKey.check(arguments[copy], keys) }
            holds = try Verify.sound(
                arguments[copy], keys, hasBlobs: !arguments.has(BlobOptions.place))
        }
        let pair = try BackupOptions.pair(arguments)
        let folder = try DataFolder.open(arguments[Serve.data], evenMarked: true)
        let lock = try folder.lock()
        guard arguments[force] || !folder.hasDatabase else {
            throw CommandError(
                .cantCreate,
                """
                sync-server: \(folder.database) exists. With --force it is moved aside, and \
                nothing is deleted.
                """)
        }
        let new = folder.restored
        DataFolder.removeUnfinished(new)
        var unpacked: Unpacked?
        var withoutFactor: [String] = []
        let deleted: Int
        let deletions = DeletionLedger(of: folder.database)
        let hadDeletions = Files.exists(deletions.path)
        do {
            if let source {
                do throws(CommandError) {
                    let origin = try origin(named, made, folder)
                    let copy = try Unpacked(source, to: new, origin, pair: pair)
                    unpacked = copy
                    try AtRestKey.check(new, keys)
                    let entries = copy.deletions ?? []
                    holds = try Verify.sound(
                        new, keys, entries + ((try? deletions.entries()) ?? []))
                    holds += " Of \(SystemClock.utc(copy.manifest.madeAt))."
                } catch {
                    DataFolder.removeUnfinished(new)
                    throw error
                }
            } else {
                try ServerFile.backUp(arguments[copy], to: new, inDataFolder: true)
            }
            if let named, try !ServerFile.accounts(of: new, belongTo: Secrets(named)) {
                DataFolder.removeUnfinished(new)
                throw CommandError(
                    .dataErr, "sync-server: the secrets given are not those of \(arguments[copy]).")
            }
            if let entries = unpacked?.deletions, !entries.isEmpty { try deletions.merge(entries) }
            let now = SystemClock.wallMilliseconds
            if let made { withoutFactor = try ServerFile.rekey(new, to: Secrets(made), now: now) }
            deleted = try ServerFile.renew(
                new, epoch: folder.newEpoch(), endsSessions: arguments[endSessions],
                deletions: deletions, hasBlobs: !folder.hasBlobsElsewhere, now: now)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.cantCreate, arguments[copy], error)
        }
        if folder.hasDatabase { ServerFile.checkpoint(folder.database) }
        let old = try folder.exchangeDatabase(for: new)
        Standard.output("Restored \(holds)\n")
        if deleted > 0 {
            Standard.output("Accounts of it that had been deleted, and are again: \(deleted).\n")
        }
        if let unpacked { Standard.output("\(unpacked.deletionsSummary)\n") }
        if isLacking(unpacked, hadDeletions, deletions) {
            Standard.output(
                """
                There is no list of deleted accounts here, or not a whole one: those that were deleted \
                or disabled after the copy was made may be back. If you have the list, put it at \
                \(deletions.path) before you start the server, which deletes them again.

                """)
        }
        if let old { Standard.output("The database that was there is now \(old)\n") }
        if let secrets = named ?? made ?? unpacked?.secrets {
            let isThere = folder.hasSecrets
            let aside = try folder.putSecrets(secrets)
            if let aside { Standard.output("The secrets.key that was there is now \(aside)\n") }
            if aside != nil || !isThere {
                let origin = named == nil ? "that of the copy" : "that of --secrets"
                Standard.output("secrets.key is \(made == nil ? origin : "a new one").\n")
            }
            if made != nil { reportRekeyed(withoutFactor) }
        }
        if !folder.hasSecrets {
            Standard.output("Put the copy of secrets.key there too before you start the server.\n")
        }
        _ = consume lock
    }

    /// Which secrets a copy is for: those that were named, new ones, those of the folder, or its own.
    private static func origin(
        _ named: [UInt8]?, _ made: [UInt8]?, _ folder: DataFolder
    ) throws(CommandError) -> Unpacked.Origin {
        if let named { return .known(named) }
        if let made { return .lost(new: made) }
        guard folder.hasSecrets else { return .own }
        return .known(try DataFolder.secrets(at: folder.secretsFile))
    }

    private static func reportRekeyed(_ withoutFactor: [String]) {
        Standard.output(
            """
            Every device has to log in again, with the password of before. Nothing proves who made this \
            backup: compare the figures above with what you expect. Keep a copy of secrets.key apart.

            """)
        guard !withoutFactor.isEmpty else { return }
        Standard.output(
            """
            The second factor of these accounts cannot be checked any more, and they cannot log in. For \
            each, once you know that it is its owner who asks: sync-server user reset-code EMAIL \
            --disable-totp

            """)
        for email in withoutFactor { Standard.output("  \(email)\n") }
    }

    /// Whether it is unknown who was deleted after a copy was made: there was no ledger, or the copies'
    /// and the folder's together have less than the copy knew.
    private static func isLacking(
        _ unpacked: Unpacked?, _ hadDeletions: Bool, _ deletions: DeletionLedger
    ) -> Bool {
        guard hadDeletions || unpacked?.deletions != nil else { return true }
        let count = (try? deletions.entries())?.count ?? 0
        return Int64(count) < unpacked?.manifest.deletions ?? 0
    }
}
