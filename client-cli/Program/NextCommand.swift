import MacrologAnalysis
import MacrologArgumentParsing
import MacrologFormats
import Macrolog

/// An error of the library as the command line shows it: why, and the command or the flag to type,
/// or else the library's hint.
func sentence(_ error: any ExplainedError) -> String {
    (nextCommand(after: error) ?? error.hint).map { "\(error.explanation): \($0)" }
        ?? error.explanation
}

/// What to type after an error; `nil` where no command helps more than the library's hint.
func nextCommand(after error: any ExplainedError) -> String? {
    switch error {
    case AccountError.loggedOut: "macrolog auth login EMAIL --server URL"
    case AccountError.otherAccount:
        "choose another file for this account with --db, or type --move to take all of this log "
            + "there"
    case AccountError.codeRequired: "type --code and the code of your app, or a recovery code"
    case AccountError.unsynced: "macrolog sync first, or type --even-unsynced"
    case AccountError.notAllowed where error.hint == Home.logInAgain:
        "macrolog auth login EMAIL --server URL"
    case let error as ReplicaError where error.code == .readOnlySnapshot: "leave out --as-of"
    case let error as EntryError where error.code == .fastInProgress:
        "macrolog fast end or macrolog fast cancel"
    case let error as HistoryError: nextCommand(after: error.code)
    case let error as ReplicaError where error.code == .damagedEvent:
        "macrolog sync fetches it again, if the account's server has it"
    case AdviceError.noAdvice: "macrolog coach advise --model"
    case ProposalError.consentRequired: "macrolog config set photo-consent yes allows it"
    case ProposalError.waiting: "macrolog meal analyze asks the provider"
    case ProposalError.noProposal: "macrolog meal analyze ID, or macrolog meal edit"
    case ProposalError.confirmed, ProposalError.hasParts: "macrolog item edit"
    case ProposalError.hasValues:
        "macrolog meal edit --kcal n/a makes them unknown, or macrolog meal consume keeps them"
    case ProposalError.noPartLeft:
        "keep one, or macrolog meal edit --kcal and macrolog meal consume"
    case is ExportError: "macrolog db check, and sync into a new file if it agrees"
    default: nil
    }
}

private func nextCommand(after code: HistoryError.Code) -> String? {
    switch code {
    case .conflictChanged, .noSuchValue: "macrolog conflicts list"
    case .alreadyUndone: "macrolog redo applies again what was undone last"
    default: nil
    }
}

extension Home {
    /// The library's hint after a session has ended.
    fileprivate static var logInAgain: String { "log in again" }

    /// An error in what only the log knows: about a bound, in the person's units; about compacted
    /// history, with the day up to which it was compacted. Any other error as it is.
    mutating func completed(_ error: any Error) -> any Error {
        if !isJSON, let error = error as? AccountError, case .notAllowed = error,
            error.hint == Self.logInAgain, let session = try? account.session
        {
            let login = "macrolog auth login \(session.email) --server \(session.server)"
            return CommandError(.noPerm, "\(error.explanation): \(login)")
        }
        if !isJSON, case .invalid(let findings)? = (error as? EntryError)?.code {
            let shown = known.map { Shown(preferences: $0) }
            return CommandError(.dataErr, ErrorReport.refusal(findings, shown))
        }
        guard (error as? HistoryError)?.code == .compacted,
            let moment = try? replica.compactedBefore()
        else { return error }
        let day = localTimeText(moment).prefix { $0 != " " }
        return CommandError(
            .dataErr, "history before \(day) was compacted", code: "compacted")
    }
}
