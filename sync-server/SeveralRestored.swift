/// `store restored --restored NAME`: one or more of several databases went back to an earlier state.
import MacrologArgumentParsing
import MacrologService
import MacrologSystem
import MacrologTerminal

enum SeveralRestored {
    static let names = Parameter.options(
        "restored", .text("NAME"),
        "Of several --store: the name of one that went back; once for each that did.")

    /// Of how many accounts of a kind the addresses or numbers are printed.
    private static let shownMax = 50

    /// Whether several databases are meant, and the words fit to that.
    static func isMeant(_ arguments: ParsedArguments) throws(CommandError) -> Bool {
        let isNamed = try StoreOptions.stores(arguments).contains { $0.name != nil }
        let restored = arguments[names]
        guard isNamed || !restored.isEmpty else { return false }
        guard !restored.isEmpty else {
            throw CommandError(
                .usage,
                """
                sync-server store restored: say which of these databases went back: --restored NAME. With --account \
                give --store of the database that has the account alone, without a name.
                """)
        }
        guard arguments[StoreCommands.account] == nil else {
            throw CommandError(
                .usage,
                "sync-server store restored: --account and --restored cannot be combined.")
        }
        return true
    }

    static func run(_ arguments: ParsedArguments) throws(CommandError) {
        let stores = try Placing.stores(arguments)
        let folder = try DataFolder.ofNode(arguments[Serve.data], of: stores.map(\.address))
        let lock = try folder.lock()
        let restored = Set(arguments[names])
        let deletions = DeletionLedger(of: folder.database)
        try Placing.explained {
            let report = try RestoredStores(stores, restored: restored) { step in
                if let sentence = sentence(step) { Standard.error("\(sentence)\n") }
            }.run(
                beside: "\(arguments[StoreOptions.files] ?? folder.path)/server.db",
                epoch: folder.newEpoch(), endsSessions: arguments[Restore.endSessions],
                deletions: deletions, now: SystemClock.wallMilliseconds)
            let directory = try JoinedStores(stores).directory().name
            let sentences = sentences(
                report, restored.sorted(), isDirectory: restored.contains(directory))
            Standard.output(sentences.map { "\($0)\n" }.joined())
            Standard.output(try folder.summary(of: deletions))
        }
        _ = consume lock
    }

    /// What a step has done; `nil` for one of many.
    private static func sentence(_ step: RestoredStores.Step) -> String? {
        switch step {
        case .marked(let store): "No server will start until \(store) is ready."
        case .renewed(let store): "The logs in \(store) have the new epoch."
        case .complete(let store): "\(store) is ready."
        case .settled, .placed, .removed: nil
        }
    }

    // MARK: What was done

    private static func sentences(
        _ report: RestoredStores.Report, _ restored: [String], isDirectory: Bool
    ) -> [String] {
        let stores = restored.joined(separator: " and ")
        var sentences = [
            "The logs in \(stores) have the new epoch \(report.epoch). Devices give back what they lack."
        ]
        if !report.older.isEmpty {
            sentences.append(
                "Another database serves them by now, so their older copies were removed: "
                    + list(report.older))
        }
        if !report.reopened.isEmpty {
            sentences.append(
                "Their moves were not finished, and were undone; move them again if you like: "
                    + list(report.reopened))
        }
        if !report.deleted.isEmpty {
            sentences.append(
                "Deleted after the backup, and again now: " + list(report.deleted))
        }
        if report.deletedByLedger > 0 {
            sentences.append(
                "Deleted again because server.db.deletions says so: \(report.deletedByLedger).")
        }
        return sentences + lost(report.lost, isDirectory: isDirectory)
    }

    /// What to do about accounts of which no database has anything any more.
    private static func lost(
        _ accounts: [RestoredStores.Account], isDirectory: Bool
    ) -> [String] {
        guard !accounts.isEmpty else { return [] }
        let why =
            isDirectory
            ? "they were registered or moved after the backup and are lost, or were deleted"
            : "they were registered in it, or moved to it, after the backup"
        return [
            "In no database any more, because \(why): \(list(accounts)) Their addresses are not known: the directory "
                + "has digests alone. Password, sessions, second factor, shares and webhooks of these accounts are "
                + "lost; the log is on the owner's devices.",
            "Each owner registers the same address again, or you type `sync-server user add EMAIL`; and each device "
                + "logs in with `macrolog auth login EMAIL --move`, which brings the whole log.",
        ]
    }

    private static func list(_ accounts: [RestoredStores.Account]) -> String {
        let shown = accounts.prefix(shownMax).map { account in
            account.email.isEmpty
                ? "number \(account.space) in \(account.store)"
                : "\(printable(account.email)) in \(account.store)"
        }
        let rest = accounts.count - shown.count
        return shown.joined(separator: ", ") + (rest > 0 ? ", and \(rest) more." : ".")
    }

    // MARK: What was refused

    static func sentence(_ error: RestoredStoresError) -> CommandError {
        let (code, sentence): (ExitCode, String) =
            switch error {
            case .unknownStore(let names):
                (
                    .usage,
                    "--restored names none of the databases: \(names.joined(separator: ", "))."
                )
            case .isEmpty(let name): (.noInput, "the database \(name) holds no store.")
            case .isRestoring(let name):
                (
                    .usage,
                    "\(name) went back, too, and the command was interrupted before it was ready. Give --restored "
                        + "\(name) as well."
                )
            case .directoryWentBack(let name, let directory):
                (
                    .usage,
                    "\(name) has accounts that \(directory), which has the directory, does not know yet: \(directory) "
                        + "went back to an earlier state, too. Give --restored \(directory) as well."
                )
            }
        return CommandError(code, "sync-server: \(sentence)")
    }
}
