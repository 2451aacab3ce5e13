import MacrologArgumentParsing
import MacrologTerminal
import MacrologSystem

/// Facts about standard input, output and error.
enum Terminal {
    static var showsOutput: Bool { StandardStream.output.isTerminal }
    static var showsErrors: Bool { StandardStream.error.isTerminal }

    /// Whether a person can be asked: both input and output are a terminal.
    static var canAsk: Bool { StandardStream.input.isTerminal && showsOutput }

    /// The columns of the output's terminal; `nil` when output is not a terminal.
    static var width: Int? {
        guard let columns = StandardStream.output.columns, columns >= 20 else {
            return showsOutput ? 80 : nil
        }
        return columns
    }

    /// Whether colours and Unicode characters can be used.
    static func style(refused: Bool) -> Style {
        .fitting(
            isTerminal: showsOutput, refused: refused, noColor: Environment["NO_COLOR"],
            term: Environment["TERM"],
            locale: ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { Environment[$0] }.first {
                !$0.isEmpty
            })
    }

    /// A line on standard error.
    static func complain(_ line: String) {
        try? StandardStream.error.write(Array((line + "\n").utf8))
    }

    /// Replaces the last line of standard error.
    static func replaceLine(_ text: String) {
        try? StandardStream.error.write(Array(("\r" + text).utf8))
    }
}
