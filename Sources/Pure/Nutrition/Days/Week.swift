/// Weeks, months and ages: what the calendar says about spans of days.
extension Day {
    /// 1 for Monday to 7 for Sunday (ISO 8601).
    package var weekday: Int {
        Int((number % 7 + 10) % 7) + 1
    }

    /// The seven days that hold this one.
    ///
    /// - Parameter firstWeekday: 1 for Monday to 7 for Sunday; other numbers count as Monday.
    public func week(startingOn firstWeekday: Int = 1) -> ClosedRange<Day> {
        let start = (1...7).contains(firstWeekday) ? firstWeekday : 1
        let first = advanced(by: -((weekday - start + 7) % 7))
        return first...first.advanced(by: 6)
    }

    /// The calendar month that holds this day.
    public var calendarMonth: ClosedRange<Day> {
        let (year, month, day) = civil
        let first = advanced(by: 1 - day)
        return first...first.advanced(by: Day.length(ofMonth: month, year: year) - 1)
    }

    /// The days that end with this one: `lastDays(7)` is today and the six days before.
    public func lastDays(_ count: Int) -> ClosedRange<Day> {
        advanced(by: 1 - max(count, 1))...self
    }

    /// Whole years of life on this day; `nil` before the birth.
    ///
    /// A person born on 29 February turns a year older on 1 March of a common year.
    package func age(bornOn birth: Day) -> Int? {
        guard birth <= self else { return nil }
        let (now, then) = (civil, birth.civil)
        let hadBirthday = (now.month, now.day) >= (then.month, then.day)
        return now.year - then.year - (hadBirthday ? 0 : 1)
    }
}
