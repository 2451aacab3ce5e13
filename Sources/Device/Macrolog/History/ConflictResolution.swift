public import MacrologDiary
import MacrologEvents
import MacrologNutrition
import MacrologReadModels

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
