/// An invalid or unusual value of a field. It says what to type instead, and never repeats what a
/// person ate, weighs or wrote.
public struct Finding: Hashable, Sendable {
    /// The consequence of a finding.
    package enum Severity: Hashable, Sendable {
        /// Refused when recorded here; quarantined when it comes from a peer.
        case hard
        /// Accepted, with a warning.
        case soft
    }

    /// Whether the value is refused, or only unusual.
    package let severity: Severity
    /// The kind of entity.
    public let kind: UTF8Text
    /// The name of the field in events.
    public let field: UTF8Text
    /// Kind and field in words: "weigh-in weight".
    package let subject: String
    /// The problem: "is above 650 kg".
    public let problem: UTF8Text
    /// What to type instead: "type a number from 2 kg to 650 kg".
    public let hint: UTF8Text

    /// Whether the value is refused; one that is not is recorded, and only unusual.
    public var isHard: Bool { severity == .hard }

    package init(
        _ severity: Severity, kind: UTF8Text, field: UTF8Text, subject: String, problem: String,
        hint: String
    ) {
        self.severity = severity
        self.kind = kind
        self.field = field
        self.subject = subject
        self.problem = UTF8Text(problem)
        self.hint = UTF8Text(hint)
    }
}

extension Finding: CustomStringConvertible {
    /// `weigh-in weight is above 650 kg: type a number from 2 kg to 650 kg`.
    public var description: String { "\(subject) \(problem.string): \(hint.string)" }
}
