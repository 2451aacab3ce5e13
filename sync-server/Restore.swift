/// `restore`: replaces the database by a backup, with a new epoch, so that devices start recovery.
import MacrologArgumentParsing
import MacrologSQLite
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

    static let command = Command<Void, CommandError>(
        "restore", "Restore a backup.",
        example: "restore /backups/server-2026-11-21.db --data /var/lib/macrolog",
        explanation: """
            Stop the server first. The backup is verified, and its log gets a new epoch: at their next \
            sync the devices notice it and give back the events that the backup lacks.

            Accounts that were deleted after the backup are deleted again: server.db.deletions in the \
            folder names them. On a new machine, put its copy there first.

            Sessions that began after the backup have to log in again, and no session can be renewed, \
            because a token used since would work twice. Whom you logged out after the backup is \
            logged in again until the access token ends; with --end-sessions no device is.
            """, run: run
    ) {
        copy
        Settings.file
        Serve.data
        AtRestKey.option
        BackupOptions.secret
        force
        endSessions
    }

    @Sendable static func run(_ arguments: ParsedArguments, _: inout Void) throws(CommandError) {
        let keys = try AtRestKey.keys(arguments)
        let isFile = FileStatus(of: arguments[copy])?.isRegular ?? true
        // A single file is read where it is, before anything is written.
        let source = isFile ? nil : try Copy.newest(arguments[copy])
        let manifest = try source?.manifest()
        var holds = ""
        if isFile {
            if Files.exists(arguments[copy]) { try AtRestKey.check(arguments[copy], keys) }
            holds = try Verify.sound(arguments[copy], keys)
        }
        let pair = try BackupOptions.pair(arguments)
        let folder = try DataFolder.open(arguments[Serve.data])
        let lock = try folder.lock(waitingSeconds: 0)
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
        var secrets: [UInt8]?
        let deleted: Int
        let deletions = DeletionLedger(of: folder.database)
        do {
            if let source, let manifest {
                do throws(CommandError) {
                    secrets = try source.unpack(to: new, manifest, pair: pair)
                    try AtRestKey.check(new, keys)
                    holds = try Verify.sound(new, keys)
                } catch {
                    DataFolder.removeUnfinished(new)
                    throw error
                }
            } else {
                try ServerFile.backUp(arguments[copy], to: new)
            }
            deleted = try ServerFile.renew(
                new, epoch: folder.newEpoch(), endsSessions: arguments[endSessions],
                deletions: deletions, now: SystemClock.wallMilliseconds)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.cantCreate, arguments[copy], error)
        }
        if folder.hasDatabase { ServerFile.checkpoint(folder.database) }
        let isNew = !folder.hasDatabase
        let old = try folder.exchangeDatabase(for: new)
        Standard.output("Restored \(holds)\n")
        if deleted > 0 {
            Standard.output("Accounts of it that had been deleted, and are again: \(deleted).\n")
        }
        if isNew, !Files.exists(deletions.path) {
            Standard.output(
                """
                There is no list of deleted accounts here: those that were deleted after the copy \
                was made are back. If you have the list, put it at \(deletions.path) before you \
                start the server, which deletes them again.

                """)
        }
        if let old { Standard.output("The database that was there is now \(old)\n") }
        if let secrets, !folder.hasSecrets {
            try folder.putSecrets(secrets)
            Standard.output("secrets.key is that of the copy.\n")
        }
        if !folder.hasSecrets {
            Standard.output("Put the copy of secrets.key there too before you start the server.\n")
        }
        _ = consume lock
    }
}
