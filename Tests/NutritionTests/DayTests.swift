import MacrologEvents
import MacrologNutrition
import Testing

@Suite struct DayTests {
    @Test func `every day from 1900 to 2200 has one number and one civil date`() throws {
        var day = Day.earliest
        var (year, month, date) = (1900, 1, 1)
        for number in -25_567...84_370 as ClosedRange<Int64> {
            let civil = day.civil
            guard civil.year == year, civil.month == month, civil.day == date,
                day.number == number, Day(year: year, month: month, day: date) == day
            else {
                Issue.record("day \(number) is \(civil), not \(year)-\(month)-\(date)")
                return
            }
            date += 1
            if Day(year: year, month: month, day: date) == nil {
                (month, date) = month == 12 ? (1, 1) : (month + 1, 1)
                if month == 1 { year += 1 }
            }
            day = day.advanced(by: 1)
        }
        #expect(year == 2201)
        #expect(day == Day.latest)
    }

    @Test func `a day is written and read as year, month and day`() throws {
        let day = try #require(Day("2026-11-20"))
        #expect(day.number == 20_777)
        #expect(day.description == "2026-11-20")
        #expect(Day("1970-01-01")?.number == 0)
        #expect(Day.earliest.description == "1900-01-01")
        #expect(Day.latest.description == "2200-12-31")
    }

    @Test(arguments: [
        "", "2026-11-31", "2026-02-29", "2100-02-29", "2026-13-01", "2026-00-10", "2026-1-1",
        "1899-12-31", "2201-01-01", "20261120", "2026/11/20", "2026-11-20 ", "２０２６-11-20",
    ])
    func `what is no date is no day`(text: String) {
        #expect(Day(text) == nil)
    }

    @Test func `people name days by words, weekdays and steps`() throws {
        let friday = try #require(Day("2026-11-20"))
        func read(_ words: String) -> String? { Day.reading(words, today: friday)?.description }
        #expect(read("today") == "2026-11-20")
        #expect(read(" Yesterday ") == "2026-11-19")
        #expect(read("tomorrow") == "2026-11-21")
        #expect(read("-3") == "2026-11-17")
        #expect(read("+2") == "2026-11-22")
        #expect(read("friday") == "2026-11-20")
        #expect(read("sat") == "2026-11-14")
        #expect(read("MON") == "2026-11-16")
        #expect(read("2024-02-29") == "2024-02-29")
        for words in ["", "-", "-x", "-99999999999999999999", "+999999", "someday", "fr"] {
            #expect(read(words) == nil)
        }
    }

    @Test func `days of the week follow ISO 8601`() throws {
        let cases = [
            ("2026-11-20", 5), ("2021-01-03", 7), ("2018-12-31", 1), ("2016-01-01", 5),
            ("1900-01-01", 1), ("2200-12-31", 3), ("2020-12-31", 4),
        ]
        for (text, weekday) in cases { #expect(Day(text)?.weekday == weekday, "\(text)") }
    }

    @Test func `a week starts where the person says, and a month is the calendar's`() throws {
        let friday = try #require(Day("2026-11-20"))
        #expect(friday.week().lowerBound.description == "2026-11-16")
        #expect(friday.week(startingOn: 7).lowerBound.description == "2026-11-15")
        #expect(friday.week(startingOn: 6).upperBound.description == "2026-11-20")
        let february = try #require(Day("2024-02-10")).calendarMonth
        #expect(february.lowerBound.description == "2024-02-01")
        #expect(february.upperBound.description == "2024-02-29")
        #expect(friday.lastDays(7).lowerBound.description == "2026-11-14")
        #expect(friday.lastDays(7).count == 7)
    }

    @Test func `steps beyond the calendar end on its last day`() {
        #expect(Day.latest.advanced(by: 1) == Day.latest)
        #expect(Day.earliest.advanced(by: Int.min) == Day.earliest)
        #expect(Day(number: .max) == nil)
    }

    @Test func `who is born on 29 February turns a year older on 1 March`() throws {
        let birth = try #require(Day("2000-02-29"))
        func age(_ day: String) -> Int? { Day(day)?.age(bornOn: birth) }
        #expect(age("2026-02-28") == 25)
        #expect(age("2026-03-01") == 26)
        #expect(age("2024-02-28") == 23)
        #expect(age("2024-02-29") == 24)
        #expect(age("2000-02-28") == nil)
        #expect(age("2000-02-29") == 0)
    }
}

/// Goal: the day of an entry is decided once, from its instant and offset, and never moves again.
@Suite struct LocalDateTests {
    /// Milliseconds of a UTC date and time.
    static func utc(_ day: String, _ hour: Int64, _ minute: Int64) -> Int64 {
        (Day(day)?.number ?? 0) * 86_400_000 + (hour * 60 + minute) * 60_000
    }

