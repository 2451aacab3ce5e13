public import MacrologEvents
public import MacrologNutrition

/// Why an entry of the diary was refused. Nothing was written.
public struct EntryError: ExplainedError, Hashable, Sendable {
    /// What is wrong.
    public enum Code: Hashable, Sendable {
        /// Fields break hard bounds.
        case invalid([Finding])
        /// There is no such entity.
        case notFound(Kind)
        /// The entity is deleted; restore it first.
        case deleted(Kind)
        /// A recipe would contain itself, however far down.
        case recursiveRecipe
        /// A fast is running: it must end before another begins.
        case fastInProgress
        /// No fast is running.
        case noFastInProgress
        /// The time lies outside of the years that the calendar knows, 1900 to 2200.
        case noSuchTime
    }

    /// What is wrong.
    public let code: Code

    /// Wraps a code.
    public init(_ code: Code) {
        self.code = code
    }
}

extension EntryError {
    /// What was attempted, as it follows "cannot".
    public var operation: String {
        switch code {
        case .invalid: "record this"
        case .noSuchTime: "find the day"
        case .notFound(let kind): "find the \(kind.title)"
        case .deleted(let kind): "change the \(kind.title)"
        case .recursiveRecipe: "record the recipe"
        case .fastInProgress: "start a fast"
        case .noFastInProgress: "end the fast"
        }
    }

    /// Why it failed.
    public var explanation: String {
        switch code {
        case .invalid(let findings):
            findings.map { "\($0.kind.string) \($0.field.string) \($0.problem.string)" }
                .joined(separator: "; ")
        case .notFound(let kind): "there is no such \(kind.title)"
        case .deleted(let kind): "that \(kind.title) is deleted"
        case .recursiveRecipe: "a recipe cannot contain itself, directly or through another"
        case .fastInProgress: "a fast is in progress"
        case .noFastInProgress: "no fast in progress"
        case .noSuchTime: "the time is not between the years 1900 and 2200"
        }
    }

    /// What to do about it.
    public var hint: String? {
        switch code {
        case .invalid(let findings): findings.map { $0.hint.string }.joined(separator: "; ")
        case .notFound: "sync if another device recorded it"
        case .deleted: "restore it first"
        case .recursiveRecipe: "remove the ingredient that leads back to the recipe"
        case .fastInProgress: "end or cancel it first"
        case .noSuchTime: "set this device's clock"
        case .noFastInProgress: nil
        }
    }
}
