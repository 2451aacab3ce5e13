/// Weeks, months and ages: what the calendar says about spans of days.
extension Day {
    /// 1 for Monday to 7 for Sunday (ISO 8601).
    package var weekday: Int {
        Int((number % 7 + 10) % 7) + 1
    }

    /// The ISO 8601 week: week 1 holds the year's first Thursday, so the year of a week may differ
    /// from the year of its days.
    package var isoWeek: (year: Int, week: Int) {
        let thursday = number + Int64(4 - weekday)
        let year = Day(unchecked: thursday).year
        let newYear = Day(unchecked: thursday - Int64(Day(unchecked: thursday).dayOfYear - 1))
        return (year, Int(thursday - newYear.number) / 7 + 1)
    }

    /// 1 for 1 January to 366.
    package var dayOfYear: Int {
        let (year, month, day) = civil
        return (1..<month).reduce(day) { $0 + Day.length(ofMonth: $1, year: year) }
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
