import MacrologArgumentParsing
import MacrologJSON
import Macrolog

/// An error as JSON, for commands with `--json`: one object on standard error.
extension ErrorReport {
    /// The object that is written, with the warnings that came before the error.
    func json(of error: any Error) -> JSON {
        [
            "error": [
                "code": .string(Self.word(of: error, exitCode)),
                "exit_code": .integer(Int64(exitCode.value)),
                "message": .string(message(of: error)), "hint": .optional(Self.hint(of: error)),
                "retryable": .bool(isRetryable(error)),
            ],
            "warnings": Warnings.json,
        ]
    }

    /// What went wrong, without the advice that ``hint(of:)`` gives.
    private func message(of error: any Error) -> String {
        if error is UsageError { return lines.first ?? "" }
        if let error = error as? any ExplainedError { return error.explanation }
        return lines.map { line in
            line.hasPrefix(Self.prefix) ? String(line.dropFirst(Self.prefix.utf8.count)) : line
        }.joined(separator: "; ")
    }

    private static let prefix = "macrolog: "

    /// What to type next; `nil` where the message is all there is to say.
    private static func hint(of error: any Error) -> String? {
        switch error {
        case let error as UsageError: error.instead ?? "see: \(error.command) --help"
        case let error as any ExplainedError: nextCommand(after: error) ?? error.hint
        default: nil
        }
    }

    /// Whether the same command may succeed later without intervention.
    private func isRetryable(_ error: any Error) -> Bool {
        (error as? any ExplainedError)?.isRetryable
            ?? (exitCode == .tempFail || exitCode == .unavailable)
    }

    /// A stable word for a script; the exit code's where the error has none of its own.
    private static func word(of error: any Error, _ code: ExitCode) -> String {
        switch error {
        case let error as ReplicaError: word(error.code) ?? code.word
        case let error as EntryError: word(error.code)
        case let error as HistoryError: word(error.code)
        case let error as AccountError: word(error)
        case let error as CommandError: error.code ?? code.word
        default: code.word
        }
    }

    private static func word(_ code: ReplicaError.Code) -> String? {
        switch code {
        case .readOnly: "read_only"
        case .readOnlySnapshot: "as_of_is_read_only"
        case .nested, .fault: "internal"
        case .busy, .cannotOpen, .damagedFile, .damagedEvent, .otherVersion, .disk, .tooLarge,
            .outOfStep:
            nil
        }
    }

    private static func word(_ code: EntryError.Code) -> String {
        switch code {
        case .invalid: "invalid_data"
        case .notFound: "not_found"
        case .noFastInProgress: "no_fast_in_progress"
        case .fastInProgress: "fast_in_progress"
        case .deleted: "deleted"
        case .recursiveRecipe: "recursive_recipe"
        case .noSuchTime: "no_such_time"
        }
    }

    private static func word(_ code: HistoryError.Code) -> String {
        switch code {
        case .nothingToUndo: "nothing_to_undo"
        case .nothingToRedo: "nothing_to_redo"
        case .noSuchEvent: "no_such_event"
        case .supersededByLaterEdits: "superseded_by_later_edits"
        case .alreadyUndone: "already_undone"
        case .alreadyRedone: "already_redone"
        case .conflictChanged: "conflict_changed"
        case .noSuchValue: "no_such_value"
        case .compacted: "compacted"
        }
    }

    private static func word(_ error: AccountError) -> String {
        switch error {
        case .loggedOut: "logged_out"
        case .otherAccount: "other_account"
        case .notAllowed, .refused: "not_allowed"
        case .codeRequired: "code_required"
        case .unsynced: "unsealed_events"
        case .busy: "busy"
        case .badServer: "invalid_server"
        case .invalid: "invalid_data"
        case .sync(let cause): cause.isOffline ? "server_unreachable" : "protocol"
        }
    }
}
