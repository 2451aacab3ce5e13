/// All verbs of `sync-server`, and the pages that describe them.
import MacrologArgumentParsing
import MacrologService

enum TheServer {
    static let program: Program<Void, CommandError> = Program(
        "sync-server", version: Administration.version, "The sync server of Macrolog.",
        explanation: Serve.explanation,
        chapters: [
            Chapter("Serving", [Serve.command]),
            Chapter("Settings", [ConfigExample.command, Upgrade.command]),
            Chapter("Accounts", Users.commands + Invitations.commands),
            Chapter(
                "Backups",
                [
                    Backup.command, BackupAdd.command, BackupKey.command, Drill.command,
                    Restore.command, Verify.command,
                ]),
            Chapter("Moving", [Migrate.command, StoreCommands.restored, StoreCommands.roles]),
            Chapter("Several databases", Placing.commands),
            Chapter(
                "Encryption at rest", [AtRestKey.create, AtRestKey.rotate, AtRestKey.encrypt]),
            Chapter("Pages", [PrintManual.command, PrintCompletion.command]),
        ],
        groups: [
            Group("config", "Settings in a file."),
            Group("user", "The accounts of the server."),
            Group("account", "Which of several databases serves each account."),
            Group("invite", "Invitations to create accounts."),
            Group("at-rest-key", "The key of encryption at rest."),
            Group("store", "The database as a whole."),
        ])
}

/// `man`: prints the manual page.
enum PrintManual {
    static let command = Command<Void, CommandError>(
        "man", "Print the manual page.", example: "man > sync-server.1",
        run: { _, _ throws(CommandError) in Standard.output(TheServer.program.manual()) })
}

/// `completion`: prints the completion script for a shell.
enum PrintCompletion {
    static let shell = Parameter.argument(
        "shell", .choice(Shell.allCases.map { ($0.rawValue, $0) }), "The shell.")

    static let command = Command<Void, CommandError>(
        "completion", "Print the completion script for a shell.", example: "completion bash",
        run: { arguments, _ throws(CommandError) in
            Standard.output(TheServer.program.completionScript(for: arguments[shell]))
        }
    ) {
        shell
    }
}
