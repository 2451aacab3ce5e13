public import MacrologDiary
public import MacrologEvents
package import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels

/// Reading the log itself: which device recorded what, in which order, and what it had seen.
extension Replica {
    /// The last events, newest first: this device's unsealed ones, then those of every device.
    package func latestEvents(_ limit: Int = 20) throws -> [LoggedEvent] {
        try withDiary { try $0.latestEvents(limit) }
    }

    /// The events that touched an entity, oldest first.
    package func history(of entity: EntityKey) throws -> [LoggedEvent] {
        try withDiary { try $0.history(of: entity) }
    }

    /// The events that touched an entity, oldest first.
    package func history<E: Entity>(of type: E.Type, _ id: Identifier) throws -> [LoggedEvent] {
        try withDiary { try $0.history(of: type, id) }
    }

    /// All conflicts, with the vector clocks that decided them. The author of the value that is
    /// shown does not conflict with it.
    package func conflicts() throws -> [Conflict] {
        try withDiary { try $0.conflicts() }
    }

    /// The short names of devices, the same on every replica: `a` for the device whose first event
    /// the server admitted first.
    package func notation() throws -> Notation {
        try withDiary { try $0.notation() }
    }
}

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

extension Replica {
    /// The log as of an earlier time: a replica in memory with the events up to a moment and no
    /// others, which is read like any other. Recording into it is refused with code
    /// `readOnlySnapshot`.
    ///
    /// It folds the events again, so it takes time and memory in proportion to the log.
    ///
    /// - Throws: ``HistoryError`` with code `noSuchEvent`, or `compacted` where the log no longer
    ///   holds what is requested.
    public func snapshot(asOf: AsOf) throws -> Replica {
        try withDiary { Replica(copy: try $0.snapshot(asOf: asOf).closed(), of: self) }
    }

    /// The events that touched an entity up to a moment, oldest first.
    package func history(of entity: EntityKey, asOf: AsOf) throws -> [LoggedEvent] {
        try withDiary { try $0.history(of: entity, asOf: asOf) }
    }
}

/// Resolving conflicts. (`protocol.md` §7.6)
extension Replica {
    /// Resolves conflicts by ordinary events that write the chosen values again: these have seen
    /// every value, so each conflict is resolved on every device, permanently. All in one
    /// transaction, and undone as one action.
    ///
    /// A deleted entity stays deleted. If devices resolve one conflict concurrently, they agree if
    /// both chose the same value, and otherwise conflict about the two choices.
    ///
    /// - Throws: ``HistoryError`` with code `conflictChanged` when a conflict is no longer what the
    ///   person was shown, or `invalid` when the chosen value breaks a hard bound.
    public func resolve(_ resolutions: [ConflictResolution]) throws {
        try withDiary { try $0.resolve(resolutions) }
    }
}
