import MacrologEvents
import MacrologNutrition
import Testing

/// Goal: every story of clocks and zones ends on the right day.
/// Method: zones as rules of offsets by instant, so that no database of the system decides.
@Suite struct WallClockTests {
    static func utc(_ day: String, _ hour: Int64, _ minute: Int64) -> Int64 {
        LocalDateTests.utc(day, hour, minute)
    }

    /// New York in 2026: UTC less five hours, less four from 8 March 07:00 UTC to 1 November 06:00 UTC.
    static func newYork(_ instant: Int64) -> Int64 {
        (utc("2026-03-08", 7, 0)..<utc("2026-11-01", 6, 0)).contains(instant) ? -240 : -300
    }

    /// Lord Howe in 2026: 10:30 ahead from 4 April 15:00 UTC to 3 October 15:30 UTC, else 11:00.
    static func lordHowe(_ instant: Int64) -> Int64 {
        (utc("2026-04-04", 15, 0)..<utc("2026-10-03", 15, 30)).contains(instant) ? 630 : 660
    }

    static func instants(
        _ day: String, _ hour: Int64, _ minute: Int64, _ zone: (Int64) -> Int64
    ) -> [Int64] {
        WallClock.instants(
            of: Day(day) ?? .earliest, minuteOfDay: hour * 60 + minute, offsetMinutes: zone)
    }

    @Test func `02:30 does not exist when the clocks of New York spring forward`() {
        #expect(Self.instants("2026-03-08", 2, 30, Self.newYork) == [])
        #expect(
            Self.instants("2026-03-08", 1, 59, Self.newYork) == [Self.utc("2026-03-08", 6, 59)])
        #expect(
            Self.instants("2026-03-08", 3, 0, Self.newYork) == [Self.utc("2026-03-08", 7, 0)])
    }

    @Test func `01:30 comes twice when they fall back, an hour apart`() {
        #expect(
            Self.instants("2026-11-01", 1, 30, Self.newYork)
                == [Self.utc("2026-11-01", 5, 30), Self.utc("2026-11-01", 6, 30)])
        #expect(Self.instants("2026-11-01", 2, 0, Self.newYork).count == 1)
    }

    @Test func `Lord Howe skips and repeats half an hour`() {
        #expect(Self.instants("2026-10-04", 2, 15, Self.lordHowe) == [])
        #expect(Self.instants("2026-10-04", 2, 30, Self.lordHowe).count == 1)
        let twice = Self.instants("2026-04-05", 1, 45, Self.lordHowe)
        #expect(twice.count == 2)
        #expect(twice[1] - twice[0] == 30 * 60_000)
    }

    @Test func `on every minute of a year the clock shows what was asked, or skips it`() {
        for day in (Day("2026-01-01") ?? .earliest)...(Day("2026-12-31") ?? .earliest) {
            for minute in stride(from: Int64(0), to: 1_440, by: 15) {
                let found = WallClock.instants(
                    of: day, minuteOfDay: minute, offsetMinutes: Self.newYork)
                for instant in found {
                    let date = LocalDate(
                        instant: instant, zone: nil, offsetMinutes: Self.newYork(instant))
                    #expect(date?.day == day && date?.minuteOfDay == minute)
                }
                let isOdd = day.description == "2026-03-08" || day.description == "2026-11-01"
                if !isOdd { #expect(found.count == 1) }
            }
        }
    }

    @Test func `an export that knows only days keeps its days in any zone`() throws {
        // A naive midnight in UTC would be the evening before in New York.
        let day = try #require(Day("2026-11-20"))
        let date = LocalDate(day: day)
        #expect(LocalDate(date.value)?.day == day)
        #expect(date.occurredAt == nil && date.minuteOfDay == nil)
        #expect(
            Day(instant: Self.utc("2026-11-20", 0, 0), offsetMinutes: -300) == day.advanced(by: -1))
    }

    @Test func `a changed day start moves no entry that was made`() throws {
        let snack = try #require(
            LocalDate(
                instant: Self.utc("2026-11-21", 0, 40), zone: "Europe/London", offsetMinutes: 0,
                dayStartMinutes: 240))
        #expect(snack.day.description == "2026-11-20")
        #expect(LocalDate(snack.value) == snack, "the day is data, not a function of the instant")
    }

    @Test func `a flight over the date line counts by the clock where one eats`() {
        // 21 November in Kiritimati is 20 November in Honolulu, at one instant.
        let instant = Self.utc("2026-11-20", 22, 0)
        #expect(Day(instant: instant, offsetMinutes: 840)?.description == "2026-11-21")
        #expect(Day(instant: instant, offsetMinutes: -600)?.description == "2026-11-20")
    }
}
