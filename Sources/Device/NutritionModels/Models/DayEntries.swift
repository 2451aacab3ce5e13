import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// Which entries belong to a day. Nothing else is computed of them: their fields are read from their
/// cells.
///
/// An entry without a usable day, because none was written or it breaks a bound, is in no day; nor
/// is a deleted one.
enum DayEntries {
    static let model = ReadModel(
        tables: [table],
        folds: [
            fold(Water.self), fold(Ketone.self), fold(BodyFat.self), fold(BodyMeasure.self),
            fold(ActivityEntry.self), fold(EnergyDay.self), fold(Fast.self), fold(PlanEntry.self),
            checkIns,
        ])

    static let table = ReadModelTable(
        "by_day", key: [.text("kind"), .int("day"), .blob("id")], day: "day",
        also: "CREATE INDEX by_day_id ON by_day (id)")

    /// Only the check-in whose ID belongs to the day counts.
    private static let checkIns = Fold.row(of: CheckIn.self, in: table) { checkIn in
        guard checkIn.id == Identities.checkIn(on: checkIn.day) else { return nil }
        return [.text(CheckIn.kind.name), .day(checkIn.day), .id(checkIn.id)]
    }

    private static func fold<E: DayEntry>(_ type: E.Type) -> Fold {
        .row(of: type, in: table) { [.text(E.kind.name), .day($0.day), .id($0.id)] }
    }
}

/// Reading entries of days.
extension Store {
    /// The entries of a kind on some days that are not deleted: by day, by time, by id.
    package mutating func entities<E: DayEntry>(
        _ type: E.Type, on days: ClosedRange<Day>
    ) throws(LogError) -> [E] {
        let ids = try db.all(
            "SELECT id FROM by_day WHERE kind = ? AND day BETWEEN ? AND ?", E.kind.name,
            days.lowerBound.number, days.upperBound.number
        ) { $0.identifier(0) }
        return try entities(type, ids).sorted { $0.precedes($1) }
    }
}
