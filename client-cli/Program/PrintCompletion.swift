import MacrologArgumentParsing

/// `completion`: prints the completion script for a shell.
enum PrintCompletion {
    static let shell = Parameter.argument(
        "shell", .choice(Shell.allCases.map { ($0.rawValue, $0) }), "The shell.")

    static let command = Verb(
        "completion", "Print the completion script for a shell.",
        example: "completion bash > ~/.local/share/bash-completion/completions/macrolog",
        "completion zsh", "completion fish", run: run
    ) { shell }

    static func run(arguments: ParsedArguments, home: inout Home) {
        home.output.write(program.completionScript(for: arguments[shell]))
    }
}
