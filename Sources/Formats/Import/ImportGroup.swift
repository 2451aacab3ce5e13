import MacrologEvents
import Macrolog
import MacrologNutrition

/// The group of an import: one user action, in any number of transactions.
///
/// An import of more than one transaction records in the log that it began, and in its last
/// transaction that it ended. A later import of the same file that finds a beginning without an end
/// joins the same group, so one undo reverses both.
struct ImportGroup {
    /// The action; `nil` when nothing is to be recorded.
    let id: Identifier?
    /// Whether an import that was interrupted is completed.
    let isContinued: Bool
    private let replica: Replica
    private let isNoted: Bool
    private let type: Text
    private let hash: [UInt8]
    /// The note that the import has begun.
    private var begun: ImportBatch?

    /// Nothing is recorded.
    static func none(_ replica: Replica) -> ImportGroup { ImportGroup(replica, nil) }

    /// An action that the caller has named.
    init(_ replica: Replica, _ id: Identifier?) {
        (self.replica, self.id) = (replica, id)
        (isContinued, isNoted, type, hash) = (false, false, "", [])
    }

    /// - Parameters:
    ///   - type: The kind of import.
    ///   - hash: The SHA-256 of what tells the file from others.
    init(_ replica: Replica, importing type: Text, hash: [UInt8]) throws {
        self.replica = replica
        begun = try replica.interruptedImport(of: type, hash)
        isContinued = begun != nil
        id = begun?.id ?? replica.newID()
        (isNoted, self.type, self.hash) = (true, type, hash)
    }

    /// What the person should know about it.
    var notices: [String] {
        isContinued
            ? ["an import of this file was interrupted: this completes it, and both are one action"]
            : []
    }

    /// Records what is to be done in one transaction.
    ///
    /// - Parameters:
    ///   - isLast: Whether no other transaction follows.
    ///   - summary: What became of all rows so far.
    /// - Returns: Whether anything was recorded.
    mutating func record(
        _ drafts: [Draft], isLast: Bool, today: Day, _ summary: ImportSummary
    ) throws -> Bool {
        guard let id else { return false }
        var drafts = drafts
        if let note = note(isLast: isLast, isNeeded: !drafts.isEmpty, summary, today) {
            drafts.append(note)
        }
        guard !drafts.isEmpty else { return false }
        try replica.record(drafts, group: id)
        return true
    }

    private mutating func note(
        isLast: Bool, isNeeded: Bool, _ summary: ImportSummary, _ today: Day
    ) -> Draft? {
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
        ended.newRows = Int64(summary.new)
        ended.sameRows = Int64(summary.same)
        ended.changedRows = Int64(summary.changed)
        ended.rejectedRows = Int64(summary.rejected)
        return .edit(from: begun, to: ended, today: today)
    }
}
