package import MacrologEvents
import MacrologLog
public import MacrologNutrition
import MacrologSQLite

/// A meal with its items and their sum.
public struct MealDetail: Hashable, Sendable {
    /// The meal.
    public let meal: Meal
    /// Its items in their order.
    public let items: [MealItem]
    /// The sum of its own nutrients and those of its items, for the share that was eaten.
    public let totals: NutrientTotals
    /// Whether the meal has a conflict that is not resolved.
    public let hasConflict: Bool
    /// Whether a newer version of the software wrote something about the meal or its items that
    /// this version cannot show.
    public let isEditedByNewerVersion: Bool
}

/// Reading days.
extension Store {
    /// The meals of some days that are not deleted: by day, by time, by id.
    package mutating func meals(on days: ClosedRange<Day>) throws -> [MealDetail] {
        let rows = try db.all(
            "SELECT id, totals FROM meal WHERE day BETWEEN ? AND ? ORDER BY day, id",
            days.lowerBound.number, days.upperBound.number
        ) { row in
            (
                id: row.identifier(0),
                totals: try row.withBytes(1) { try NutrientTotals.decoded($0) }
            )
        }
        let details = try rows.compactMap { row in
            try detail(ofMeal: row.id, totals: row.totals)
        }
        return details.sorted { left, right in
            let (one, other) = (left.meal.localDate, right.meal.localDate)
            if one.day != other.day { return one.day < other.day }
            let (early, late) = (one.occurredAt ?? .min, other.occurredAt ?? .min)
            return early == late ? left.meal.id < right.meal.id : early < late
        }
    }

    /// A meal with its items; `nil` when it does not exist, or is deleted and not requested.
    package mutating func meal(
        _ id: Identifier, includingDeleted: Bool = false
    ) throws -> MealDetail? {
        guard let meal = try entity(Meal.self, id, includingDeleted: includingDeleted) else {
            return nil
        }
        let items = try MealTable.items(of: id, in: &db)
        let totals = NutrientTotals(
            own: meal.nutrients, items: items.map(\.nutrients),
            shareBasisPoints: meal.consumedShareBasisPoints)
        return MealDetail(
            meal: meal, items: items, totals: totals,
            hasConflict: try isInConflict(EntityKey(Kind.meal.name, id)),
            isEditedByNewerVersion: try isEditedByNewerVersion(meal: id, items: items))
    }

    private mutating func detail(
        ofMeal id: Identifier, totals: NutrientTotals
    ) throws -> MealDetail? {
        guard let meal = try Readable.load(Meal.self, id, in: &db) else { return nil }
        let items = try MealTable.items(of: id, in: &db)
        return MealDetail(
            meal: meal, items: items, totals: totals,
            hasConflict: try isInConflict(EntityKey(Kind.meal.name, id)),
            isEditedByNewerVersion: try isEditedByNewerVersion(meal: id, items: items))
    }

    private mutating func isInConflict(_ entity: EntityKey) throws -> Bool {
        try db.first(
            "SELECT 1 FROM conflict WHERE id = ? AND kind = ?", entity.id, entity.kind
        ) { _ in true } ?? false
    }

    /// One day as a whole.
    package mutating func summary(of day: Day, today: Day) throws -> DaySummary {
        let found = try summaries(of: day...day, today: today)
        return found.first ?? DaySummary(day: day, meals: [], today: today)
    }

    /// The days of a span that have a meal, a status or an active plan, in order.
    package mutating func summaries(
        of days: ClosedRange<Day>, today: Day
    ) throws -> [DaySummary] {
        let contributions = try contributions(on: days)
        let logs = try dayLogs(on: days)
        let plans = try plansInForce(on: days)
        let tolerance = try preferences().goalToleranceBasisPoints ?? 500
        var summaries: [DaySummary] = []
        for day in days {
            let (meals, log) = (contributions[day], logs[day])
            let goals = try plans.goals(on: day, today: today, in: &self)
            guard meals != nil || log != nil || goals != nil else { continue }
            summaries.append(
                DaySummary(
                    day: day, meals: meals ?? [], status: log?.status ?? .open,
                    verdict: log?.verdict ?? .none, goals: goals, today: today,
                    toleranceBasisPoints: tolerance))
        }
        return summaries
    }

    mutating func contributions(
        on days: ClosedRange<Day>
    ) throws -> [Day: [DaySummary.Contribution]] {
        var contributions: [Day: [DaySummary.Contribution]] = [:]
        try db.forEach(
            "SELECT day, slot, consumed, totals FROM meal WHERE day BETWEEN ? AND ?",
            days.lowerBound.number, days.upperBound.number
        ) { row in
            guard let day = Day(number: row.int(0)) else { return }
            contributions[day, default: []].append(
                DaySummary.Contribution(
                    slot: row.name(1), isConsumed: row.bool(2),
                    totals: try row.withBytes(3) { try NutrientTotals.decoded($0) }))
        }
        return contributions
    }

    mutating func dayLogs(
        on days: ClosedRange<Day>
    ) throws -> [Day: (status: DayStatus, verdict: GoalOverride)] {
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
    package mutating func dayLog(on day: Day) throws -> DayLog {
        try entity(DayLog.self, Identities.dayLog(on: day)) ?? DayLog(on: day)
    }
}
