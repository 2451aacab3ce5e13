import MacrologEvents
import MacrologNutrition

/// Reads the day and time of a row.
struct OwnDates: Sendable {
    /// How days are written, and the zone of times without one.
    let options: ImportOptions

    /// The day of a row. The stored value is kept if the row states the same.
    ///
    /// - Parameters:
    ///   - column: `local_date` or `date`.
    ///   - old: The stored value of the row's id.
    /// - Returns: `nil` if the row has no readable day; then it is rejected.
    func date(_ column: String, _ cells: inout OwnCells, old: LocalDate?) -> LocalDate? {
        let written = cells.text(column).map(Cell.trimmed)
        let refused = cells.problems.count
        let day = cells.parse(column, options.days.hint(insteadOf: written)) {
            Cell.day($0, options.days)
        }
        if day == nil, cells.problems.count == refused {
            cells.refuse(column, "is blank", options.days.hint(insteadOf: nil))
        }
        let seconds = cells.parse("time", "type a time such as 18:00") { Cell.seconds($0) }
        let moment = cells.parse("at", "type a time such as 2026-11-01T18:00:00+01:00") {
            OwnMoment($0)
        }
        guard let day, cells.problems.count == refused else { return nil }
        let zone = cells.text("tz").map { UTF8Text($0) }
        let said =
            moment.map { date(day, $0, timed($0, seconds, cells), zone, old) }
            ?? untimed(day, seconds, zone, old)
        guard LocalDate(said.value) != nil else {
            cells.refuse(column, "is outside what can be stored", "type a day from 1900 to 2200")
            return nil
        }
        return said
    }

    /// The moment, with the local time from the readable column, if that differs.
    private func timed(_ moment: OwnMoment, _ seconds: Int64?, _ cells: OwnCells) -> OwnMoment {
        guard let seconds, moment.offset != nil else { return moment }
        let hasSeconds =
            (cells.text("time")?.utf8.filter { $0 == UInt8(ascii: ":") }.count ?? 0) > 1
        let shown = moment.timeOfDay / 1_000
        let isSame = hasSeconds ? shown == seconds : shown / 60 == seconds / 60
        return isSame ? moment : moment.at(seconds: seconds)
    }

    /// - Parameters:
    ///   - written: The moment as it was exported, by which it is known whether the day was changed.
    ///   - moment: The same with the time that the row says.
    private func date(
        _ day: Day, _ written: OwnMoment, _ moment: OwnMoment, _ zone: UTF8Text?, _ old: LocalDate?
    ) -> LocalDate {
        var moment = moment
        if let old, old.day != day, OwnMoment(old) == written {
            // Another day for the same instant: the entry has moved with its time.
            moment = moment.moved(byDays: day.number - old.day.number)
        } else if let old, old.day == day, let instant = old.occurredAt,
            instant != moment.instant,
            OwnMoment(old) == moment.moved(byDays: (instant - moment.instant) / 86_400_000)
        {
            // The file was imported before: the day moved the entry, and its instant is stale.
            return old
        }
        return LocalDate(
            day: day, occurredAt: moment.instant, zone: zone ?? old?.zone,
            offsetMinutes: moment.offset)
    }

    /// A day without an instant: from version 0.1.0, without a time, or typed by hand.
    private func untimed(
        _ day: Day, _ seconds: Int64?, _ zone: UTF8Text?, _ old: LocalDate?
    ) -> LocalDate {
        if let old, old.day == day, seconds == old.minuteOfDay.map({ $0 * 60 + Self.second(old) }) {
            return old
        }
        guard let seconds, let instant = options.zone.instant(day, seconds / 60) else {
            return LocalDate(day: day, zone: zone)
        }
        return LocalDate(
            day: day, occurredAt: instant + seconds % 60 * 1_000, zone: options.zone.name,
            offsetMinutes: day.number * 1_440 + seconds / 60 - instant / 60_000)
    }

    /// The seconds that ``ClockTime`` writes.
    private static func second(_ date: LocalDate) -> Int64 {
        OwnMoment(date).map { $0.timeOfDay / 1_000 % 60 } ?? 0
    }
}
