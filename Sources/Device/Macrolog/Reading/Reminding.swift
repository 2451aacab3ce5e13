import MacrologDiary
import MacrologEvents
public import MacrologNutrition
import MacrologReadModels

/// Reminders: what is due at a moment, and which reminders this device has already shown.
extension Replica {
    /// The reminders that are due.
    ///
    /// Returns the same reminders again until ``markReminded(_:)`` is called. Times are local
    /// times: one that is skipped when clocks are put forward is due afterwards, and one that comes
    /// twice when they are put back is due once.
    ///
    /// - Parameters:
    ///   - instant: Milliseconds since 1970 UTC; now, when not given.
    ///   - sinceLast: Whether to return everything that came due since this device's last check, at
    ///     most one day; otherwise only this minute.
    public func dueReminders(
        at instant: Int64? = nil, sinceLast: Bool = true
    ) throws -> DueReminders {
        try withDiary { try $0.dueReminders(at: instant, sinceLast: sinceLast) }
    }

    /// Stores, on this device, that the person was reminded.
    public func markReminded(_ due: DueReminders) throws {
        try withDiary { try $0.markReminded(due) }
    }

    /// The next time of each active reminder after a moment. Whether it is then skipped, because
    /// the meal is logged, is decided at that time.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given.
    public func nextReminder(
        after instant: Int64? = nil
    ) throws -> (reminder: Reminder, moment: DueReminders.Moment)? {
        try withDiary { try $0.nextReminder(after: instant) }
    }
}
