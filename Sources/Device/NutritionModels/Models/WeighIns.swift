import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// Weigh-ins by day.
enum WeighIns {
    static let model = ReadModel(
        tables: [table],
        folds: [
            .row(of: WeighIn.self, in: table) { weighIn in
                [
                    .day(weighIn.localDate.day), .id(weighIn.id),
                    .optional(weighIn.localDate.occurredAt), .int(weighIn.grams),
                    .optional(weighIn.bodyFatBasisPoints),
                ]
            }
        ])

    /// `at` is in milliseconds since 1970 UTC; `fat` in basis points, if the scale measured it.
    static let table = ReadModelTable(
        "weigh_in", key: [.int("day"), .blob("id")],
        columns: [.optionalInt("at"), .int("grams"), .optionalInt("fat")], day: "day",
        also: "CREATE INDEX weigh_in_fat ON weigh_in (day) WHERE fat IS NOT NULL")
}

/// Reading weigh-ins.
extension Store {
    /// The smoothed trend of all weigh-ins up to a day, by the person's policy.
    package mutating func weightTrend(through day: Day = .latest) throws(LogError) -> WeightTrend {
        WeightTrend(
            try readings(on: .earliest...day), policy: try preferences().weighPolicy ?? .first)
    }

    /// The weight of a day in grams, by the person's policy where there are several weigh-ins; `nil` without one.
    mutating func weight(on day: Day) throws(LogError) -> Int64? {
        let readings = try readings(on: day...day)
        guard readings.count > 1 else { return readings.first?.grams }
        let policy = try preferences().weighPolicy ?? .first
        return WeightTrend(readings, policy: policy).points.last?.grams
    }

    private mutating func readings(
        on days: ClosedRange<Day>
    ) throws(LogError) -> [WeightTrend.Sample] {
        try db.all(
            "SELECT day, id, at, grams FROM weigh_in WHERE day BETWEEN ? AND ? ORDER BY day, id",
            days.lowerBound.number, days.upperBound.number
        ) { row in
            Day(number: row.int(0)).map {
                WeightTrend.Sample(
                    id: row.identifier(1), day: $0, occurredAt: row.intOrNull(2),
                    grams: row.int(3))
            }
        }.compactMap { $0 }
    }

    /// The weigh-ins of some days, by day and time.
    package mutating func weighIns(on days: ClosedRange<Day>) throws(LogError) -> [WeighIn] {
        let ids = try db.all(
            "SELECT id FROM weigh_in WHERE day BETWEEN ? AND ? ORDER BY day, at, id",
            days.lowerBound.number, days.upperBound.number
        ) { $0.identifier(0) }
        return try entities(WeighIn.self, ids)
    }

    /// The last weigh-in of a day or of one before it.
    package mutating func weighIn(onOrBefore day: Day) throws(LogError) -> WeighIn? {
        let id = try db.first(
            "SELECT id FROM weigh_in WHERE day <= ? ORDER BY day DESC, at DESC, id DESC LIMIT 1",
            day.number
        ) { $0.identifier(0) }
        guard let id else { return nil }
        return try entity(WeighIn.self, id)
    }
}
