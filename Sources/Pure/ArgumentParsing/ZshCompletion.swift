/// Completion for zsh 5 and later.

extension Program {
    func zshCompletion() -> String {
        let function = "_\(name.shellIdentifier)"
        var values: [String] = []
        var positions: [String] = []
        var words: [String] = []
        for path in [[]] + paths {
            let key = path.joined(separator: " ")
            for option in options(at: path) where option.kind == .option {
                let patterns = option.labels.map { shellQuoted("\(key):\($0)") }
                values.append(
                    "    \(patterns.joined(separator: " | "))) \(option.completion.zsh)return ;;")
            }
            for (index, argument) in arguments(at: path).enumerated() {
                // An argument that repeats takes every later position, too.
                let number = argument.repeats ? "*" : String(index)
                positions.append(
                    "    \(shellQuoted("\(key):"))\(number)) \(argument.completion.zsh);;")
            }
            let verbs = offeredWords(after: path).map {
                shellQuoted("\($0):\(description(of: $0, after: path))")
            }
            words.append(
                """
                    \(shellQuoted(key)))
                        verbs=(\(verbs.joined(separator: " ")))
                        options=(\(describedOptions(options(at: path)))) ;;
                """)
        }
        for option in everywhere where option.kind == .option {
            let patterns = option.labels.map { "*\(shellQuoted(":\($0)"))" }
            values.append(
                "    \(patterns.joined(separator: " | "))) \(option.completion.zsh)return ;;")
        }
        return """
            #compdef \(name)
            # Completion of \(name) for zsh. To load it: source <(\(name) completion zsh)

            \(function)() {
                local current="${words[CURRENT]}" option="${words[CURRENT-1]}" verb='' word all=''
                local -i index position=0
                local -a verbs options everywhere
                everywhere=(\(describedOptions(everywhere)))
                for ((index = 2; index < CURRENT; index++)); do
                    word="${words[index]}"
                    case "$word" in
                    \(optionsWithValue.joined(separator: " | "))) ((index++)) ;;
                    -*) ;;
                    *)
                        case "${verb:+$verb }$word" in
                        help) all='all:List all verbs.' ;;
                        \(shellPattern(of: paths))) verb="${verb:+$verb }$word" ;;
                        *) ((position++)) ;;
                        esac ;;
                    esac
                done
                if [[ $current == --*=* ]]; then
                    option="${current%%=*}"
                    compset -P '*='
                fi
                case "$verb:$option" in
            \(values.joined(separator: "\n"))
                esac
                case "$verb" in
            \(words.joined(separator: "\n"))
                esac
                if [[ $current == -* ]]; then
                    options+=($everywhere)
                    _describe -o option options
                    return
                fi
                [[ -z $verb && -n $all ]] && verbs+=("$all")
                ((position == 0 && ${#verbs})) && _describe verb verbs
                case "$verb:$position" in
            \(positions.joined(separator: "\n"))
                esac
            }

            if [[ ${funcstack[1]} == \(function) ]]; then
                \(function) "$@"
            else
                compdef \(function) \(name)
            fi

            """
    }

    private func describedOptions(_ options: [Specification]) -> String {
        options.flatMap { option in
            option.labels.map { shellQuoted("\($0):\(option.help)") }
        }.joined(separator: " ")
    }
}

extension Completion {
    /// The command that offers the values, followed by a semicolon and a space.
    fileprivate var zsh: String {
        switch self {
        case .nothing: ""
        case .files: "_files; "
        case .directories: "_files -/; "
        case .words(let words): "compadd -- \(words.map(shellQuoted).joined(separator: " ")); "
        }
    }
}
