import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog

extension Home {
    /// Prints a sentence, unless `--quiet` or `--json`; broken at words where the terminal is narrower.
    mutating func say(_ sentence: String) {
        guard let terminalWidth else { return say([sentence]) }
        say(Terminal.broken(sentence, to: terminalWidth))
    }

    /// Prints lines as they are, unless `--quiet` or `--json`; without control characters.
    mutating func say(_ lines: [String]) {
        if !isQuiet, !isJSON { for line in lines { output.write(guarded(line) + "\n") } }
    }

    /// Prints a value as JSON when `--json` was typed, and otherwise the lines of `text`.
    mutating func show(_ json: @autoclosure () throws -> JSON, text: (inout Home) throws -> Void)
        throws
    {
        if isJSON {
            let value = try json()
            if !isQuiet { output.write(value.pretty + "\n") }
        } else {
            try text(&self)
        }
    }

    /// Writes a value as one line, for readers that parse line by line.
    mutating func writeLine(_ json: JSON) {
        if !isQuiet { output.write(json.compact + "\n") }
    }

    /// Warns about an unusual value that was accepted.
    func warn(_ findings: [Finding]) {
        if isQuiet { return }
        for finding in findings where !finding.isHard {
            Warnings.report(finding.sentence(known.map { Shown(preferences: $0) }))
        }
    }

    func warn(_ sentence: String) {
        if !isQuiet { Warnings.report(printable(sentence)) }
    }
}
