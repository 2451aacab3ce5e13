import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog

extension Home {
    /// Prints a line, unless `--quiet` or `--json`.
    mutating func say(_ line: String) {
        if !isQuiet, !isJSON { output.write(line + "\n") }
    }

    /// Prints lines, unless `--quiet` or `--json`.
    mutating func say(_ lines: [String]) { for line in lines { say(line) } }

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
            Warnings.report(finding.sentence)
        }
    }

    func warn(_ sentence: String) {
        if !isQuiet { Warnings.report(printable(sentence)) }
    }
}
