import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// What was recorded about each day. Only the entity whose ID belongs to the day counts.
enum DayLogs {
    static let model = ReadModel(
        tables: [table],
        folds: [
            .row(of: DayLog.self, in: table) { log in
                guard log.id == Identities.dayLog(on: log.day) else { return nil }
                return [
                    .day(log.day), .id(log.id), .text(log.status.name),
                    .text((log.goalOverride ?? .none).name),
                ]
            }
        ])

    /// `status` is open, complete or skipped; `verdict` is none, achieved or missed.
    static let table = ReadModelTable(
        "day_log", key: [.int("day"), .blob("id")], columns: [.text("status"), .text("verdict")],
        day: "day")
}

/// Reading what was recorded about days.
extension Store {
    mutating func dayLogs(
        on days: ClosedRange<Day>
    ) throws(LogError) -> [Day: (status: DayStatus, verdict: GoalOverride)] {
        var logs: [Day: (status: DayStatus, verdict: GoalOverride)] = [:]
        try db.forEach(
            "SELECT day, status, verdict FROM day_log WHERE day BETWEEN ? AND ?",
            days.lowerBound.number, days.upperBound.number
        ) { row in
            guard let day = Day(number: row.int(0)) else { return }
            logs[day] = (
                DayStatus(name: row.name(1)) ?? .open, GoalOverride(name: row.name(2)) ?? .none
            )
        }
        return logs
    }

    /// What was recorded about a day; without a record, an open day without a note.
    package mutating func dayLog(on day: Day) throws(LogError) -> DayLog {
        try entity(DayLog.self, Identities.dayLog(on: day)) ?? DayLog(on: day)
    }
}
