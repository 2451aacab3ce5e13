public import MacrologEvents
package import MacrologLog
package import MacrologSQLite

/// Why a log could not be opened, read or written. Nothing was written.
public struct ReplicaError: ExplainedError, Hashable, Sendable {
    /// What went wrong, one case for each cause: for a program.
    public enum Code: Hashable, Sendable {
        /// This is the log as of an earlier time: it can be read but not written.
        case readOnlySnapshot
        /// The file of the log can be read but not written here.
        case readOnly
        /// The replica was used inside of its own `read` or `write`.
        case nested
        /// Another process has the file, or memory is short. The same call may succeed later.
        case busy
        /// The file cannot be opened or created there.
        case cannotOpen
        /// The file is damaged, or is not a log.
        case damagedFile
        /// A stored event is damaged; the next sync fetches it again.
        case damagedEvent
        /// A newer or an earlier version of the software wrote the file.
        case otherVersion
        /// The disk is full, or refuses to read or write.
        case disk
        /// What was to be recorded is too large, or is not well-formed.
        case tooLarge
        /// The server and this device disagree about the log. Syncing itself acts on this.
        case outOfStep
        /// A mistake of this library.
        case fault
    }

    /// The cause; ``text`` says it in words.
    public let code: Code
    private let attempt: String?
    private let sentence: String
    private let advice: String?
    /// What the log reported; `nil` where its file is at fault.
    package let log: LogError?
    /// What SQLite reported, where it did.
    package let sqlite: SQLiteError?

    /// Wraps a code with its texts.
    ///
    /// - Parameter operation: What was attempted, where the code does not say.
    package init(
        _ code: Code, cannot operation: String? = nil, _ explanation: String, hint: String? = nil,
        log: LogError? = nil, sqlite: SQLiteError? = nil
    ) {
        (self.code, attempt, sentence, advice) = (code, operation, explanation, hint)
        (self.log, self.sqlite) = (log, sqlite)
    }

    /// What is wrong, in words without any content of the log.
    public var text: ErrorText {
        let operation =
            switch code {
            case .readOnlySnapshot, .readOnly, .tooLarge: "record this"
            case .nested, .busy, .disk, .fault: "use the log"
            case .cannotOpen, .otherVersion: "open the log"
            case .damagedFile, .damagedEvent: "read the log"
            case .outOfStep: "sync"
            }
        return ErrorText(
            cannot: attempt ?? operation, sentence, hint: advice, isRetryable: code == .busy)
    }

    /// The replica was used inside of its own `read` or `write`.
    package static let nested = ReplicaError(
        .nested, "the code that calls has borrowed it already, by read or write",
        hint: "call the diary that read or write has passed")
    /// The file can be read but not written here.
    package static let readOnly = ReplicaError(LogError(.readOnly))
}

extension ReplicaError {
    /// What a replica throws for an error of its log.
    package init(_ error: LogError) {
        switch error.code {
        case .file(let cause) where cause.code == .readOnly: self = .readOnly
        case .file(let cause):
            self.init(cause.code.ofReplica, cause.account, hint: cause.hint, sqlite: cause)
        case .readOnly: self.init(.readOnly, error.explanation, hint: error.hint)
        case .readOnlySnapshot: self.init(.readOnlySnapshot, error.explanation, hint: error.hint)
        case .notReserved: self.init(.disk, error.explanation, hint: error.hint)
        case .tooLarge, .malformedDraft, .deleted:
            self.init(.tooLarge, error.explanation, hint: error.hint, log: error)
        case .damaged, .altered:
            self.init(.damagedEvent, error.explanation, hint: error.hint, log: error)
        case .gap, .malformedEvent, .divergent, .rolledBack, .contradiction, .history:
            self.init(.outOfStep, error.explanation, hint: error.hint, log: error)
        }
    }
}

extension SQLiteError {
    /// What happened, with the file where that is known, and without any SQL.
    fileprivate var account: String {
        for verb in ["open ", "back up to "] where operation.utf8.starts(with: verb.utf8) {
            return "\(operation.dropFirst(verb.utf8.count)): \(detail)"
        }
        return detail
    }
}

extension SQLiteError.Code {
    fileprivate var ofReplica: ReplicaError.Code {
        switch self {
        case .busy, .noMemory: .busy
        case .cannotOpen: .cannotOpen
        case .corrupt, .notADatabase: .damagedFile
        case .newer, .earlier: .otherVersion
        case .full, .io, .notFlushed: .disk
        case .readOnly: .readOnly
        case .tooBig: .tooLarge
        case .constraint, .misuse, .other: .fault
        }
    }
}
