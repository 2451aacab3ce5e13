import MacrologLog
public import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite

/// Reminders: what is due at a moment, and which reminders this device has already shown.
extension Diary {
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
    ) throws(DiaryError) -> DueReminders {
        let earlier = try withStore { store throws(LogError) in
            sinceLast
                ? try store.db.first("SELECT reminded_minute FROM maintenance") { $0.intOrNull(0) }
                : nil
        }
        return try dueReminders(
            at: instant ?? now, after: earlier.flatMap { $0 }.map { .init(minutes: $0) })
    }

    /// The reminders that came due after a moment, at most a day ago; at this minute, when it is `nil`.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC.
    package func dueReminders(
        at instant: Int64, after earlier: DueReminders.Moment?
    ) throws(DiaryError) -> DueReminders {
        let moment = DueReminders.Moment(
            instant: instant, offsetMinutes: clock.offsetMinutes(instant))
        return try withStore { store throws(LogError) in
            var days: [Day: DueReminders.Logged] = [:]
            let preferences = try store.preferences()
            // The first times of the first day may count for the day before.
            let first = moment.day.advanced(by: -DueReminders.daysBackMax - 1)
            let reminders = try store.entities(Reminder.self)
            if !reminders.isEmpty {
                for day in first...moment.day {
                    days[day] = try store.logged(on: day, at: instant)
                }
            }
            return DueReminders(
                reminders, after: earlier, until: moment,
                slots: preferences.mealSlots ?? MealSlot.standard,
                dayStart: preferences.dayStartMinutes ?? 0,
                logged: { days[$0] ?? DueReminders.Logged() })
        }
    }

    /// Stores, on this device, that the person was reminded.
    public mutating func markReminded(_ due: DueReminders) throws(DiaryError) {
        try groupFirst()
        try withStore { store throws(LogError) in
            try store.db.run(
                "UPDATE maintenance SET reminded_minute = ?", due.checkedUntil.minutes)
        }
    }

    /// When the next reminder after an instant is due, both in milliseconds since 1970 UTC; `nil` for never.
    package func nextReminderInstant(after instant: Int64) throws(DiaryError) -> Int64? {
        guard let next = try nextReminder(after: instant) else { return nil }
        let local = next.moment.minutes * 60_000
        // The clocks may change before it.
        let guess = local - clock.offsetMinutes(instant) * 60_000
        return local - clock.offsetMinutes(guess) * 60_000
    }

    /// The next time of each active reminder after a moment. Whether it is then skipped, because
    /// the meal is logged, is decided at that time.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given.
    func nextReminder(
        after instant: Int64? = nil
    ) throws(DiaryError) -> NextReminder? {
        let instant = instant ?? now
        let moment = DueReminders.Moment(
            instant: instant, offsetMinutes: clock.offsetMinutes(instant))
        let dayStart = try preferences().dayStartMinutes ?? 0
        return try withStore { store throws(LogError) in try store.entities(Reminder.self) }
            .compactMap { reminder in
                reminder.next(after: moment, dayStart: dayStart).map {
                    NextReminder(reminder: reminder, moment: $0)
                }
            }
            .min {
                $0.moment == $1.moment
                    ? $0.reminder.id < $1.reminder.id : $0.moment < $1.moment
            }
    }
}

extension Store {
    /// What a day already has.
    fileprivate mutating func logged(
        on day: Day, at instant: Int64
    ) throws(LogError) -> DueReminders.Logged {
        let summary = try summary(of: day, today: day)
        let water = try hydration(on: day, today: day)
        let hasWater = water.remainingMicroliters.map { $0 <= 0 } ?? (water.servings > 0)
        return DueReminders.Logged(
            slots: summary.slots.map { $0.key }, hasWeight: try !weighIns(on: day...day).isEmpty,
            hasWater: hasWater, status: summary.status,
            isFasting: try fasting().active(at: instant) != nil)
    }
}

extension DueReminders.Moment {
    /// Whole minutes of the wall clock since 1970.
    package var minutes: Int64 { day.number * 1_440 + minute }

    package init(minutes: Int64) {
        let day = minutes >= 0 ? minutes / 1_440 : (minutes - 1_439) / 1_440
        self.init(day: Day(number: day) ?? .earliest, minute: minutes - day * 1_440)
    }

    /// The wall clock's time at an instant.
    init(instant: Int64, offsetMinutes: Int64) {
        let minute = WallClock.minuteOfDay(of: instant, offset: offsetMinutes)
        let local = instant + offsetMinutes * 60_000 - minute * 60_000
        let day = local >= 0 ? local / 86_400_000 : (local - 86_399_999) / 86_400_000
        self.init(day: Day(number: day) ?? .earliest, minute: minute)
    }
}
