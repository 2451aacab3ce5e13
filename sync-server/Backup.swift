/// `backup`, `restore` and `verify`: operator commands on the server's database as a whole.
import MacrologArgumentParsing
import MacrologSQLite
import MacrologCryptography
import MacrologService
import MacrologSystem

enum Backup {
    static let copy = Parameter.argument("file", .file, "The file to write; it must not exist yet.")

    static let command = Command<Void, CommandError>(
        "backup", "Write a consistent copy of the database, also while the server runs.",
        example: "backup /backups/server-2026-11-21.db --data /var/lib/macrolog",
        explanation: """
            The copy is one file that only you can read. Events that are admitted while it is being \
            written may be missing; after a restore the devices give them back. Keep a copy of \
            secrets.key apart from it. Photos are copied into a folder beside it, whose name ends in \
            .blobs: keep the two together.
            """, run: run
    ) {
        copy
        Settings.file
        Serve.data
        AtRestKey.option
    }

    @Sendable static func run(_ arguments: ParsedArguments, _: inout Void) throws(CommandError) {
        let folder = try DataFolder.existing(arguments, instead: StoreOptions.copying)
        let keys = try AtRestKey.keys(arguments, for: folder)
        let hasBlobs = !folder.hasBlobsElsewhere
        guard !Files.exists(arguments[copy]) else {
            throw CommandError(
                .cantCreate,
                "sync-server: \(arguments[copy]) exists already. Choose another name.")
        }
        do {
            if hasBlobs {
                try ServerFile.backUp(folder.database, to: arguments[copy])
            } else {
                try ServerFile.copyDatabase(
                    folder.database, to: arguments[copy], isOwn: false)
            }
        } catch {
            throw CommandError(.cantCreate, folder.database, error)
        }
        let sound = try Verify.sound(arguments[copy], keys, hasBlobs: hasBlobs)
        let rest = hasBlobs ? "" : "The photos are in a bucket, and not in the copy.\n"
        Standard.output("\(arguments[copy]) holds \(sound)\n\(rest)")
    }
}

enum Verify {
    static let file = Parameter.optionalArgument(
        "file", .file, "A backup; otherwise the database in --data.")

    static let command = Command<Void, CommandError>(
        "verify", "Read every event, number, digest and blob of the database or of a backup.",
        example: "verify /backups/server-2026-11-21.db",
        explanation: "The server may be running meanwhile. Nothing is written.", run: run
    ) {
        file
        Settings.file
        Serve.data
        AtRestKey.option
        BlobOptions.place
    }

    @Sendable static func run(_ arguments: ParsedArguments, _: inout Void) throws(CommandError) {
        let path: String
        if let file = arguments[file] {
            guard FileStatus(of: file)?.isFolder != true else {
                throw CommandError(
                    .usage,
                    "sync-server verify: \(file) is a folder, such as those of `backup add`. Type: sync-server drill \(file)"
                )
            }
            path = file
        } else {
            path = try DataFolder.existing(
                arguments,
                instead:
                    "PostgreSQL checks its own files: see pg_amcheck, and initdb --data-checksums."
            ).database
        }
        let keys = try AtRestKey.keys(arguments)
        if Files.exists(path) { try AtRestKey.check(path, keys) }
        let hasBlobs =
            !arguments.has(BlobOptions.place)
            && !DataFolder(path: arguments[Serve.data]).hasBlobsElsewhere
        Standard.output("\(path) holds \(try sound(path, keys, hasBlobs: hasBlobs))\n")
    }

    /// A summary of a file's contents.
    ///
    /// - Parameter hasBlobs: Whether the folder of photos is there, too.
    /// - Throws: The problems found.
    static func sound(
        _ path: String, _ keys: [DataKey], _ deletions: [DeletionLedger.Entry] = [],
        hasBlobs: Bool = true
    ) throws(CommandError) -> String {
        let contents: ServerFile.Contents
        do {
            contents = try ServerFile.check(path, keys: keys, hasBlobs: hasBlobs)
        } catch {
            throw CommandError(.dataErr, path, error)
        }
        let problems = contents.problems + Unpacked.problems(of: contents, deletions)
        guard problems.isEmpty else {
            let lines = problems.joined(separator: "\n")
            throw CommandError(.dataErr, "\(lines)\nsync-server: \(path) is damaged.")
        }
        let blobs = contents.blobs == 0 ? "" : ", \(contents.blobs) blobs"
        return "\(contents.events) events of \(contents.accounts) accounts\(blobs); no damage "
            + "found."
    }
}
