/// Why an action could not be undone, redone or resolved, or a part of the history not be read.
/// Nothing was written.
public struct HistoryError: ExplainedError, Hashable, Sendable {
    /// What went wrong, one case for each cause: for a program.
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
        /// Nothing of the action can be reversed: later changes have replaced each value that it
        /// wrote, or have added to what it added.
        case supersededByLaterEdits
        /// The conflict is no longer what was shown: another event has resolved it, or added to it.
        case conflictChanged
        /// The conflict has no such value.
        case noSuchValue
        /// The payloads that would be needed were dropped when the log was compacted.
        case compacted
    }

    /// The cause; ``text`` says it in words.
    public let code: Code

    /// Wraps a code.
    package init(_ code: Code) {
        self.code = code
    }
}

extension HistoryError {
    /// The cause in words, and what a person can do about it.
    public var text: ErrorText {
        switch code {
        case .nothingToUndo: ErrorText(cannot: "undo", "nothing to undo")
        case .nothingToRedo: ErrorText(cannot: "redo", "nothing to redo")
        case .noSuchEvent:
            ErrorText(
                cannot: "find the event", "there is no such event",
                hint: "sync if another device recorded it")
        case .alreadyUndone:
            ErrorText(
                cannot: "undo this", "that is undone already", hint: "redo it to apply it again")
        case .alreadyRedone:
            ErrorText(
                cannot: "redo this", "that is redone already",
                hint: "undo it to take it back again")
        case .supersededByLaterEdits:
            ErrorText(
                cannot: "undo or redo this",
                "later changes have replaced what this did, or have added to it",
                hint: "edit it instead")
        case .conflictChanged:
            ErrorText(
                cannot: "resolve the conflict", "the conflict has changed meanwhile",
                hint: "look at it again and choose")
        case .noSuchValue:
            ErrorText(
                cannot: "resolve the conflict", "the conflict does not have that many values",
                hint: "look at it again and choose")
        case .compacted:
            ErrorText(
                cannot: "go back to that part of the history",
                "that part of the history was compacted", hint: "edit what is there instead")
        }
    }
}
