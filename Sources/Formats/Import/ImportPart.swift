import MacrologEvents
import MacrologNutrition

/// What became of the rows of one kind, of a file that has several.
public struct ImportPart: Sendable {
    /// In the plural: `meals`.
    public let noun: String
    /// How many rows were taken, and how many were not.
    public var summary: ImportSummary
    /// What became of each row.
    public var rows: [ImportRow] = []

    /// Rows of one transaction.
    private static let batchRowsMax = 500

    init(noun: String, summary: ImportSummary) { (self.noun, self.summary) = (noun, summary) }

    /// Records what was decided, in transactions of one group, and counts it. Parts without rows are removed.
    ///
    /// - Parameter verdicts: Each with the place of its part.
    /// - Returns: Whether anything was recorded.
    static func record(
        _ verdicts: [(place: Int, verdict: OwnVerdict)], in parts: inout [ImportPart],
        _ group: inout ImportGroup, today: Day
    ) throws -> Bool {
        var (drafts, pending, isRecorded) = ([Draft](), [ImportRow](), false)
        for (index, (place, verdict)) in verdicts.enumerated() {
            for row in verdict.rows { parts[place].summary.count(row.outcome) }
            parts[place].rows += verdict.rows
            drafts += verdict.drafts
            pending += verdict.rows
            let isLast = index == verdicts.count - 1
            guard isLast || pending.count >= batchRowsMax else { continue }
            let wrote = try group.record(drafts, of: pending, isLast: isLast, today: today)
            isRecorded = isRecorded || wrote
            (drafts, pending) = ([], [])
        }
        parts.removeAll { $0.summary.total == 0 }
        return isRecorded
    }
}
