/// An invalid command line: the words, the error, and what to type instead.
///
/// The program prints ``description`` on standard error and exits with ``ExitCode/usage``.
public struct UsageError: Error, Equatable, Sendable {
    /// The program and the verb as far as it was understood: `macrolog weight log`.
    public let command: String
    /// The parameter concerned, as a person writes it: `WEIGHT`, `--date`. `nil`: the line as a whole.
    public let argument: String?
    /// The rest of a sentence: `"8O" is not a weight`, `is missing`.
    public let problem: String
    /// What to do about it: one sentence without its full stop.
    public let instead: String?

    /// Refuses what was typed. See the properties.
    public init(command: String, argument: String?, problem: String, instead: String?) {
        self.command = command
        self.argument = argument
        self.problem = problem
        self.instead = instead
    }
}

extension UsageError: CustomStringConvertible {
    /// Two or three lines without a line feed at the end.
    public var description: String {
        let subject = argument.map { "\($0) " } ?? ""
        var lines = ["\(command): \(subject)\(problem)."]
        if let instead {
            lines.append(instead + (instead.utf8.last == UInt8(ascii: "?") ? "" : "."))
        }
        lines.append("See: \(command) --help")
        return lines.joined(separator: "\n")
    }
}
