import MacrologDiary
public import MacrologEvents
import MacrologNutrition
import MacrologReadModels

extension Replica {
    /// Undoes this device's latest action that is not undone, by new events that set every cell to
    /// the value it would have without the action. Nothing recorded is removed.
    ///
    /// Cells that another event has changed since stay as they are and are reported. An addition is
    /// undone by a deletion, a deletion by a restore. The undone action is marked on an entity of
    /// the kind `action`, whose id is the action's group or, for a single event, computed from its
    /// dot.
    ///
    /// - Throws: ``HistoryError`` with code `nothingToUndo`, or with code `supersededByLaterEdits` when
    ///   everything that the action wrote has been changed since.
    @discardableResult
    public func undo() throws -> UndoResult {
        try withDiary { try $0.undo() }
    }
}
