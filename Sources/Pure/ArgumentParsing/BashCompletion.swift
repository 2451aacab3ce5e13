/// Completion for bash 3.2 and later.

extension Program {
    func bashCompletion() -> String {
        let function = "_\(name.shellIdentifier)"
        var values: [String] = []
        var positions: [String] = []
        var words: [String] = []
        for path in [[]] + paths {
            let key = path.joined(separator: " ")
            for option in options(at: path) where option.kind == .option {
                let patterns = option.labels.map { shellQuoted("\(key):\($0)") }
                values.append(
                    "    \(patterns.joined(separator: " | "))) "
                        + option.completion.bash(function) + "return ;;")
            }
            for (index, argument) in arguments(at: path).enumerated() {
                // An argument that repeats takes every later position, too.
                let number = argument.repeats ? "*" : String(index)
                positions.append(
                    "    \(shellQuoted("\(key):"))\(number)) "
                        + argument.completion.bash(function) + ";;")
            }
            let options = shellQuotedList(options(at: path).flatMap { $0.labels })
            let verbs = shellQuotedList(offeredWords(after: path))
            words.append("    \(shellQuoted(key))) options=\(options) verbs=\(verbs) ;;")
        }
        for option in everywhere where option.kind == .option {
            let patterns = option.labels.map { "*\(shellQuoted(":\($0)"))" }
            values.append(
                "    \(patterns.joined(separator: " | "))) "
                    + option.completion.bash(function) + "return ;;")
        }
        return """
            # Completion of \(name) for bash. To load it: source <(\(name) completion bash)

            \(function)_offer() {
                local word
                while IFS= read -r word; do COMPREPLY+=("$word"); done \\
                    < <(compgen "$@" -- "$current")
            }

            \(function)() {
                local current="${COMP_WORDS[COMP_CWORD]}" option="${COMP_WORDS[COMP_CWORD-1]}"
                local everywhere=\(shellQuotedList(everywhere.flatMap { $0.labels }))
                local verb='' options='' verbs='' word index position=0 all=''
                COMPREPLY=()
                # Bash takes --name=value apart at the sign.
                if [[ $current == '=' ]]; then
                    current=''
                elif [[ $option == '=' ]]; then
                    option="${COMP_WORDS[COMP_CWORD-2]}"
                fi
                for ((index = 1; index < COMP_CWORD; index++)); do
                    word="${COMP_WORDS[index]}"
                    case "$word" in
                    \(optionsWithValue.joined(separator: " | ")))
                        [[ ${COMP_WORDS[index+1]} == '=' ]] && ((index++))
                        ((index++)) ;;
                    -*) ;;
                    *)
                        case "${verb:+$verb }$word" in
                        help) all=' all' ;;
                        \(shellPattern(of: paths))) verb="${verb:+$verb }$word" ;;
                        *) ((position++)) ;;
                        esac ;;
                    esac
                done
                case "$verb:$option" in
            \(values.joined(separator: "\n"))
                esac
                case "$verb" in
            \(words.joined(separator: "\n"))
                esac
                if [[ $current == -* ]]; then
                    \(function)_offer -W "$options $everywhere"
                    return
                fi
                [[ -z $verb ]] && verbs+=$all
                ((position == 0)) && \(function)_offer -W "$verbs"
                case "$verb:$position" in
            \(positions.joined(separator: "\n"))
                esac
            }

            complete -F \(function) \(name)

            """
    }
}

/// The paths as alternatives of a `case`; a program without verbs gets one that never matches.
func shellPattern(of paths: [[String]]) -> String {
    let patterns = paths.map { shellQuoted($0.joined(separator: " ")) }
    return patterns.isEmpty ? "''" : patterns.joined(separator: " | ")
}

extension Completion {
    /// The command that offers the values, followed by a semicolon and a space.
    fileprivate func bash(_ function: String) -> String {
        switch self {
        case .nothing: ""
        case .files: "compopt -o filenames 2>/dev/null; \(function)_offer -f; "
        case .directories: "compopt -o filenames 2>/dev/null; \(function)_offer -d; "
        case .words(let words): "\(function)_offer -W \(shellQuotedList(words)); "
        }
    }
}
