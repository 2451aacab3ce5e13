/// `upgrade`: gives the database the tables of this version, after a copy. `serve` does the same at its
/// start.
import MacrologArgumentParsing
import MacrologSQLite
import MacrologService
import MacrologSystem

enum Upgrade {
    static let check = Parameter.flag("check", "Only say whether there is something to do.")

    static let command = Command<Void, CommandError>(
        "upgrade", "Bring the database to this version, after a copy of it.",
        example: "upgrade --check --data /var/lib/macrolog",
        explanation: """
            The server does this by itself when it starts. There is no way back but the copy, \
            server.db.before-…: to return to the earlier version, stop the server, and restore the copy \
            with the earlier program. What devices sent meanwhile they give back.
            """, run: run
    ) {
        check
        Settings.file
        Serve.data
    }

    @Sendable static func run(_ arguments: ParsedArguments, _: inout Void) throws(CommandError) {
        let folder = try DataFolder.existing(
            arguments,
            instead:
                "The first server of a new version that starts brings its tables to that version."
        )
        guard let pending = try pending(folder) else {
            return Standard.output("\(folder.database) is of this version. Nothing to do.\n")
        }
        if arguments[check] {
            try checkRoom(folder)
            return Standard.output(
                """
                \(folder.database) lacks: \(pending.joined(separator: ", ")).
                `sync-server upgrade`, or the next start, copies it and adds them.

                """)
        }
        let lock = try folder.lock()
        let copy = try copyBefore(folder)
        do { try ServerFile.upgrade(folder.database, holding: lock) } catch {
            throw CommandError(.cantCreate, folder.database, error)
        }
        Standard.output("Upgraded \(folder.database).\n")
        if let copy { Standard.output("The database as it was before is \(copy).\n") }
        _ = consume lock
    }

    /// Copies a database that the next step would change. Photos need no copy: they stay as they are.
    ///
    /// - Returns: Where the copy is; `nil` if nothing would change.
    static func copyBefore(_ folder: DataFolder) throws(CommandError) -> String? {
        guard folder.hasDatabase, let pending = try pending(folder) else { return nil }
        try checkRoom(folder)
        let name = pending[0].replacing(" ", with: "-")
        var copy = "\(folder.database).before-\(name)"
        var number = 1
        while Files.exists(copy) {
            number += 1
            copy = "\(folder.database).before-\(name)-\(number)"
        }
        do { try ServerFile.copyDatabase(folder.database, to: copy) } catch {
            throw CommandError(.cantCreate, folder.database, error)
        }
        return copy
    }

    /// The steps that the database lacks; `nil` for none.
    private static func pending(_ folder: DataFolder) throws(CommandError) -> [String]? {
        do {
            let pending = try ServerFile.pendingUpgrades(folder.database)
            return pending.isEmpty ? nil : pending
        } catch {
            throw CommandError(.dataErr, folder.database, error)
        }
    }

    /// The copy and the new tables need room for two databases.
    private static func checkRoom(_ folder: DataFolder) throws(CommandError) {
        let bytes = UInt64(max(0, FileStatus(of: folder.database)?.bytes ?? 0))
        let free = try? Files.freeBytes(in: Files.folder(of: folder.database))
        guard let free, free < 2 * bytes + (16 << 20) else { return }
        throw CommandError(
            .cantCreate,
            """
            sync-server: the upgrade copies \(folder.database) first, and there is no room for that.
            Make at least \((2 * bytes >> 20) + 16) MiB free, and try again. Nothing has changed.
            """)
    }
}
