public import MacrologEvents

/// Why a file is not imported at all. Nothing was written.
public struct ImportError: ExplainedError, Hashable, Sendable {
    /// The line of the mistake, from 1; `nil` where it is not in the file.
    public let line: Int?
    /// What is wrong.
    public let problem: String
    private let advice: String

    init(line: Int? = nil, _ problem: String, hint: String) {
        self.line = line
        self.problem = problem
        advice = hint
    }

    /// `line 1: there is no column "Kalorien"`, and what to do about it.
    public var text: ErrorText {
        ErrorText(
            cannot: "import the file", (line.map { "line \($0): " } ?? "") + problem, hint: advice)
    }
}

/// Why one row is not imported. The others are.
public struct RowFinding: Hashable, Sendable, CustomStringConvertible {
    /// The line on which the row begins, from 1.
    public let line: Int
    /// The column, by its header or as `column 3`; `nil` for the row as a whole.
    public let column: String?
    /// What is wrong with it.
    public let problem: String
    /// What to type instead.
    public let hint: String

    /// `line 12, calorie: the number could be 1.2340 or 1234: type …`.
    public var description: String {
        "line \(line)" + (column.map { ", \($0)" } ?? "") + ": \(problem): \(hint)"
    }
}
