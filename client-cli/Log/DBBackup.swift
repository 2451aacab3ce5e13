import MacrologArgumentParsing
import MacrologSystem
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `db backup`: writes a copy of the log.
enum DBBackup {
    static let file = Parameter.argument("file", .file, "The file to write; it must not exist yet.")

    static let command = Verb(
        "db backup", "Write a copy of the log, also while it is used.",
        example: "db backup macrolog-2026-11-20.db",
        explanation: """
            The copy is one file, and a folder next to it with the photos, whose name ends in .blobs:
            keep the two together. It is read with --db. To restore it, move the damaged log, its
            -wal and -shm files and its .blobs folder away, and copy the two to the place of the log.
            It is another device then, and the next sync brings what is newer.
            """, run: run
    ) { file }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        try home.requireLog()
        let path = arguments[file]
        let folder = Files.folder(of: path)
        guard Files.exists(folder) else {
            throw CommandError(
                .cantCreate,
                "\(arguments.command): the folder \(printable(folder)) does not exist: create it first"
            )
        }
        guard !Files.exists(path) else {
            throw CommandError(
                .cantCreate,
                "\(arguments.command): \(printable(path)) exists already: type another name")
        }
        let replica = try home.replica
        let events = try replica.read { try $0.statistics() }.events
        let damaged: Int
        do { damaged = try replica.backUp(to: path) } catch let error as ReplicaError {
            throw CommandError(
                .cantCreate,
                "\(arguments.command): \(printable(path)) cannot be written: \(error.explanation)")
        }
        try home.show(FileJSON.written(path, [.events(events)])) { home in
            home.say("Wrote \(counted(events, "event")) to \(printable(path)).")
        }
        guard damaged > 0 else { return }
        home.warn(
            "\(counted(Int64(damaged), "photo")) \(damaged == 1 ? "is" : "are") damaged on this "
                + "device: macrolog sync --photos fetches what the server has")
    }
}
