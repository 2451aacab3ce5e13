/// Entry point of the sync server: parses arguments, starts a command, reports errors.
import MacrologArgumentParsing
import MacrologJSON
import MacrologSQLite
import MacrologService
import MacrologSystem

// Before any thread: GnuTLS would write the keys of every connection into that file.
Environment.remove("SSLKEYLOGFILE")

do throws(CommandError) {
    let request: Request<Void, CommandError>
    do throws(UsageError) {
        request = try TheServer.program.read(Array(CommandLine.arguments.dropFirst()))
    } catch {
        throw CommandError(.usage, error.description)
    }
    switch request {
    case .show(let text):
        print(text, terminator: "")
    case .run(let command, let words):
        var nothing: Void
        try await command.run(try Settings.filled(words), &nothing)
    }
} catch {
    // Also where the words are not understood.
    let isJSON = CommandLine.arguments.dropFirst().prefix { !$0.utf8.elementsEqual("--".utf8) }
        .contains { $0.utf8.elementsEqual("--json".utf8) }
    Standard.error((isJSON ? error.json.compact : error.message) + "\n")
    Running.exit(error.exitCode.value)
}

/// Why the server exits: a message, and an exit code for the caller.
struct CommandError: Error {
    let exitCode: ExitCode
    let message: String

    /// The error by the convention of `docs/JSON.md`, on one line.
    var json: JSON {
        let lines = message.split(separator: "\n").map { line in
            line.hasPrefix(Self.prefix)
                ? String(line.dropFirst(Self.prefix.utf8.count)) : String(line)
        }
        return [
            "error": [
                "code": .string(exitCode.word), "exit_code": .integer(Int64(exitCode.value)),
                "message": .string(lines.joined(separator: " ")), "hint": .null,
                "retryable": .bool(exitCode == .tempFail || exitCode == .unavailable),
            ],
            "warnings": [],
        ]
    }

    private static let prefix = "sync-server: "

    init(_ code: ExitCode, _ message: String) {
        exitCode = code
        self.message = message
    }

    /// Why the database cannot be used. The advice for a database of an earlier build differs from
    /// that for a device's file.
    init(_ code: ExitCode, _ database: String, _ error: any Error) {
        guard let error = error as? SQLiteError, case .earlier = error.code else {
            self.init(code, "sync-server: \(error)")
            return
        }
        self.init(code, earlier: database, error.detail)
    }

    /// A database of an earlier build.
    ///
    /// - Parameter origin: Completes "it was …".
    init(_ code: ExitCode, earlier database: String, _ origin: String) {
        self.init(
            code,
            """
            sync-server: \(database) was \(origin). It has not been changed. Serve it with the \
            build that wrote it; or move it and its .blobs folder aside, start with an empty database, \
            and let all users register again.
            """)
    }
}
