import MacrologTerminal

/// The mistakes in a program's own declarations. A test of the program expects none.

extension Program {
    /// One sentence for each mistake that would surprise a person at the command line.
    ///
    /// Every example is read as if it had been typed, so that help never shows what does not work.
    public var findings: [String] {
        var findings: [String] = []
        for (index, command) in commands.enumerated() {
            let name = formatted(command.path)
            if commands[..<index].contains(where: { $0.path.isSame(as: command.path) }) {
                findings.append("\(name) is declared twice.")
            }
            findings += findingsInParameters(of: command).map { "\(name): \($0)" }
            findings += command.examples.compactMap { finding(inExample: $0, of: command) }
                .map { "\(name): \($0)" }
        }
        let all = commands.flatMap { $0.parameters } + everywhere
        for option in all where option.kind == .option {
            // Where the verb is, and what a shell completes, is found by skipping values.
            if all.contains(where: { $0.kind == .flag && $0.name.isSame(as: option.name) }) {
                findings.append("\(option.label) takes a value in one verb and none in another.")
            }
        }
        for words in daily
        where !commands.contains(where: {
            $0.path.joined(separator: " ").isSame(as: words)
        }) {
            findings.append("\(words), a verb of every day, is not declared.")
        }
        for path in paths where summary(of: path).isEmpty {
            findings.append("\(formatted(path)) is not explained.")
        }
        return findings
    }

    private func findingsInParameters(of command: Verb) -> [String] {
        var findings: [String] = []
        let all = command.parameters + everywhere
        for (index, parameter) in all.enumerated() {
            let before = all[..<index]
            if before.contains(where: {
                $0.name.isSame(as: parameter.name)
                    && ($0.kind == .argument) == (parameter.kind == .argument)
            }) {
                findings.append("\(parameter.label) is declared twice.")
            }
            if let short = parameter.short, before.contains(where: { $0.short == short }) {
                findings.append("-\(short) is declared twice.")
            }
            if parameter.kind == .argument,
                before.contains(where: {
                    $0.kind == .argument
                        && ($0.repeats || ($0.isRequired, parameter.isRequired) == (false, true))
                })
            {
                findings.append("\(parameter.label) can never be reached.")
            }
            if let otherwise = parameter.otherwise, (try? parameter.check(otherwise)) == nil {
                findings.append("\(parameter.label) refuses its own \(otherwise).")
            }
        }
        return findings
    }

    private func finding(inExample example: String, of command: Verb) -> String? {
        do {
            guard case .run(let found, _) = try read(shellWords(example)) else {
                return "the example `\(example)` asks for help."
            }
            return found.path.isSame(as: command.path)
                ? nil : "the example `\(example)` calls \(formatted(found.path))."
        } catch {
            return "the example `\(example)` is refused: \(error.problem)"
        }
    }
}

/// The words of a line as a shell would hand them over, up to the first `|`, `>`, `<`, `;`, `&` or `#`.
/// Knows single and double quotes.
func shellWords(_ line: String) -> [String] {
    var words: [String] = []
    var word: [UInt8]?
    var quote: UInt8?
    for byte in line.utf8 {
        if let open = quote {
            if byte == open { quote = nil } else { word?.append(byte) }
        } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
            quote = byte
            word = word ?? []
        } else if byte == UInt8(ascii: " ") {
            if let whole = word { words.append(String(decoding: whole, as: UTF8.self)) }
            word = nil
        } else if word == nil, Array("|><;&#".utf8).contains(byte) {
            break
        } else {
            word = (word ?? []) + [byte]
        }
    }
    if let whole = word { words.append(String(decoding: whole, as: UTF8.self)) }
    return words
}
