import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import MacrologTestSupport
import Testing

/// Goal: the days on which something was eaten are those of the meals, whatever happened to these and in
/// which transaction.
@Suite struct ConsumedDayTests {
    private let first = Day(year: 2026, month: 11, day: 10) ?? .earliest

    @Test(arguments: Dice.seeds(20))
    func `the days are those of the meals after any changes, and so is the streak`(seed: UInt64)
        throws
    {
        var dice = Dice(seed: seed)
        let phone = try Device("a")
        let meals = (1...12).map { Identifier(high: 0x0190_0000_0000_7000, low: $0) }
        for round in 1...25 {
            let drafts = (0..<dice.roll(1...6)).compactMap { _ -> Draft? in
                dice.pick(meals).map {
                    Draft("meal", [Change(EntityKey("meal", $0), [change(&dice)])])
                }
            }
            _ = try phone.store.record(
                drafts, at: ClockSample(wall: Int64(round), monotonic: Int64(round), boot: meals[0])
            )
            let days = try phone.store.db.all("SELECT day FROM consumed_day ORDER BY day") {
                $0.int(0)
            }
            let eaten = try phone.store.db.all(
                "SELECT DISTINCT day FROM meal WHERE consumed = 1 ORDER BY day"
            ) { $0.int(0) }
            #expect(days == eaten, "seed \(seed), round \(round)")
            let today = first.advanced(by: 8)
            let streak = Streak(
                logged: eaten.compactMap { Day(number: $0) }, skipped: [], today: today)
            #expect(try phone.store.streak(today: today) == streak, "seed \(seed), round \(round)")
        }
        #expect(try phone.store.wrongTables().isEmpty, "seed \(seed)")
    }

    private func change(_ dice: inout Dice) -> CellOperation {
        switch dice.below(8) {
        case 0: .delete
        case 4: .restore
        case 1...3: .set(["consumed": .bool(dice.below(2) == 0)])
        default:
            .set([
                "local_date": LocalDate(day: first.advanced(by: dice.below(9))).value,
                "consumed": .bool(dice.below(3) > 0),
            ])
        }
    }
}
