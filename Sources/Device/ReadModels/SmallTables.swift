import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologSQLite

/// Weigh-ins by day.
enum WeighInTable {
    static func update(
        _ id: Identifier, from old: Readable?, to new: Readable, in db: inout Connection
    ) throws {
        if let before = old?.entity(WeighIn.self) {
            try db.run(
                "DELETE FROM weigh_in WHERE day = ? AND id = ?", before.localDate.day.number, id)
        }
        if let after = new.entity(WeighIn.self) {
            try db.run(
                "INSERT OR REPLACE INTO weigh_in (day, id, at, grams, fat) VALUES (?, ?, ?, ?, ?)",
                after.localDate.day.number, id, after.localDate.occurredAt, after.grams,
                after.bodyFatBasisPoints)
        }
    }
}

/// Goal plans by their first day.
enum GoalPlanTable {
    static func update(
        _ id: Identifier, from old: Readable?, to new: Readable, in db: inout Connection
    ) throws {
        if let before = old?.entity(GoalPlan.self) {
            try db.run(
                "DELETE FROM goal_plan WHERE start_day = ? AND id = ?", before.startDate.number, id)
        }
        if let after = new.entity(GoalPlan.self) {
            try db.run(
                "INSERT OR REPLACE INTO goal_plan (start_day, id) VALUES (?, ?)",
                after.startDate.number, id)
        }
    }
}

/// Day logs, by day. Only the entity whose id belongs to the day counts.
enum DayLogTable {
    static func update(
        _ id: Identifier, from old: Readable?, to new: Readable, in db: inout Connection
    ) throws {
        if let before = old?.entity(DayLog.self), id == Identities.dayLog(on: before.day) {
            try db.run("DELETE FROM day_log WHERE day = ?", before.day.number)
        }
        if let after = new.entity(DayLog.self), id == Identities.dayLog(on: after.day) {
            try db.run(
                "INSERT OR REPLACE INTO day_log (day, status, verdict) VALUES (?, ?, ?)",
                after.day.number,
                after.status.name, (after.goalOverride ?? .none).name)
        }
    }
}

extension DayLogTable {
    /// The days whose rows come from the entities of a range.
    static func days(of range: IDRange, in db: inout Connection) throws -> [Int64] {
        try db.all("SELECT day FROM day_log ORDER BY day") { $0.int(0) }.filter { number in
            // An invalid day belongs to no entity: it is handled with the last range.
            Day(number: number).map { range.contains(Identities.dayLog(on: $0)) } ?? range.isLast
        }
    }
}

/// Photos by the meals that name them. For a meal without photos this costs two field lookups.
enum PhotoTable {
    static func update(
        _ id: Identifier, from old: Readable?, to new: Readable, in db: inout Connection
    ) throws {
        let (before, after) = (names(in: old), names(in: new))
        for name in before where !after.contains(name) {
            try db.run("DELETE FROM photo WHERE name = ? AND meal = ?", name, id)
        }
        for name in after where !before.contains(name) {
            try db.run("INSERT OR IGNORE INTO photo (name, meal) VALUES (?, ?)", name, id)
        }
    }

    private static func names(in meal: Readable?) -> [[UInt8]] {
        guard let meal, !meal.isDeleted, meal.fields["photo_sha256s"] != nil else { return [] }
        return meal.entity(Meal.self)?.photoHashes ?? []
    }
}
