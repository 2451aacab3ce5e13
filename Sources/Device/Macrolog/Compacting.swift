import MacrologLog
import MacrologNutrition
public import MacrologReadModels
import MacrologSQLite

/// Giving up how things came about, long ago, and keeping what they came to (`protocol.md` §7.8).
extension Replica {
    /// Days of history that are kept at least.
    public static let historyDaysMin: Int64 = 30

    /// Gives up what the events recorded so many days ago or earlier said, where others had written
    /// over all of it by then. Days, totals, conflicts and whatever an old device may still bring are
    /// not touched; the history before that day is no longer complete, and can't be gone back to.
    ///
    /// Takes a few hundred events at a time, each time durably. Interrupted, it is begun again.
    ///
    /// - Parameters:
    ///   - days: ``historyDaysMin`` or more, counted back from the newest event that the server has
    ///     admitted: no clock that runs ahead can make it give up more.
    ///   - isTrial: Only counts.
    ///   - progress: Told how many events have been looked at, of how many.
    @discardableResult
    public func compact(
        olderThanDays days: Int64, isTrial: Bool = false,
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> CompactionReport {
        let now = now
        return try withStore { store in
            let age = max(days, Self.historyDaysMin).multipliedReportingOverflow(by: 86_400_000)
            guard !age.overflow else { return try store.compact(before: 0) }
            let horizon = try min(now, store.newestSeal())
                .subtractingReportingOverflow(age.partialValue)
            guard !horizon.overflow else { return try store.compact(before: 0) }
            return try store.compact(
                before: horizon.partialValue, isTrial: isTrial, progress: progress)
        }
    }

    /// The moment before which the log is no longer complete, in milliseconds since 1970 UTC; `nil`
    /// where nothing was ever given up.
    public func compactedBefore() throws -> Int64? {
        try withStore { store in
            let moment = try store.compactedBefore()
            return moment == 0 ? nil : moment
        }
    }

    /// Gives the room that the file does not need any more back to the system.
    package func shrink() throws {
        try withStore { try $0.shrink() }
    }

    /// Compacts once a day, where the person has set after how many days
    /// (``Nutrition/Preferences/historyDays``).
    func compactIfDue() throws {
        guard let days = try preferences().historyDays else { return }
        let now = now
        let last = try withStore { try Memo.int(MemoName.compactionTime, in: &$0.db) }
        if let last, (0..<86_400_000).contains(now - last) { return }
        try compact(olderThanDays: days)
        try withStore { try Memo.set(MemoName.compactionTime, now, in: &$0.db) }
    }
}
