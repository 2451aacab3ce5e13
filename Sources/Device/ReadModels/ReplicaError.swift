import MacrologEvents
public import MacrologNutrition

/// Why a replica refused an action. Nothing was written.
public struct ReplicaError: Error, Hashable, Sendable {
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

extension ReplicaError: CustomStringConvertible {
    /// One sentence, and what to do.
    public var description: String {
        switch reason {
        case .invalid(let findings): findings.map(\.description).joined(separator: "\n")
        case .notFound(let kind): "there is no such \(kind.spoken)"
        case .deleted(let kind): "that \(kind.spoken) is deleted: restore it first"
        case .nothingToUndo: "there is nothing to undo"
        case .nothingToRedo: "there is nothing to do again"
        case .noSuchEvent: "there is no such event"
        case .alreadyUndone: "that has been taken back already"
        case .settled: "the disagreement has changed meanwhile: macrolog conflicts list"
        case .compacted:
            "that part of the log was compacted: what it came to is kept, how it came about is not"
        case .recipeInItself:
            "a recipe cannot be made of itself, however far down: nothing was written"
        case .fastIsOn: "a fast is on already: end or cancel it first"
        case .noFast: "no fast is on"
        case .past: "this is the log as it once was: it cannot be written"
        case .readOnly:
            "the log is read-only here: it can be read, but nothing can be recorded"
        case .movedOn: "everything that this did has been changed since: edit it instead"
        }
    }
}

extension Kind {
    /// The kind in a sentence: `weigh-in`.
    public var spoken: String {
        String(name.string.map { $0 == "_" ? "-" : $0 })
    }
}
