/// Where settings come from: the command line, else the environment, else a configuration file, else
/// their defaults. Each is declared once, as a parameter of `serve`.
import MacrologArgumentParsing
import MacrologSystem
import MacrologTerminal

/// What the environment and a configuration file say.
struct Settings {
    static let file = Parameter.option(
        "config", .file,
        "A file of settings, as `sync-server config example` prints it; options and the environment "
            + "count before it.")
    static let check = Parameter.flag(
        "check-config", "Report every mistake in the settings, or list them; start nothing.")

    /// What both may set: the options of `serve`, but for those that say where settings are.
    static var all: [Specification] {
        let outside = [file.specification.name, check.specification.name]
        return Serve.command.parameters.filter { !outside.contains($0.name) }
    }

    /// A setting of one source.
    struct Entry {
        /// As they would be typed.
        var words: [String]
        /// Where it is from: `server.conf:3` or `SYNC_SERVER_LISTEN`.
        let source: String
    }

    private(set) var entries: [String: Entry] = [:]
    /// Every mistake, as a sentence that begins with its place.
    private(set) var mistakes: [String] = []
    /// Variables of the environment that look like settings and are none.
    private(set) var strangers: [String] = []

    /// Adds what a command line leaves open.
    ///
    /// - Throws: ``CommandError`` with all mistakes, unless they are asked for.
    static func filled(_ arguments: ParsedArguments) throws(CommandError) -> ParsedArguments {
        let settings = Settings(for: arguments)
        let isCheck = !(arguments.typed(check.specification.name) ?? []).isEmpty
        guard settings.mistakes.isEmpty || isCheck else {
            throw CommandError(.config, settings.mistakes.joined(separator: "\n"))
        }
        return arguments.filled { settings.entries[$0.name]?.words ?? [] }
    }

    /// Reads the environment, and the file that the command line or the environment names.
    init(for arguments: ParsedArguments) {
        let name = Settings.file.specification.name
        let typed = arguments.typed(name)?.first
        if let path = typed ?? Environment[Settings.variable(name)] { read(path) }
        for specification in Settings.all {
            let variable = Settings.variable(specification.name)
            guard let value = Environment[variable] else { continue }
            let values =
                specification.repeats ? value.split(separator: " ").map(String.init) : [value]
            entries[specification.name] = nil
            for value in values { add(value, to: specification, source: variable) }
        }
        let known = Settings.all.map { Settings.variable($0.name) } + [Settings.variable(name)]
        strangers = Environment.names(beginning: Settings.prefix).filter { !known.contains($0) }
    }

    private static let prefix = "SYNC_SERVER_"

    /// The variable of a setting: `SYNC_SERVER_TLS_CERT`.
    static func variable(_ name: String) -> String {
        prefix + name.uppercased().replacing("-", with: "_")
    }

    // MARK: The file

