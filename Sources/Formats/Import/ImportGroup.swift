import MacrologEvents
import Macrolog
import MacrologNutrition

/// The group of an import: one user action, in any number of transactions.
///
/// An import of more than one transaction records in the log that it began, and in its last
/// transaction that it ended, with what became of the rows of both. A later import of the same file
/// that finds a beginning without an end joins the same group, so one undo reverses both. Where the
/// beginning lies in compacted history, nothing can undo it: the later import is an action of its own.
struct ImportGroup {
    /// The action; `nil` when nothing is to be recorded.
    let id: Identifier?
    private let replica: Replica
    private let isNoted: Bool
    private let type: UTF8Text
    private let hash: [UInt8]
    /// What an earlier import of the file had recorded when it was interrupted.
    private let earlier: InterruptedImport?
    /// How many rows that were.
    private var earlierRows = 0
    /// The note that the import has begun.
    private var begun: ImportBatch?
    /// What became of the rows of the whole action.
    private var total = ImportSummary(kind: .importBatch)

    /// Nothing is recorded.
    static func none(_ replica: Replica) -> ImportGroup { ImportGroup(replica, nil) }

    /// An action that the caller has named.
    init(_ replica: Replica, _ id: Identifier?) {
        (self.replica, self.id) = (replica, id)
        (isNoted, type, hash, earlier) = (false, "", [], nil)
    }

    /// - Parameters:
    ///   - type: The kind of import.
    ///   - hash: The SHA-256 of what tells the file from others.
    init(_ replica: Replica, importing type: UTF8Text, hash: [UInt8]) throws {
        self.replica = replica
        let earlier = try replica.read { try $0.interruptedImport(of: type, hash) }
        begun = earlier.flatMap { $0.isCompacted ? nil : $0.batch }
        id = begun?.id ?? replica.newID()
        (isNoted, self.type, self.hash, self.earlier) = (true, type, hash, earlier)
    }

    /// What the person should know about it, once everything is recorded.
    var notices: [String] {
        guard let earlier else { return [] }
        guard !earlier.isCompacted else {
            return [
                "an import of this file was interrupted, and that part of the history was "
                    + "compacted since: this is an action of its own, and undo reverses only this"
            ]
        }
        let rows = earlierRows == 1 ? "1 row" : "\(earlierRows) rows"
        return [
            "an import of this file was interrupted after \(rows): this completes it, and both "
                + "are one action"
        ]
    }

    /// Records what is to be done in one transaction.
    ///
    /// - Parameters:
    ///   - rows: What becomes of the rows by it.
    ///   - isLast: Whether no other transaction follows.
    /// - Returns: Whether anything was recorded.
    mutating func record(
        _ drafts: [Draft], of rows: [ImportRow], isLast: Bool, today: Day
    ) throws -> Bool {
        guard let id else { return false }
        for row in rows { count(row) }
        var drafts = drafts
        if let note = note(isLast: isLast, isNeeded: !drafts.isEmpty, today) {
            drafts.append(note)
        }
        guard !drafts.isEmpty else { return false }
        try replica.record(drafts, group: id)
        return true
    }

    /// Counts a row as what the whole action made of it: a row that is the same now may have come
    /// with the earlier part.
    private mutating func count(_ row: ImportRow) {
        guard row.outcome == .same, let entity = row.content?.entity, let earlier else {
            return total.count(row.outcome)
        }
        if earlier.added.contains(entity) {
            total.count(.new(wasDeleted: false))
        } else if earlier.changed.contains(entity) {
            total.count(.changed([]))
        } else {
            return total.count(.same)
        }
        earlierRows += 1
    }

    private mutating func note(isLast: Bool, isNeeded: Bool, _ today: Day) -> Draft? {
        guard isNoted, let id else { return nil }
        guard let begun else {
            guard !isLast, isNeeded else { return nil }
            var batch = ImportBatch(id: id, of: type)
            batch.fileHash = hash
            begun = batch
            return .add(batch, today: today)
        }
        guard isLast else { return nil }
        var ended = begun
        ended.newRows = Int64(total.new)
        ended.sameRows = Int64(total.same)
        ended.changedRows = Int64(total.changed)
        ended.rejectedRows = Int64(total.rejected)
        return .edit(from: begun, to: ended, today: today)
    }
}
