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
    static var width: Int? { width(of: .output) }

    private static func width(of stream: StandardStream) -> Int? {
        guard let columns = stream.columns, columns >= 20 else {
            return stream.isTerminal ? 80 : nil
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

    /// A sentence on standard error, broken at words where a terminal is narrower. Anything else that
    /// reads standard error gets one line.
    static func complain(_ sentence: String) {
        guard let columns = width(of: .error) else { return report(sentence) }
        for line in broken(sentence, to: columns) { report(line) }
    }

    /// A line on standard error, as it is.
    static func report(_ line: String) {
        try? StandardStream.error.write(Array((line + "\n").utf8))
    }

    /// A sentence as lines of a terminal: the first keeps its indent, the others have two columns more.
    /// A line with columns, which are two spaces apart or more, stays as it is; an id at its end is none.
    static func broken(_ sentence: String, to columns: Int) -> [String] {
        let indent = sentence.prefix { $0 == " " }
        let rest = sentence.dropFirst(indent.count)
        guard displayWidth(sentence) > columns,
            rest.split(separator: "  ", omittingEmptySubsequences: true).count <= 2
        else { return [sentence] }
        let lines = wrapped(String(rest), to: max(10, columns - indent.count - 2))
        return lines.enumerated().map { indent + ($0 == 0 ? "" : "  ") + $1 }
    }

    /// Replaces the last line of standard error.
    static func replaceLine(_ text: String) {
        try? StandardStream.error.write(Array(("\r" + text).utf8))
    }
}
