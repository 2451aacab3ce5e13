public import MacrologEvents

/// The reminders that are due between two moments of local time.
///
/// A reminder that is meant only for what is missing keeps quiet once the thing is logged. A time that
/// a change of the clocks skips is due when the clocks have sprung; one that comes twice is due once,
/// as long as the next check begins where the previous one ended.
public struct DueReminders: Hashable, Sendable {
    /// A moment as local clocks show it.
    package struct Moment: Hashable, Comparable, Sendable {
        /// The civil day.
        package let day: Day
        /// Minutes after midnight, 0 to 1,439.
        package let minute: Int64

        /// A minute of a civil day.
        package init(day: Day, minute: Int64) {
            self.day = day
            self.minute = minute
        }

        /// The day that the moment counts for, where days begin at a minute after midnight.
        package func day(beginningAt start: Int64) -> Day {
            minute < start ? day.advanced(by: -1) : day
        }

        /// Order in time.
        package static func < (left: Moment, right: Moment) -> Bool {
            left.day == right.day ? left.minute < right.minute : left.day < right.day
        }
    }

    /// What was already logged on a day.
    package struct Logged: Hashable, Sendable {
        /// The meal slots with a meal: `breakfast`, or a person's own slot.
        package var slots: [UTF8Text]
        /// Whether a weight was logged.
        package var hasWeight: Bool
        /// Whether the water target was reached or, without a target, any water was logged.
        package var hasWater: Bool
        /// The person's status of the record.
        package var status: DayStatus
        /// Whether a fast is on.
        package var isFasting: Bool

        /// What was already logged on a day; nothing by default.
        package init(
            slots: [UTF8Text] = [], hasWeight: Bool = false, hasWater: Bool = false,
            status: DayStatus = .open, isFasting: Bool = false
        ) {
            self.slots = slots
            self.hasWeight = hasWeight
            self.hasWater = hasWater
            self.status = status
            self.isFasting = isFasting
        }
    }

    /// One reminder that is due.
    public struct Due: Hashable, Sendable {
        /// The id of the reminder that is due.
        public let id: Identifier
        /// What it reminds of.
        public let subject: ReminderKind
        package let moment: Moment
        /// The meal slot, of a reminder of a meal.
        public let slot: UTF8Text?

        /// The civil day on which it was due.
        public var day: Day { moment.day }

        /// When it was due on that day, in minutes after midnight by local clocks, 0 to 1,439.
        public var minute: Int64 { moment.minute }

        /// Its text, in neutral words.
        public func text(slots: [MealSlot] = MealSlot.standard) -> String {
            switch subject {
            case .meal:
                let name = MealSlot.name(of: slot, among: slots)
                return "Nothing is logged for \(name.string) yet."
            case .weight: return "The weight of the day is not logged yet."
            case .water: return "There is still water to drink."
            case .fast: return "The time you chose for a fast has come."
            case .goal: return "The day can be looked over and marked complete."
            }
        }
    }

    /// Due reminders, by time and then by id.
    public let due: [Due]
    /// Where the next check begins. Keep it; it goes back by at most a day, as on a flight to the west,
    /// so no reminder of a day comes twice.
    package let checkedUntil: Moment

    /// How far back a check looks, in days: a machine that slept all week reminds of today.
    package static let daysBackMax = 1

