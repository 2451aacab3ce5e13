import MacrologAnalysis
import MacrologArgumentParsing
import MacrologTerminal
import MacrologFormats
import Macrolog
import MacrologSystem

/// An error as a person sees it: the sentences to print, and the exit code.
struct ErrorReport {
    let exitCode: ExitCode
    let lines: [String]

    init(_ error: any Error) {
        switch error {
        case let error as UsageError: self.init(error)
        case let error as CommandError: self.init(error.exitCode, "\(error)")
        case let error as ReplicaError: self.init(error)
        case let error as EntryError: self.init(error)
        case let error as HistoryError: self.init(error)
        case let error as AccountError: self.init(error)
        case let error as PhotoError: self.init(error)
        case let error as AnalysisError: self.init(error)
        case let error as ProposalError: self.init(error)
        case let error as AdviceError: self.init(.noInput, sentence(error))
        case let error as SessionError: self.init(.noPerm, sentence(error))
        case let error as OutputError:
            self.init(.ioErr, "the output cannot be written: \(error.problem)")
        case let error as ImportError:
            self.init(.dataErr, "\(sentence(error))\nnothing was written")
        case let error as ExportError: self.init(.dataErr, sentence(error))
        case is CancellationError: self.init(.tempFail, "stopped")
        default: self.init(.software, "\(error)")
        }
    }

    /// The first line begins with the program's name, so that its source is clear in a script's
    /// output; the second and third line of a usage error do not.
    private init(_ code: ExitCode, _ text: String) {
        exitCode = code
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix("macrolog")
                ? printable(String(line)) : "macrolog: \(printable(String(line)))"
        }
    }

    private init(_ error: UsageError) {
        exitCode = .usage
        lines = error.description.split(separator: "\n", omittingEmptySubsequences: false)
            .map { printable(String($0)) }
    }

    private init(_ error: ReplicaError) {
        let code: ExitCode =
            switch error.code {
            case .readOnly: .noPerm
            case .readOnlySnapshot, .damagedFile, .damagedEvent, .tooLarge: .dataErr
            case .nested, .fault: .software
            case .busy: .tempFail
            case .cannotOpen: .cantCreate
            case .otherVersion: .config
            case .disk: .ioErr
            case .outOfStep: .protocolErr
            }
        self.init(code, sentence(error))
    }

    private init(_ error: EntryError) {
        switch error.code {
        case .invalid(let findings):
            self.init(.dataErr, Self.refusal(findings, nil))
        case .notFound, .noFastInProgress: self.init(.noInput, sentence(error))
        case .deleted, .recursiveRecipe, .fastInProgress:
            self.init(.dataErr, sentence(error))
        case .noSuchTime: self.init(.config, sentence(error))
        }
    }

    /// What is wrong with an entry, in the person's units where these are known.
    static func refusal(_ findings: [Finding], _ shown: Shown?) -> String {
        findings.map { $0.sentence(shown) }.joined(separator: "\n") + "\nnothing was written"
    }

    private init(_ error: HistoryError) {
        let code: ExitCode =
            switch error.code {
            case .nothingToUndo, .nothingToRedo, .noSuchEvent: .noInput
            case .supersededByLaterEdits, .alreadyUndone, .alreadyRedone, .conflictChanged,
                .noSuchValue, .compacted:
                .dataErr
            }
        self.init(code, sentence(error))
    }

    private init(_ error: AccountError) {
        let code: ExitCode =
            switch error {
            case .loggedOut, .otherAccount, .notAllowed, .codeRequired, .refused: .noPerm
            case .unsynced, .busy: .tempFail
            case .badServer: .usage
            case .invalid: .dataErr
            case .sync(let cause): cause.isOffline ? .unavailable : .protocolErr
            }
        self.init(code, sentence(error))
    }

    private init(_ error: AnalysisError) {
        let code: ExitCode =
            switch error {
            case .offline, .slow: .unavailable
            case .busy: .tempFail
            case .keyRefused: .noPerm
            case .notAccepted: .config
            case .declined, .cut, .tooLong, .otherForm: .protocolErr
            }
        self.init(code, sentence(error))
    }

    private init(_ error: ProposalError) {
        let code: ExitCode =
            switch error {
            case .consentRequired: .noPerm
            case .photoMissing, .waiting: .tempFail
            case .noProposal, .noEarlierMeal: .noInput
            case .nothingToAsk, .confirmed, .noSuchPart, .unknownMass, .hasParts, .hasValues,
                .noPartLeft:
                .dataErr
            }
        self.init(code, sentence(error))
    }

    private init(_ error: PhotoError) {
        let code: ExitCode =
            switch error {
            case .unusable: .dataErr
            case .notThere: .noInput
            case .notArrived: .tempFail
            case .storage: .ioErr
            }
        self.init(code, sentence(error))
    }
}

/// An error raised by a command itself: what is wrong, and what to do.
struct CommandError: Error, CustomStringConvertible {
    let exitCode: ExitCode
    let description: String
    /// Its code in JSON, where that is more precise than the exit code's.
    let code: String?

    init(_ exitCode: ExitCode, _ description: String, code: String? = nil) {
        self.exitCode = exitCode
        self.description = description
        self.code = code
    }
}
