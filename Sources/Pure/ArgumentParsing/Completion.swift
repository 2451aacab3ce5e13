import MacrologTerminal

/// The scripts that let a shell complete the program's words.
public enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}

extension Program {
    /// The completion script for a shell, made from the declarations of the verbs.
    ///
    /// It offers verbs, options, the values of choices, and files where a path is expected.
    public func completionScript(for shell: Shell) -> String {
        switch shell {
        case .bash: bashCompletion()
        case .zsh: zshCompletion()
        case .fish: fishCompletion()
        }
    }

    /// The words that may be typed after `path`, `help` included.
    func offeredWords(after path: [String]) -> [String] {
        let words = nextWords(after: path)
        return path.isEmpty && !words.isEmpty ? words + ["help"] : words
    }

    /// What a shell says about a word that may be typed after `path`.
    func description(of word: String, after path: [String]) -> String {
        path.isEmpty && word.isSame(as: "help")
            ? "Explain a verb, or list all." : summary(of: path + [word])
    }

    /// The options and flags that the verb at a path adds to those understood everywhere.
    func options(at path: [String]) -> [Specification] {
        (command(at: path)?.parameters ?? []).filter { $0.kind != .argument }
    }

    /// The arguments of the verb at a path.
    func arguments(at path: [String]) -> [Specification] {
        (command(at: path)?.parameters ?? []).filter { $0.kind == .argument }
    }

    /// `--name` and `-n` of every option that takes a value wherever it is declared, each once; the
    /// empty word where there is none, so that a list of patterns is never empty.
    var optionsWithValue: [String] {
        var labels: [String] = []
        for option in commands.flatMap({ $0.parameters }) + everywhere where option.kind == .option
        {
            for label in option.labels where !labels.contains(word: label) { labels.append(label) }
        }
        return labels.isEmpty ? ["''"] : labels
    }
}

extension Specification {
    /// `--name`, and `-n` if there is one.
    var labels: [String] { ["--\(name)"] + (short.map { ["-\($0)"] } ?? []) }
}

/// A text as one word of a POSIX shell.
func shellQuoted(_ text: String) -> String {
    "'" + text.replacing(UInt8(ascii: "'"), with: "'\\''") + "'"
}

/// Words as one quoted word with spaces between them.
func shellQuotedList(_ words: [String]) -> String { shellQuoted(words.joined(separator: " ")) }

extension String {
    /// The name as part of a shell function's name.
    var shellIdentifier: String { replacing(UInt8(ascii: "-"), with: "_") }
}
