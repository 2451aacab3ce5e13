public import Nutrition

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
        /// Everything the action wrote has been changed since.
        case movedOn
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
