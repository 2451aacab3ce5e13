public import MacrologNutrition

/// Why a replica refused an action. Nothing was written.
public struct ReplicaError: Error, Hashable, Sendable {
    /// What was in the way.
    public enum Reason: Hashable, Sendable {
        /// Fields break hard bounds.
        case invalid([Finding])
        /// There is no such entity.
        case notFound(Kind)
        /// The entity is deleted; restore it first.
        case deleted(Kind)
        /// There is nothing left to undo.
        case nothingToUndo
        /// There is nothing left to do again.
        case nothingToRedo
        /// There is no event of that name, or it was never an action of its own.
        case noSuchEvent
        /// Somebody has taken that action back already.
        case alreadyUndone
        /// Everything the action wrote has been changed since.
        case movedOn
        /// The disagreement is not what was shown any more: somebody settled it, or added to it.
        case settled
        /// What would be needed was given up when the log was compacted.
        case compacted
        /// A recipe would contain itself, however far down.
        case recipeInItself
        /// A fast is on: it must end before another begins.
        case fastIsOn
        /// No fast is on.
        case noFast
        /// This is the log as it once was: it can be read and not written.
        case past
        /// The file of the log can be read and not written here.
        case readOnly
    }

    /// What was in the way.
    public let reason: Reason

    /// Wraps a reason.
    public init(_ reason: Reason) {
        self.reason = reason
    }
}

extension ReplicaError: CustomStringConvertible {
    /// A sentence, and what to do.
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
