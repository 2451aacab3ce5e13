import MacrologArgumentParsing
import MacrologJSON
import MacrologTerminal
import MacrologSystem

/// The entry point of the program: arguments in, exit code out. Only here do errors become text.
enum Main {
    /// Runs the command, and exits with its code from the thread that ran it: to go back to the main actor, a
    /// thread would have to start.
    static func run(_ arguments: [String]) async -> Never { leave(await open(arguments)) }

    /// Parses the arguments and runs the command.
    static func open(_ arguments: [String]) async -> ExitCode {
        // `write` reports a closed pipe; without this, a signal would end the program in
        // mid-sentence.
        Running.ignoresClosedPipes()
        // Also where the arguments are not understood.
        let isJSON = arguments.prefix { !$0.utf8.elementsEqual("--".utf8) }
            .contains { $0.utf8.elementsEqual("--json".utf8) }
        if isJSON { Warnings.hold() }
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
                // A task of a sync that has ended may hold the replica for longer than the program runs.
                defer { home.replicaMayBeUsed() }
                do {
                    try await command.run(words, &home)
                } catch {
                    // Output from before the error is still valid.
                    try home.output.flush()
                    throw home.completed(error)
                }
                try home.output.flush()
                if isJSON, Warnings.json != [] {
                    Terminal.report(JSON.object([.init("warnings", Warnings.json)]).compact)
                }
            }
            return .ok
        } catch {
            let report = ErrorReport(error)
            if isJSON {
                Terminal.report(report.json(of: error).compact)
            } else {
                for line in report.lines { Terminal.complain(line) }
            }
            return report.exitCode
        }
    }

    static func leave(_ code: ExitCode) -> Never { Running.exit(code.value) }
}
