/// An error that an app can show: what was attempted, why it failed, and what to do.
///
///     do { try replica.undo() } catch let error as any ExplainedError {
///         alert(
///             title: "Cannot \(error.operation)", text: error.explanation, advice: error.hint,
///             offersRetry: error.isRetryable)
///     }
///
/// The texts are parts of sentences without a full stop. They name no command, no flag and no
/// button: the app knows how a person does there what a hint advises.
public protocol ExplainedError: Error, CustomStringConvertible {
    /// What was attempted, as it follows "cannot": `undo`, `start a fast`, `sync`.
    var operation: String { get }
    /// Why it failed.
    var explanation: String { get }
    /// What a person can do about it; `nil` if nothing is to be done, or waiting is enough.
    var hint: String? { get }
    /// Whether the same call may succeed later without intervention.
    var isRetryable: Bool { get }
}

extension ExplainedError {
    /// Most errors remain until a person acts.
    public var isRetryable: Bool { false }

    /// The explanation and the hint in one line: `a fast is in progress: end or cancel it first`.
    public var description: String { explained(hint: hint) }

    /// The explanation with another hint, such as one that names the command to type.
    public func explained(hint: String?) -> String {
        hint.map { "\(explanation): \($0)" } ?? explanation
    }
}
