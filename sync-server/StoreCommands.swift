/// `store restored`: what an operator does to a database as a whole.
import MacrologArgumentParsing
import MacrologPostgreSQL
import MacrologService
import MacrologSystem

enum StoreCommands {
    static let restored = Command<Void, CommandError>(
        "store restored", "Say that the database went back to an earlier state.",
        example: "store restored --data /var/lib/macrolog",
        "store restored --store postgres://macrolog@db/macrolog --data /var/lib/node",
        explanation: """
            After a point-in-time recovery, a dump that was put back or a snapshot of the disk, and for a store \
            that was moved away and is to be served again. Stop all its servers first. Its logs get a new epoch: \
            devices notice it at their next sync, and give back the events that it lacks. `restore` does the same \
            by itself.

            Refresh tokens, invitations, reset codes and shares that may be opened a limited number of times are void, \
            because it is unknown which were used since. Who was deleted or disabled since is so again, as far as \
            server.db.deletions in --data says it.
            """, run: run
    ) {
        Settings.file
        Serve.data
        StoreOptions.address
        StoreOptions.passwords
        StoreOptions.pooler
        StoreOptions.files
        Restore.endSessions
    }

    @Sendable private static func run(
        _ arguments: ParsedArguments, _: inout Void
    ) throws(CommandError) {
        let address = try StoreOptions.address(arguments)
        let folder =
            address == nil
            ? try DataFolder.existing(arguments[Serve.data], evenMarked: true)
            : try DataFolder.open(arguments[Serve.data], evenMarked: true)
        let lock = try folder.lock(waitingSeconds: 0)
        let (epoch, now) = (folder.newEpoch(), SystemClock.wallMilliseconds)
        let deletions = DeletionLedger(of: folder.database)
        let deleted: Int
        let name = address?.summary ?? folder.database
        do {
            if let address {
                deleted = try PostgreSQLServerStore.renew(
                    address, beside: "\(arguments[StoreOptions.files] ?? folder.path)/server.db",
                    epoch: epoch, endsSessions: arguments[Restore.endSessions],
                    deletions: deletions, now: now)
            } else {
                deleted = try ServerFile.renew(
                    folder.database, epoch: epoch, endsSessions: arguments[Restore.endSessions],
                    now: now)
            }
        } catch let mark as StoreMark {
            throw StoreOptions.refusal(mark, name)
        } catch StoreMoveError.serversRun {
            throw CommandError(
                .tempFail,
                "sync-server: a server is connected to \(name). Stop all of them, and try again.")
        } catch StoreMoveError.sourceIsEmpty {
            throw CommandError(.noInput, "sync-server: \(name) holds no store.")
        } catch let error as PostgreSQLError {
            throw StoreOptions.sentence(error)
        } catch {
            throw CommandError(.cantCreate, name, error)
        }
        Standard.output("\(name) has the new epoch \(epoch). Devices give back what it lacks.\n")
        if deleted > 0 {
            Standard.output("Accounts of it that had been deleted, and are again: \(deleted).\n")
        }
        _ = consume lock
    }
}
