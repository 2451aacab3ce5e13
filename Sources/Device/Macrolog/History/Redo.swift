import MacrologDiary
public import MacrologEvents
import MacrologNutrition
import MacrologReadModels

extension Replica {
    /// Redoes what this device undid last, by new events that give every cell the value it had
    /// before the undo. Cells that any other event has changed since stay as they are and are
    /// reported.
    ///
    /// - Throws: ``HistoryError`` with code `nothingToRedo`, or with code `supersededByLaterEdits` when
    ///   everything that the undo wrote has been changed since.
    @discardableResult
    public func redo() throws -> UndoResult {
        try withDiary { try $0.redo() }
    }

    /// Undoes the action that an event is part of: any earlier action, even another device's.
    /// Undoing an undo redoes the action.
    ///
    /// - Throws: ``HistoryError`` with code `noSuchEvent`, `alreadyUndone`, or `supersededByLaterEdits` when
    ///   everything that the action wrote has been changed since.
    @discardableResult
    public func undo(_ event: Dot) throws -> UndoResult {
        try withDiary { try $0.undo(event) }
    }

    /// Undoes the action whose events share a group; see ``undo(_:)``.
    @discardableResult
    public func undo(group: Identifier) throws -> UndoResult {
        try withDiary { try $0.undo(group: group) }
    }
}
