public import MacrologEvents
public import MacrologNutrition

/// Why an entry of the diary was refused. Nothing was written.
public struct EntryError: ExplainedError, Hashable, Sendable {
    /// What went wrong, one case for each cause: for a program.
    public enum Code: Hashable, Sendable {
        /// Fields break hard bounds.
        case invalid([Finding])
        /// There is no such entity.
        case notFound(Kind)
        /// The entity is deleted; restore it first.
        case deleted(Kind)
        /// A recipe would contain itself, however far down.
        case recursiveRecipe
        /// A fast is in progress: it must end before another begins.
        case fastInProgress
        /// No fast is in progress.
        case noFastInProgress
        /// The time lies outside of the years that the calendar knows, 1900 to 2200.
        case noSuchTime
    }

    /// The cause; ``text`` says it in words.
    public let code: Code

    /// Wraps a code.
    public init(_ code: Code) {
        self.code = code
    }
}

extension EntryError {
    /// The cause in words, and what a person can do about it.
    public var text: ErrorText {
        switch code {
        case .invalid(let findings):
            ErrorText(
                cannot: "record this",
                findings.map { "\($0.subject) \($0.problem.string)" }.joined(separator: "; "),
                hint: findings.map { $0.hint.string }.joined(separator: "; "))
        case .notFound(let kind):
            ErrorText(
                cannot: "find the \(kind.title)", "there is no such \(kind.title)",
                hint: "sync if another device recorded it")
        case .deleted(let kind):
            ErrorText(
                cannot: "change the \(kind.title)", "that \(kind.title) is deleted",
                hint: "restore it first")
        case .recursiveRecipe:
            ErrorText(
                cannot: "record the recipe",
                "a recipe cannot contain itself, directly or through another",
                hint: "remove the ingredient that leads back to the recipe")
        case .fastInProgress:
            ErrorText(
                cannot: "start a fast", "a fast is in progress", hint: "end or cancel it first")
        case .noFastInProgress: ErrorText(cannot: "end the fast", "no fast in progress")
        case .noSuchTime:
            ErrorText(
                cannot: "find the day", "the time is not between the years 1900 and 2200",
                hint: "set this device's clock")
        }
    }
}
