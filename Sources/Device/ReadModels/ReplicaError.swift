public import MacrologEvents
public import MacrologNutrition

/// Why a replica refused an action. Nothing was written.
public struct ReplicaError: ExplainedError, Hashable, Sendable {
    /// The reason for a refusal.
    public enum Reason: Hashable, Sendable {
        /// Fields break hard bounds.
        case invalid([Finding])
        /// There is no such entity.
        case notFound(Kind)
        /// The entity is deleted; restore it first.
        case deleted(Kind)
        /// There is nothing left to undo.
        case nothingToUndo
        /// There is nothing left to redo.
        case nothingToRedo
        /// There is no such event, or it was never an action of its own.
        case noSuchEvent
        /// That action is undone already.
        case alreadyUndone
        /// Everything that the action wrote has been changed since.
        case movedOn
        /// The conflict is no longer what was shown: another event has resolved it, or added to it.
        case settled
        /// The payloads that would be needed were dropped when the log was compacted.
        case compacted
        /// A recipe would contain itself, however far down.
        case recipeInItself
        /// A fast is running: it must end before another begins.
        case fastIsOn
        /// No fast is running.
        case noFast
        /// This is the log as of an earlier time: it can be read but not written.
        case past
        /// The file of the log can be read but not written here.
        case readOnly
    }

    /// The reason for the refusal.
    public let reason: Reason

    /// Wraps a reason.
    public init(_ reason: Reason) {
        self.reason = reason
    }
}

extension ReplicaError {
    /// What was attempted, as it follows "cannot".
    public var operation: String {
        switch reason {
        case .invalid, .past, .readOnly: "record this"
        case .notFound(let kind): "find the \(kind.spoken)"
        case .deleted(let kind): "change the \(kind.spoken)"
        case .nothingToUndo: "undo"
        case .nothingToRedo: "redo"
        case .noSuchEvent: "find the event"
        case .alreadyUndone, .movedOn: "undo this"
        case .settled: "resolve the conflict"
        case .compacted: "read that part of the history"
        case .recipeInItself: "record the recipe"
        case .fastIsOn: "start a fast"
        case .noFast: "end the fast"
        }
    }

    /// Why it failed.
    public var explanation: String {
        switch reason {
        case .invalid(let findings):
            findings.map { "\($0.kind.string) \($0.field.string) \($0.problem.string)" }
                .joined(separator: "; ")
        case .notFound(let kind): "there is no such \(kind.spoken)"
        case .deleted(let kind): "that \(kind.spoken) is deleted"
        case .nothingToUndo: "nothing to undo"
        case .nothingToRedo: "nothing to redo"
        case .noSuchEvent: "there is no such event"
        case .alreadyUndone: "that is undone already"
        case .settled: "the conflict has changed meanwhile"
        case .compacted: "that part of the history was compacted"
        case .recipeInItself: "a recipe cannot contain itself, directly or through another"
        case .fastIsOn: "a fast is in progress"
        case .noFast: "no fast in progress"
        case .past: "this is the log as of an earlier time, which cannot be changed"
        case .readOnly: "the log is read-only here: it can be read, but nothing can be recorded"
        case .movedOn: "later changes have replaced everything that this did"
        }
    }

    /// What to do about it.
    public var hint: String? {
        switch reason {
        case .invalid(let findings): findings.map(\.hint.string).joined(separator: "; ")
        case .notFound: "sync if another device recorded it"
        case .deleted: "restore it first"
        case .noSuchEvent: "sync if another device recorded it"
        case .alreadyUndone: "redo it to apply it again"
        case .settled: "look at it again and choose"
        case .recipeInItself: "remove the ingredient that leads back to the recipe"
        case .fastIsOn: "end or cancel it first"
        case .past: "record in the present log"
        case .readOnly: "check the permissions of the file and its folder"
        case .movedOn: "edit it instead"
        case .nothingToUndo, .nothingToRedo, .noFast, .compacted: nil
        }
    }
}

extension Kind {
    /// The kind in a sentence: `weigh-in`.
    public var spoken: String {
        String(name.string.map { $0 == "_" ? "-" : $0 })
    }
}
