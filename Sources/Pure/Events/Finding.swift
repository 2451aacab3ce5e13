/// An invalid or unusual value of a field. It says what to type instead, and never repeats what a
/// person ate, weighs or wrote.
public struct Finding: Hashable, Sendable {
    /// The consequence of a finding.
    public enum Severity: Hashable, Sendable {
        /// Refused when recorded here; quarantined when it comes from a peer.
        case hard
        /// Accepted, with a warning.
        case soft
    }

    /// Its consequence.
    public let severity: Severity
    /// The kind of entity.
    public let kind: Text
    /// The field.
    public let field: Text
    /// The problem: "is above 650 kg".
    public let problem: Text
    /// What to type instead: "type a number from 2 kg to 650 kg".
    public let hint: Text

    package init(
        _ severity: Severity, kind: Text, field: Text, problem: String, hint: String
    ) {
        self.severity = severity
        self.kind = kind
        self.field = field
        self.problem = Text(problem)
        self.hint = Text(hint)
    }
}

extension Finding: CustomStringConvertible {
    /// `weigh_in weight_g is above 650 kg: type a number from 2 kg to 650 kg`.
    public var description: String {
        "\(kind.string) \(field.string) \(problem.string): \(hint.string)"
    }
}
