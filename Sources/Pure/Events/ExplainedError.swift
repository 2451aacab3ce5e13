/// An error that an app can show: what was attempted, why it failed, and what to do.
///
///     do { try replica.write { try $0.undo() } } catch let error as any ExplainedError {
///         alert(
///             title: "Cannot \(error.operation)", text: error.explanation, advice: error.hint,
///             offersRetry: error.isRetryable)
///     }
///
/// The texts are parts of sentences without a full stop. They name no command, no flag and no
/// button: the app knows how a person does there what a hint advises.
public protocol ExplainedError: Error, CustomStringConvertible {
    /// All that it says.
    var text: ErrorText { get }
}

/// What an error says; each part is a member of the error, too.
public struct ErrorText: Hashable, Sendable {
    package let operation: String
    package let explanation: String
    package let hint: String?
    package let isRetryable: Bool

    /// Most errors remain until a person acts.
    package init(
        cannot operation: String, _ explanation: String, hint: String? = nil,
        isRetryable: Bool = false
    ) {
        (self.operation, self.explanation) = (operation, explanation)
        (self.hint, self.isRetryable) = (hint, isRetryable)
    }
}

extension ExplainedError {
    /// What was attempted, as it follows "cannot": `undo`, `start a fast`, `sync`.
    public var operation: String { text.operation }

    /// Why it failed.
    public var explanation: String { text.explanation }

    /// What a person can do about it; `nil` if nothing is to be done, or waiting is enough.
    public var hint: String? { text.hint }

    /// Whether the same call may succeed later without intervention.
    public var isRetryable: Bool { text.isRetryable }

    /// The explanation and the hint in one line: `a fast is in progress: end or cancel it first`.
    public var description: String { explained(hint: hint) }

    /// The explanation with another hint, such as one that names the command to type.
    package func explained(hint: String?) -> String {
        hint.map { "\(explanation): \($0)" } ?? explanation
    }
}
