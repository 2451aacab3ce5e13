import MacrologTerminal

/// Completion for fish 3 and later.

extension Program {
    func fishCompletion() -> String {
        let function = "__\(name.shellIdentifier)_at"
        let known = paths.map { fishQuoted($0.joined(separator: " ")) }.joined(separator: " ")
        let withValue = optionsWithValue.joined(separator: " ")
        var lines = ["complete -c \(name) -f"]
        for option in everywhere { lines.append("complete -c \(name)" + option.fish) }
        for path in [[]] + paths {
            let at = "\(function) \(fishQuoted(path.joined(separator: " ")))"
            for word in offeredWords(after: path) {
                lines.append(
                    "complete -c \(name) -n \(fishQuoted("\(at) 0 0")) -a \(fishQuoted(word))"
                        + " -d \(fishQuoted(description(of: word, after: path)))")
            }
            for option in options(at: path) {
                lines.append("complete -c \(name) -n \(fishQuoted(at))" + option.fish)
            }
            for (index, argument) in arguments(at: path).enumerated() {
                let place = "\(at) \(index) \(argument.repeats ? 999 : index)"
                guard let offer = argument.completion.fish else { continue }
                lines.append("complete -c \(name) -n \(fishQuoted(place))" + offer)
            }
        }
        let afterHelp = "\(function) '' 0 0; and __fish_seen_subcommand_from help"
        lines.append(
            "complete -c \(name) -n \(fishQuoted(afterHelp)) -a all -d 'List all verbs.'")
        return """
            # Completion of \(name) for fish. To load it: \(name) completion fish | source

            # Succeeds when the words typed so far name the verb $argv[1] and, if asked for, are
            # followed by $argv[2] to $argv[3] other words.
            function \(function)
                set -l verb ''
                set -l position 0
                set -l skip 0
                set -l words (commandline -opc)
                set -e words[1]
                for word in $words
                    if test $skip = 1
                        set skip 0
                        continue
                    end
                    switch $word
                        case \(withValue)
                            set skip 1
                        case '-*'
                        case '*'
                            set -l longer (string trim "$verb $word")
                            if test "$longer" = help
                                continue
                            end
                            if contains -- "$longer" \(known)
                                set verb "$longer"
                            else
                                set position (math $position + 1)
                            end
                    end
                end
                test "$verb" = "$argv[1]"; or return 1
                test (count $argv) -lt 3; and return 0
                test $position -ge $argv[2] -a $position -le $argv[3]
            end

            \(lines.joined(separator: "\n"))

            """
    }
}

extension Specification {
    /// The option as the end of a `complete` line.
    fileprivate var fish: String {
        let letter = short.map { " -s \($0)" } ?? ""
        let value = kind == .flag ? "" : (completion.fish.map { " -r\($0)" } ?? " -x")
        return " -l \(name)\(letter)\(value) -d \(fishQuoted(help))"
    }
}

extension Completion {
    /// The values to offer, as the end of a `complete` line.
    fileprivate var fish: String? {
        switch self {
        case .nothing: nil
        case .files: " -F"
        case .directories: " -f -a '(__fish_complete_directories)'"
        case .words(let words): " -f -a \(fishQuoted(words.joined(separator: " ")))"
        }
    }
}

/// A text as one word of fish, where a backslash escapes within single quotes.
private func fishQuoted(_ text: String) -> String {
    let safe = text.replacing(UInt8(ascii: "\\"), with: "\\\\")
    return "'" + safe.replacing(UInt8(ascii: "'"), with: "\\'") + "'"
}
