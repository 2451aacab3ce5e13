import MacrologArgumentParsing
import MacrologTerminal

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The entry point of the program: arguments in, exit code out. Only here do errors become text.
enum Door {
    /// Parses the arguments and runs the command.
    static func open(_ arguments: [String]) async -> ExitCode {
        // `write` reports a closed pipe; without this, a signal would end the program in
        // mid-sentence.
        signal(SIGPIPE, SIG_IGN)
        do {
            let style = Terminal.style(
                refused: arguments.contains { $0.utf8.elementsEqual("--no-color".utf8) })
            switch try program.read(arguments, style: style, width: Terminal.width ?? 80) {
            case .show(let text):
                var output = Output()
                output.write(text)
                try output.flush()
            case .run(let command, let words):
                try Zone.set(words)
                var home = Home(words)
                do {
                    try await command.run(words, &home)
                } catch {
                    // Output from before the error is still valid.
                    try home.output.flush()
                    throw error
                }
                try home.output.flush()
            }
            return .ok
        } catch {
            let failure = Failure(error)
            for line in failure.lines { Terminal.complain(line) }
            return failure.code
        }
    }

    static func leave(_ code: ExitCode) -> Never { exit(code.value) }
}
