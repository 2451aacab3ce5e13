/// `store restored` and `store roles`: what an operator does to a database as a whole.
import MacrologArgumentParsing
import MacrologPostgreSQL
import MacrologService
import MacrologSystem
import MacrologTerminal

enum StoreCommands {
    static let restored = Command<Void, CommandError>(
        "store restored",
        "Say that the database, or one account in it, went back to an earlier state.",
        example: "store restored --data /var/lib/macrolog",
        "store restored --data /var/lib/macrolog --account ana@example.org",
        "store restored --store postgres://macrolog@db/macrolog --data /var/lib/node",
        "store restored --restored b --config /etc/macrolog/sync-server.conf",
        explanation: """
            After a point-in-time recovery, a dump that was put back or a snapshot of the disk, and for a store \
            that was moved away and is to be served again. Stop all its servers first. Its logs get a new epoch: \
            devices notice it at their next sync, and give back the events that it lacks. `restore` does the same \
            by itself.

            Refresh tokens, invitations, reset codes and shares that may be opened a limited number of times are void, \
            because it is unknown which were used since. Who was deleted or disabled since is so again, as far as \
            server.db.deletions in --data says it.

            With --account only the rows of that account were put back: its log alone gets a new epoch, only what \
            belongs to it is void, and all others notice nothing. The servers of --store may run meanwhile, if all \
            are of this version; the one of a file must be stopped.

            Of several databases give all, and with --restored the name of each one that went back. Accounts that \
            another one serves by now are removed from it; unfinished moves are undone; and what it has lost is listed, \
            with what to do. If the command is interrupted, no server starts until it was given again.
            """, run: run
    ) {
        StoreOptions.reaching
        StoreOptions.files
        account
        SeveralRestored.names
        Restore.endSessions
    }

    static let account = Parameter.option(
        "account", .text("EMAIL"), "The address of the account that alone was put back.")

    @Sendable private static func run(
        _ arguments: ParsedArguments, _: inout Void
    ) throws(CommandError) {
        if try SeveralRestored.isMeant(arguments) { return try SeveralRestored.run(arguments) }
        let address = try StoreOptions.address(arguments)
        let email = arguments[account]
        let folder: DataFolder
        if let address {
            folder = try DataFolder.ofNode(arguments[Serve.data], of: [address])
        } else {
            folder = try DataFolder.existing(arguments[Serve.data], evenMarked: true)
        }
        // While one account is restored the server of the folder may run, which is only read.
        let lock = address == nil || email == nil ? try folder.lock() : nil
        let (epoch, now) = (folder.newEpoch(), SystemClock.wallMilliseconds)
        let deletions = DeletionLedger(of: folder.database)
        let deleted: Int
        let name = address?.summary ?? folder.database
        do {
            if let address {
                deleted = try PostgreSQLServerStore.renew(
                    address, beside: "\(arguments[StoreOptions.files] ?? folder.path)/server.db",
                    of: email, epoch: epoch, endsSessions: arguments[Restore.endSessions],
                    deletions: deletions, now: now)
            } else {
                deleted = try ServerFile.renew(
                    folder.database, of: email, epoch: epoch,
                    endsSessions: arguments[Restore.endSessions], now: now)
            }
        } catch let mark as StoreMark {
            throw StoreOptions.refusal(mark, name)
        } catch StoreMoveError.serversRun {
            throw CommandError(.tempFail, "sync-server: \(StoreOptions.serversRun(name))")
        } catch StoreMoveError.isPart {
            throw CommandError(
                .usage,
                """
                sync-server: \(name) is one of several databases of a service. Give all of them with their names, \
                --store NAME=postgres://…, and --restored NAME for the one that went back; or put the rows of one \
                account back, and name it with --account.
                """)
        } catch StoreMoveError.sourceIsEmpty {
            throw CommandError(.noInput, "sync-server: \(name) holds no store.")
        } catch is UnknownAccount {
            throw CommandError(
                .noInput,
                "sync-server: \(name) has no account \(printable(email ?? "")). Type: sync-server user list"
            )
        } catch let error as PostgreSQLError {
            throw StoreOptions.sentence(error)
        } catch {
            throw CommandError(.cantCreate, name, error)
        }
        let part = email.map { "\(printable($0)) in \(name)" } ?? name
        Standard.output("\(part) has the new epoch \(epoch). Devices give back what it lacks.\n")
        if address != nil { Standard.output(try folder.summary(of: deletions)) }
        if deleted > 0 {
            Standard.output("Accounts of it that had been deleted, and are again: \(deleted).\n")
        }
        _ = consume lock
    }

    static let serving = Parameter.option(
        "serving", .text("ROLE"),
        "The role with which servers connect. It exists, and owns nothing.")

    static let roles = Command<Void, CommandError>(
        "store roles", "Give a role of PostgreSQL the rights of a server, and no more.",
        example: "store roles --store postgres://owner@db/macrolog --serving node",
        explanation: """
            Connects as the owner, makes the tables or brings them to this version, and lets the role \
            read and write what a server must. It cannot change or delete an event, empty the log, or \
            change a table: only the events of a deleted account can be removed, by a function of the \
            owner's. Make the role first: CREATE ROLE node LOGIN PASSWORD '…'; and give the command \
            again after each upgrade, before the servers of the new version start.
            """, run: giveRights
    ) {
        Settings.file
        StoreOptions.databases
        serving
    }

    @Sendable private static func giveRights(
        _ arguments: ParsedArguments, _: inout Void
    ) throws(CommandError) {
        guard let role = arguments[serving], let address = try StoreOptions.address(arguments)
        else {
            throw CommandError(.usage, "sync-server store roles: give both --store and --serving.")
        }
        do {
            try PostgreSQLServerStore.giveRights(address, to: role)
        } catch let mark as StoreMark {
            throw StoreOptions.refusal(mark, address.summary)
        } catch let error as PostgreSQLServerStore.RoleError {
            let problem =
                switch error {
                case .missing:
                    "there is no role \(role). Type in psql: CREATE ROLE \(role) LOGIN PASSWORD '…'"
                case .superuser:
                    "\(role) is a superuser, whom no right restricts. Name another role."
                case .owner:
                    "\(role) owns the tables, or has the rights of their owner. Name another role."
                }
            throw CommandError(.dataErr, "sync-server: \(problem)")
        } catch let error as PostgreSQLError {
            throw StoreOptions.sentence(error)
        } catch {
            throw CommandError(.unavailable, "sync-server: \(error)")
        }
        Standard.output("\(role) can serve \(address.summary), and change no event.\n")
    }
}
