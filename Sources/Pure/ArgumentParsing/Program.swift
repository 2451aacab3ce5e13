import MacrologTerminal

/// A program: its verbs, the options that every verb accepts, and its description.
///
/// ```swift
/// let program = Program(
///     "macrolog", version: "0.2", "A food diary that works without a network.",
///     chapters: [
///         Chapter("Eating", [Add.command, MealList.command, MealEdit.command]),
///         Chapter("Body", [WeightLog.command, WeightList.command]),
///     ],
///     groups: [Group("meal", "Look at meals and correct them.")]
/// ) {
///     Everywhere.json
///     Everywhere.db
/// }
///
/// switch try program.read(arguments) {
/// case .run(let command, let words): try await command.run(words, &home)
/// case .show(let text): print(text)
/// }
/// ```
public struct Program<Context, Failure: Error>: Sendable {
    /// A command of this program.
    public typealias Verb = Command<Context, Failure>

    /// The word that starts it.
    public let name: String
    /// The version, as `--version` prints it.
    public let version: String
    /// One sentence.
    public let summary: String
    /// Paragraphs with an empty line between them, for the manual page.
    public let explanation: String
    /// The verbs in the order of the help.
    public let chapters: [Chapter<Context, Failure>]
    /// The words of the verbs that the short help lists: `day show`. Empty: it lists all.
    public let daily: [String]
    /// Descriptions of the first words of longer verbs.
    public let groups: [Group]
    /// Further sections of the manual page: files, environment.
    public let notes: [Note]
    /// The options that every verb accepts. `--help` is always the last.
    public let everywhere: [Specification]

    /// Declares a program, with the parameters that every command takes.
    public init(
        _ name: String, version: String, _ summary: String, explanation: String = "",
        chapters: [Chapter<Context, Failure>], daily: [String] = [], groups: [Group] = [],
        notes: [Note] = [], @ParameterList everywhere: () -> [Specification] = { [] }
    ) {
        self.name = name
        self.version = version
        self.summary = summary
        self.explanation = explanation
        self.chapters = chapters
        self.daily = daily
        self.groups = groups
        self.notes = notes
        let help = Parameter.flag("help", short: "h", "Explain instead of doing.")
        self.everywhere = everywhere() + [help.specification]
    }

    /// All verbs.
    public var commands: [Verb] { chapters.flatMap { $0.commands } }
}

/// Verbs that belong together, under a title.
public struct Chapter<Context, Failure: Error>: Sendable {
    /// The heading in the help.
    public let title: String
    /// The commands, in the order in which the help lists them.
    public let commands: [Command<Context, Failure>]

    /// Puts commands under a heading.
    public init(_ title: String, _ commands: [Command<Context, Failure>]) {
        self.title = title
        self.commands = commands
    }
}

/// The description of the first word of several verbs: `meal`, of `meal list` and `meal edit`.
public struct Group: Sendable {
    /// The words before the verb: `food portion`.
    public let path: [String]
    /// One sentence.
    public let summary: String

    /// Describes the commands that begin with these words.
    public init(_ path: String, _ summary: String) {
        self.path = path.parts(separatedBy: UInt8(ascii: " "))
        self.summary = summary
    }
}

/// A section of the manual page beyond those that every program has.
public struct Note: Sendable {
    /// The heading in the manual.
    public let title: String
    /// Paragraphs with an empty line between them.
    public let text: String

    /// Writes a section of the manual.
    public init(_ title: String, _ text: String) {
        self.title = title
        self.text = text
    }
}

/// The action that a command line asks for.
public enum Request<Context, Failure: Error>: Sendable {
    /// Do the work of a verb with these words.
    case run(Command<Context, Failure>, ParsedArguments)
    /// Print this on standard output and end well: help or the version. Ends with a line feed.
    case show(String)
}

extension Program {
    func command(at path: [String]) -> Verb? {
        commands.first { $0.path.isSame(as: path) }
    }

    /// The words that may follow `path`, each once, in the order of the declarations.
    func nextWords(after path: [String]) -> [String] {
        var words: [String] = []
        for command in commands where command.path.count > path.count {
            let word = command.path[path.count]
            if command.path.begins(with: path), !words.contains(word: word) { words.append(word) }
        }
        return words
    }

    /// Every path that is a verb or the beginning of one, shorter ones first. The root is not in it.
    var paths: [[String]] {
        var paths: [[String]] = []
        for command in commands {
            for length in stride(from: 1, through: command.path.count, by: 1) {
                let path = Array(command.path.prefix(length))
                if !paths.contains(where: { $0.isSame(as: path) }) { paths.append(path) }
            }
        }
        return paths
    }

    /// The description of `path`, in one sentence.
    func summary(of path: [String]) -> String {
        if let command = command(at: path) { return command.summary }
        return groups.first { $0.path.isSame(as: path) }?.summary ?? ""
    }

    /// `macrolog meal list`
    func formatted(_ path: [String]) -> String { ([name] + path).joined(separator: " ") }
}
