/// Why an action could not be undone, redone or resolved, or a part of the history not be read.
/// Nothing was written.
public struct HistoryError: ExplainedError, Hashable, Sendable {
    /// What is wrong.
    public enum Code: Hashable, Sendable {
        /// There is nothing left to undo.
        case nothingToUndo
        /// There is nothing left to redo.
        case nothingToRedo
        /// There is no such event, or it was never an action of its own.
        case noSuchEvent
        /// That action is undone already.
        case alreadyUndone
        /// That undo is redone already.
        case alreadyRedone
        /// Everything that the action wrote has been changed since.
        case supersededByLaterEdits
        /// The conflict is no longer what was shown: another event has resolved it, or added to it.
        case conflictChanged
        /// The conflict has no such value.
        case noSuchValue
        /// The payloads that would be needed were dropped when the log was compacted.
        case compacted
    }

    /// What is wrong.
    public let code: Code

    /// Wraps a code.
    package init(_ code: Code) {
        self.code = code
    }
}

extension HistoryError {
    /// What was attempted, as it follows "cannot".
    public var operation: String {
        switch code {
        case .nothingToUndo: "undo"
        case .nothingToRedo: "redo"
        case .noSuchEvent: "find the event"
        case .alreadyUndone: "undo this"
        case .alreadyRedone: "redo this"
        case .supersededByLaterEdits: "undo or redo this"
        case .conflictChanged, .noSuchValue: "resolve the conflict"
        case .compacted: "go back to that part of the history"
        }
    }

    /// Why it failed.
    public var explanation: String {
        switch code {
        case .nothingToUndo: "nothing to undo"
        case .nothingToRedo: "nothing to redo"
        case .noSuchEvent: "there is no such event"
        case .alreadyUndone: "that is undone already"
        case .alreadyRedone: "that is redone already"
        case .supersededByLaterEdits: "later changes have replaced everything that this did"
        case .conflictChanged: "the conflict has changed meanwhile"
        case .noSuchValue: "the conflict does not have that many values"
        case .compacted: "that part of the history was compacted"
        }
    }

    /// What to do about it.
    public var hint: String? {
        switch code {
        case .noSuchEvent: "sync if another device recorded it"
        case .alreadyUndone: "redo it to apply it again"
        case .supersededByLaterEdits: "edit it instead"
        case .conflictChanged, .noSuchValue: "look at it again and choose"
        case .alreadyRedone: "undo it to take it back again"
        case .compacted: "edit what is there instead"
        case .nothingToUndo, .nothingToRedo: nil
        }
    }
}
