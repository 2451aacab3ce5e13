import MacrologTerminal

/// One verb of a program, such as `weight log`: its name, its parameters, its action.
///
/// One declaration feeds everything that speaks about the verb: the parser, `--help`, the errors,
/// the completion of three shells and the manual page. A verb is one small file:
///
/// ```swift
/// enum WeightLog {
///     static let weight = Parameter.argument("weight", .weight, "What the scale said.")
///     static let note = Parameter.option("note", .text, "A remark kept with the weigh-in.")
///
///     static let command = Verb(
///         "weight log", "Record what the scale said.",
///         example: "weight log 80.2kg --note 'after the run'", run: run
///     ) {
///         weight
///         note
///     }
///
///     static func run(words: Words, home: inout Home) throws {
///         try home.weigh(words[weight], note: words[note])
///     }
/// }
/// ```
///
/// with one line in the program: `typealias Verb = Command<Home, any Error>`. By the time `run` is
/// called every word has been read and checked, so `words[weight]` is a value and cannot fail.
///
/// A process reads one verb of the program's many: the parameters and the explanation of a verb are
/// made when they are asked for.
public struct Command<Context, Failure: Error>: Sendable {
    /// The action of a verb: its input is the parsed words and the program's context.
    public typealias Run = @Sendable (ParsedArguments, inout Context) async throws(Failure) -> Void

    /// The words that call the verb: `["weight", "log"]`. Empty: the program itself, without a verb.
    public let path: [String]
    /// One sentence, shown in lists.
    public let summary: String
    /// Details to know before using it: paragraphs separated by empty lines.
    /// Lines that begin with a space are kept as they are.
    public var explanation: String { makeExplanation() }
    /// Lines that work when typed after the program's name.
    public let examples: [String]
    /// Its parameters, in the order of declaration.
    public var parameters: [Specification] { makeParameters() }
    /// Does the work.
    public let run: Run
    private let makeExplanation: @Sendable () -> String
    private let makeParameters: @Sendable () -> [Specification]

    /// Declares a verb. `path` holds its words with single spaces between them.
    public init(
        _ path: String, _ summary: String, example: String, _ moreExamples: String...,
        explanation: @escaping @autoclosure @Sendable () -> String = "", run: @escaping Run,
        @ParameterList parameters: @escaping @Sendable () -> [Specification] = { [] }
    ) {
        self.path = path.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
        self.summary = summary
        self.makeExplanation = explanation
        self.examples = [example] + moreExamples
        self.makeParameters = parameters
        self.run = run
    }
}

extension Command {
    /// The options of some verbs, each name once, for a verb that hands its words over to one of
    /// them: that one checks them, and its help lists them.
    public static func options(ofAny verbs: [Command]) -> [Specification] {
        var options: [Specification] = []
        for option in verbs.flatMap({ $0.parameters }) where option.kind != .argument {
            let repeats: Specification.Count = option.repeats ? .many : .optional
            let passed = Specification(
                kind: option.kind, name: option.name, short: option.short, count: repeats,
                placeholder: option.placeholder, help: "", otherwise: nil,
                completion: option.completion, check: { _ in })
            if let index = options.firstIndex(where: { $0.name.isSame(as: option.name) }) {
                if option.repeats { options[index] = passed }
            } else {
                options.append(passed)
            }
        }
        return options
    }
}

/// Makes it possible to list parameters with values of different types, one per line.
@resultBuilder
public enum ParameterList {
    /// Takes one parameter.
    public static func buildExpression<Value>(_ parameter: Parameter<Value>) -> [Specification] {
        [parameter.specification]
    }

    /// Several verbs may share a list of parameters.
    public static func buildExpression(_ shared: [Specification]) -> [Specification] { shared }

    /// Joins the parameters of a command, in the order in which they are typed.
    public static func buildBlock(_ parts: [Specification]...) -> [Specification] {
        parts.flatMap { $0 }
    }
}
