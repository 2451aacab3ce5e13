import MacrologEvents
import MacrologNutrition
import Testing

/// Goal: what comes next is the first time after a moment, on a day that the reminder has.
@Suite struct NextReminderTests {
    // 2026-11-20 is a Friday.
    private let friday = Day("2026-11-20") ?? .earliest

    private func reminder(weekdays: Int64 = 127) -> Reminder {
        var reminder = Reminder(id: Identifier(high: 0, low: 1), of: .meal, atMinute: 750)
        reminder.weekdays = weekdays
        return reminder
    }

    private func next(_ reminder: Reminder, days: Int = 0, minute: Int64) -> Int? {
        reminder.next(
            after: DueReminders.Moment(day: friday.advanced(by: days), minute: minute)
        ).map { friday.distance(to: $0.day) }
    }

    @Test func `it comes later today, else tomorrow, else on its next weekday`() {
        #expect(next(reminder(), minute: 749) == 0)
        #expect(next(reminder(), minute: 750) == 1, "the moment itself is over")
        #expect(next(reminder(weekdays: 1), minute: 0) == 3, "Monday")
        #expect(next(reminder(weekdays: 16), minute: 749) == 0, "Friday")
        #expect(next(reminder(weekdays: 16), minute: 750) == 7, "Friday next week")
    }

    @Test func `one that is off comes never`() {
        var off = reminder()
        off.isEnabled = false
        #expect(next(off, minute: 0) == nil)
    }

    @Test(arguments: [(0, 0, 0), (3_600_000, 0, 60), (0, -60, 1_380), (-1, 0, 1_439), (-1, 60, 59)])
    func `clocks show minutes after midnight`(instant: Int64, offset: Int64, minute: Int64) {
        #expect(WallClock.minuteOfDay(of: instant, offset: offset) == minute)
    }

    @Test func `a thing is called by its meal`() {
        #expect(reminder().thing() == "Lunch")
        var dinner = reminder()
        dinner.slot = "dinner"
        #expect(dinner.thing() == "Dinner")
        #expect(Reminder(id: dinner.id, of: .weight, atMinute: 0).thing() == "weight")
    }
}