    /// Finds the reminders that are due after one moment, up to and including another.
    ///
    /// - Parameters:
    ///   - reminders: Those that are not deleted.
    ///   - earlier: Where the check before ended; `nil` for the first, which looks at this minute.
    ///   - now: The local clock.
    ///   - slots: The person's meals of a day: a reminder of a meal without a slot means the one at
    ///     its time.
    ///   - dayStart: When a day begins, in minutes after midnight. A time before it counts for the day before, of
    ///     which the weekday counts, too.
    ///   - logged: Returns what was already logged on a day.
    package init(
        _ reminders: [Reminder], after earlier: Moment?, until now: Moment,
        slots: [MealSlot] = MealSlot.standard, dayStart: Int64 = 0, logged: (Day) -> Logged
    ) {
        // A clock that once ran far ahead must not silence the reminders until then.
        let tomorrow = Moment(day: now.day.advanced(by: 1), minute: now.minute)
        let earlier = earlier.flatMap { $0 > tomorrow ? nil : $0 }
        let first = now.day.advanced(by: -DueReminders.daysBackMax)
        let start = max(
            earlier ?? DueReminders.minuteBefore(now), Moment(day: first, minute: -1))
        checkedUntil = max(earlier ?? now, now)
        var due: [Due] = []
        for day in first...now.day {
            let candidates = reminders.filter { reminder in
                let moment = Moment(day: day, minute: reminder.minute)
                return reminder.isEnabled && reminder.isMeant(at: moment, dayStart: dayStart)
                    && start < moment && moment <= now
            }
            for reminder in candidates {
                guard let subject = reminder.subject else { continue }
                let moment = Moment(day: day, minute: reminder.minute)
                let facts = logged(moment.day(beginningAt: dayStart))
                let slot = DueReminders.slot(of: reminder, among: slots)
                if reminder.onlyIfMissing, DueReminders.isDone(subject, slot, facts) { continue }
                due.append(
                    Due(id: reminder.id, subject: subject, moment: moment, slot: slot))
            }
        }
        self.due = due.sorted {
            $0.moment == $1.moment ? $0.id < $1.id : $0.moment < $1.moment
        }
    }

    private static func isDone(_ subject: ReminderKind, _ slot: UTF8Text?, _ day: Logged) -> Bool {
        switch subject {
        // Who fasts, or has closed the day, is not asked about a meal.
        case .meal:
            day.isFasting || day.status != .open || slot.map(day.slots.contains) == true
        case .weight: day.hasWeight
        case .water: day.hasWater
        case .fast: day.isFasting
        case .goal: day.status != .open
        }
    }

    /// The slot of a meal reminder: its own, else the one at its time.
    static func slot(of reminder: Reminder, among slots: [MealSlot]) -> UTF8Text? {
        guard reminder.subject == .meal else { return nil }
        return reminder.slot ?? MealSlot.key(at: reminder.minute, among: slots)
    }

    private static func minuteBefore(_ moment: Moment) -> Moment {
        Moment(day: moment.day, minute: moment.minute - 1)
    }
}

extension Reminder {
    /// The next time it is due after a moment, within a week; `nil` when it is off, or of a kind
    /// that this version does not know. Does not consider whether it will be logged by then.
    package func next(
        after moment: DueReminders.Moment, dayStart: Int64 = 0
    ) -> DueReminders.Moment? {
        guard isEnabled, subject != nil else { return nil }
        for days in 0...7 {
            let next = DueReminders.Moment(day: moment.day.advanced(by: days), minute: minute)
            if isMeant(at: next, dayStart: dayStart), moment < next { return next }
        }
        return nil
    }

    /// Whether it is for the weekday of a moment.
    fileprivate func isMeant(at moment: DueReminders.Moment, dayStart: Int64) -> Bool {
        weekdays & 1 << Int64(moment.day(beginningAt: dayStart).weekday - 1) != 0
    }

    /// Its subject, in a word or two: `Lunch`, `weight`.
    public func thing(slots: [MealSlot] = MealSlot.standard) -> UTF8Text {
        guard subject == .meal else { return subject?.name ?? "something newer" }
        return MealSlot.name(of: DueReminders.slot(of: self, among: slots), among: slots)
    }
}

extension MealSlot {
    /// The name of a meal slot; its key if it is unknown.
    static func name(of key: UTF8Text?, among slots: [MealSlot]) -> UTF8Text {
        slots.first { $0.key == key }?.name ?? key ?? "meal"
    }
}

/// The next time of a reminder.
public struct NextReminder: Hashable, Sendable {
    /// The reminder that comes next.
    public let reminder: Reminder
    package let moment: DueReminders.Moment

    /// The civil day on which it is due.
    public var day: Day { moment.day }

    /// When it is due on that day, in minutes after midnight by local clocks, 0 to 1,439.
    public var minute: Int64 { moment.minute }

    /// Collects the parts.
    package init(reminder: Reminder, moment: DueReminders.Moment) {
        self.reminder = reminder
        self.moment = moment
    }
}