    private mutating func read(_ path: String) {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try File.open(path, followsLinks: true).read(atMost: Self.bytesMax)
        } catch {
            return mistakes.append("\(path): cannot be read: \(error).")
        }
        var lines: [String: Int] = [:]
        let parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let source = "\(path):\(index + 1)"
            guard let line = String(validating: part, as: UTF8.self), !part.contains(0) else {
                mistakes.append("\(source): this line is not UTF-8 text. Write it again.")
                continue
            }
            read(Self.trimmed(line), index + 1, source, &lines)
        }
    }

    private static let bytesMax = 1 << 20

    private mutating func read(
        _ line: String, _ number: Int, _ source: String, _ lines: inout [String: Int]
    ) {
        guard let first = line.first, first != "#" else { return }
        let halves = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else {
            return mistakes.append(
                "\(source): \(quoted(line)) is not a setting. Write: name = value.")
        }
        let (name, value) = (Self.trimmed(halves[0]), Self.trimmed(halves[1]))
        guard let specification = Self.all.first(where: { $0.name == name }) else {
            let near = nearest(to: name, among: Self.all.map { $0.name })
            let advice =
                near.isEmpty
                ? "`sync-server config example` lists them."
                : "Did you mean \(near.joined(separator: " or "))?"
            return mistakes.append("\(source): there is no setting \(quoted(name)). \(advice)")
        }
        if let earlier = lines[name], !specification.repeats {
            return mistakes.append(
                "\(source): \(name) is set on line \(earlier) already. Remove one of the two.")
        }
        lines[name] = number
        guard value.first != "\"", value.first != "'" else {
            return mistakes.append("\(source): write the value of \(name) without quotes.")
        }
        add(value, to: specification, source: source)
    }

    private mutating func add(_ value: String, to specification: Specification, source: String) {
        let name = specification.name
        var word = value
        if specification.kind == .flag {
            guard let isOn = ["yes": true, "no": false][value] else {
                return mistakes.append(
                    "\(source): \(name) is \(quoted(value)). Write yes or no.")
            }
            guard isOn else {
                entries[name] = Entry(words: [], source: source)
                return
            }
            word = ""
        } else {
            do throws(BadValue) { try specification.check(value) } catch {
                return mistakes.append(
                    "\(source): \(name): \(quoted(value)) \(error.problem). "
                        + "Write \(error.instead).")
            }
        }
        entries[name, default: Entry(words: [], source: source)].words.append(word)
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let spaces: Set<Character> = [" ", "\t", "\r", "\u{FEFF}"]
        let rest = text.drop { spaces.contains($0) }
        return String(rest.reversed().drop { spaces.contains($0) }.reversed())
    }

    private func quoted(_ text: String) -> String {
        "\"\(truncated(printable(text), to: 60, style: .plain))\""
    }
}

extension Settings {
    /// Reports every mistake, or lists what is set and by what.
    ///
    /// - Parameter more: Mistakes that only the settings together show.
    static func report(
        _ arguments: ParsedArguments, more: [CommandError]
    ) throws(CommandError) {
        let settings = Settings(for: arguments)
        let mistakes = settings.mistakes + more.map { $0.message }
        guard mistakes.isEmpty else {
            throw CommandError(.config, mistakes.joined(separator: "\n"))
        }
        var lines: [String] = []
        for specification in all {
            let typed = arguments.typed(specification.name) ?? []
            let entry =
                typed.isEmpty
                ? settings.entries[specification.name]
                : Entry(words: typed, source: specification.label)
            guard let entry else { continue }
            let words =
                specification.kind == .flag ? [entry.words.isEmpty ? "no" : "yes"] : entry.words
            lines += words.map { "\(specification.name) = \($0)  (\(entry.source))" }
        }
        for stranger in settings.strangers {
            lines.append("\(stranger) is not a setting; ignored.")
        }
        lines.append("No mistakes found.\n")
        Standard.output(lines.joined(separator: "\n"))
    }
}

/// `config example`: a configuration file in which every setting is explained.
enum ConfigExample {
    static let command = Command<Void, CommandError>(
        "config example", "Print a configuration file in which every setting is explained.",
        example: "config example > sync-server.conf",
        explanation: """
            Each setting is also an option, --listen, and a variable of the environment, \
            SYNC_SERVER_LISTEN. An option counts before the environment, the environment before the \
            file, the file before the default. Check a file with --config FILE --check-config.
            """,
        run: { _, _ throws(CommandError) in Standard.output(text) })

    static var text: String {
        let head = """
            # Settings of sync-server, one a line: name = value. A line that begins with # is a comment,
            # and values are written without quotes. An option such as --listen counts before the
            # environment (SYNC_SERVER_LISTEN), and that before this file. What a setting is without
            # being set stands below, with # before it.

            """
        return head + Settings.all.map { "\n" + entry($0) }.joined()
    }

    private static func entry(_ specification: Specification) -> String {
        var help = specification.help
        if specification.repeats { help += " May be repeated." }
        if specification.kind == .flag { help += " yes or no." }
        let lines = wrapped(help, to: 96).map { "# \($0)\n" }.joined()
        let value =
            specification.kind == .flag
            ? "no" : specification.otherwise ?? specification.placeholder
        return "\(lines)#\(specification.name) = \(value)\n"
    }
}
