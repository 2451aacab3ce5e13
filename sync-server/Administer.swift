/// The operator's commands: carried to the running server over its socket, or done here where none runs.
import MacrologArgumentParsing
import MacrologJSON
import MacrologService
import MacrologSystem

enum Administer {
    static let json = Parameter.flag("json", "Answer in JSON.")

    /// What every such command takes, too.
    static let everywhere: [Specification] = [Serve.data.specification, json.specification]

    /// Asks, and prints the answer in JSON or in words.
    ///
    /// - Parameter more: What this program knows beside the answer.
    static func show(
        _ verb: String, _ arguments: ParsedArguments, _ members: [JSON.Member] = [],
        adding more: [JSON.Member] = [], words: (JSON) -> [String]
    ) throws(CommandError) {
        var result = try ask(verb, members, in: arguments[Serve.data])
        if !more.isEmpty { result = .object((result.object ?? []) + more) }
        let lines = arguments[json] ? [result.pretty] : words(result)
        Standard.output(lines.map { $0 + "\n" }.joined())
    }

    /// The result of a command of the operator.
    static func ask(
        _ verb: String, _ members: [JSON.Member], in path: String
    ) throws(CommandError) -> JSON {
        let request = Array(Administration.request(verb, members).compact.utf8)
        var answer = try answerOfServer(request, in: path) ?? []
        if answer.isEmpty { answer = try answerHere(request, in: path) }
        do throws(Administration.Refusal) {
            return try Administration.result(of: answer)
        } catch {
            let code: ExitCode =
                switch error.kind {
                case .invalid: .dataErr
                case .missing: .noInput
                case .taken: .cantCreate
                case .busy: .tempFail
                case .failed: .ioErr
                case .otherVersion: .protocolErr
                }
            throw CommandError(code, "sync-server: \(error.sentence)")
        }
    }

    /// The answer of the server that uses a folder; `nil` if none listens there.
    private static func answerOfServer(
        _ request: [UInt8], in path: String
    ) throws(CommandError) -> [UInt8]? {
        let socket = DataFolder(path: path).adminSocket
        Running.ignoresClosedPipes()
        do throws(SystemError) {
            return try LocalSocket.ask(socket, request)
        } catch {
            if error.isNameTooLong { return nil }
            guard error.isForbidden else {
                throw CommandError(
                    .ioErr,
                    "sync-server: the server at \(socket) did not answer: \(error). Look into its log."
                )
            }
            throw CommandError(
                .noPerm,
                """
                sync-server: you may not use \(path). While the server runs, type this as root: sudo sync-server …; \
                otherwise as the user who runs it.
                """)
        }
    }

    /// The answer of the folder itself, which no server uses meanwhile.
    private static func answerHere(
        _ request: [UInt8], in path: String
    ) throws(CommandError) -> [UInt8] {
        try DataFolder(path: path).refuseNode(
            instead: "No server runs with this --data: start one, and type the command again.")
        let folder = try DataFolder.existing(path)
        let lock: LockFile
        do throws(CommandError) { lock = try folder.lock() } catch {
            throw CommandError(
                .tempFail,
                """
                \(error.message)
                A server that runs answers at \(folder.adminSocket), and nothing does: it is starting \
                or stopping, or that path is too long for a socket. Try again, or stop the server \
                first.
                """)
        }
        let secrets = try folder.secrets()
        let store = try folder.store { detail in
            Standard.error("sync-server: \(detail)\n")
            Running.stop(ExitCode.ioErr.value)
        }
        let server = SyncServer(
            store: store, secrets: secrets, clock: { SystemClock.wallMilliseconds })
        let answer = server.administer(request)
        server.close()
        _ = consume lock
        return answer
    }
}