    struct Fixture: Sendable, CustomTestStringConvertible {
        let story: String
        let instant: Int64
        let offset: Int64
        var start: Int64 = 0
        let day: String
        var testDescription: String { story }
    }

    static let fixtures: [Fixture] = [
        Fixture(
            story: "23:30 in New York", instant: utc("2026-11-21", 4, 30), offset: -300,
            day: "2026-11-20"),
        Fixture(
            story: "the second before the clocks of New York spring forward",
            instant: utc("2026-03-08", 6, 59), offset: -300, day: "2026-03-08"),
        Fixture(
            story: "the minute after they sprang", instant: utc("2026-03-08", 7, 0), offset: -240,
            day: "2026-03-08"),
        Fixture(
            story: "01:30 before they fall back", instant: utc("2026-11-01", 5, 30), offset: -240,
            day: "2026-11-01"),
        Fixture(
            story: "01:30 again", instant: utc("2026-11-01", 6, 30), offset: -300,
            day: "2026-11-01"),
        Fixture(
            story: "Lord Howe in summer", instant: utc("2026-01-01", 13, 0), offset: 660,
            day: "2026-01-02"),
        Fixture(
            story: "Lord Howe in winter, thirty minutes earlier",
            instant: utc("2026-07-01", 13, 29), offset: 630, day: "2026-07-01"),
        Fixture(
            story: "Kathmandu", instant: utc("2026-05-05", 18, 15), offset: 345,
            day: "2026-05-06"),
        Fixture(
            story: "Kiritimati", instant: utc("2026-05-05", 10, 0), offset: 840,
            day: "2026-05-06"),
        Fixture(
            story: "the far side of the date line", instant: utc("2026-05-05", 10, 0),
            offset: -660, day: "2026-05-04"),
        Fixture(
            story: "a snack at 00:40 when days begin at 04:00",
            instant: utc("2026-11-21", 0, 40), offset: 0, start: 240, day: "2026-11-20"),
        Fixture(
            story: "breakfast at 04:00 when days begin at 04:00",
            instant: utc("2026-11-21", 4, 0), offset: 0, start: 240, day: "2026-11-21"),
        Fixture(
            story: "before 1970", instant: utc("1969-12-31", 23, 59), offset: 0,
            day: "1969-12-31"),
    ]

    @Test(arguments: fixtures)
    func `an instant and an offset make a day`(fixture: Fixture) {
        let date = LocalDate(
            instant: fixture.instant, zone: nil, offsetMinutes: fixture.offset,
            dayStartMinutes: fixture.start)
        #expect(date?.day.description == fixture.day)
    }

    @Test func `01:30 happens twice, and the offset tells them apart`() throws {
        let first = LocalDate(
            instant: Self.utc("2026-11-01", 5, 30), zone: "America/New_York", offsetMinutes: -240)
        let second = LocalDate(
            instant: Self.utc("2026-11-01", 6, 30), zone: "America/New_York", offsetMinutes: -300)
        #expect(first?.minuteOfDay == 90)
        #expect(second?.minuteOfDay == 90)
        #expect(first != second)
    }

    @Test func `an entry of New York read in Paris stays on its day`() throws {
        let date = try #require(
            LocalDate(
                instant: Self.utc("2026-11-21", 4, 30), zone: "America/New_York",
                offsetMinutes: -300))
        let read = try #require(LocalDate(date.value))
        #expect(read == date)
        #expect(read.day.description == "2026-11-20")
        let inParis = Day(instant: try #require(read.occurredAt), offsetMinutes: 60)
        #expect(inParis?.description == "2026-11-21")
    }

    @Test func `an offset of more than fourteen hours is refused`() {
        #expect(Day(instant: 0, offsetMinutes: 841) == nil)
        #expect(Day(instant: 0, offsetMinutes: 0, dayStartMinutes: 481) == nil)
        #expect(Day(instant: .max, offsetMinutes: 840) == nil)
        #expect(Day(instant: .min, offsetMinutes: -840) == nil)
    }

    @Test(arguments: [
        [] as Value, [20_777], [20_777, .null, .null, .null, .null],
        ["2026-11-20", .null, .null, .null],
        [999_999, .null, .null, .null], [20_777, "now", .null, .null],
        [20_777, .int(.max), .null, .null], [20_777, .null, "not a zone", .null],
        [20_777, .null, .null, 900], 20_777, "2026-11-20",
    ])
    func `what is no day with its clock is refused`(value: Value) {
        #expect(LocalDate(value) == nil)
    }
}
