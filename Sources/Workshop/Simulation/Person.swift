import MacrologEvents
import MacrologLog
import Macrolog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologTestSupport

/// What a person with a phone does next: any verb, on any existing entity.
enum Person {
    static let today = Day(year: 2026, month: 11, day: 20) ?? .earliest

    static func act(on device: SimulatedDevice, dice: inout Dice, now: Int64) throws -> String {
        if dice.percent(5), let undone = try device.undo(now: now, random: &dice) {
            return "undoes \(undone)"
        }
        if dice.percent(5), let redone = try device.redo(now: now, random: &dice) {
            return "does \(redone) again"
        }
        let drafts = try drafts(on: device, &dice, now)
        guard !drafts.isEmpty else { return "looks" }
        let group =
            drafts.count > 1 ? Identifier.v7(milliseconds: now, random: &dice) : nil
        try device.record(drafts, group: group, now: now)
        return "\(drafts[0].type)"
    }

    private static func drafts(
        on device: SimulatedDevice, _ dice: inout Dice, _ now: Int64
    ) throws -> [Draft] {
        let meals = try device.store.meals(on: Day.earliest...Day.latest)
        let day = Day(number: today.number - dice.roll(0...3)) ?? today
        let id = Identifier.v7(milliseconds: now, random: &dice)
        switch dice.roll(0...24) {
        case 20...24: return try keeps(on: device, day, &dice, now: now)
        case 0...5: return [.add(newMeal(id, day, &dice), today: today)]
        case 6:
            return [
                .add(WeighIn(id: id, on: LocalDate(day: day), grams: grams(&dice)), today: today)
            ]
        case 7:
            let old = try device.store.dayLog(on: day)
            var log = old
            log.status = dice.pick([.open, .complete, .skipped]) ?? .open
            return [.edit(from: old, to: log, today: today)].compactMap(\.self)
        case 8:
            let old = try device.store.preferences()
            var preferences = old
            preferences.weekStart = dice.roll(1...7)
            return [.edit(from: old, to: preferences, today: today)].compactMap(\.self)
        case 9:
            var plan = GoalPlan(id: id, startDate: day)
            plan.energyMillikilocalories = dice.roll(1_200...3_000) * 1_000
            return [.add(plan, today: today)]
        case 10:
            var batch: [Draft] = []
            for _ in 0..<dice.roll(2...5) {
                let id = Identifier.v7(milliseconds: now, random: &dice)
                batch.append(.add(newMeal(id, day, &dice), today: today))
            }
            return batch
        default:
            guard let detail = dice.pick(meals) else { return [] }
            return try changes(to: detail, on: device, id, day, &dice)
        }
    }

    private static func changes(
        to detail: MealDetail, on device: SimulatedDevice, _ id: Identifier, _ day: Day,
        _ dice: inout Dice
    ) throws -> [Draft] {
        var meal = detail.meal
        switch dice.roll(0...12) {
        case 10, 11:
            guard meal.photoHashes.count < 10 else { return [] }
            let photo = try device.photo(&dice)
            if meal.photoHashes.contains(photo) { return [] }
            meal.photoHashes.append(photo)
        case 12:
            guard let photo = dice.pick(meal.photoHashes) else { return [] }
            meal.photoHashes.removeAll { $0 == photo }
        case 0: return [.delete(meal)]
        case 1:
            let items = [
                MealItem(
                    id: id, of: meal.id, name: "Milk",
                    nutrients: Nutrients(energy: dice.roll(1...500) * 1_000))
            ]
            return items.map { .add($0, today: today) }
        case 2:
            guard var item = dice.pick(detail.items) else { return [] }
            let old = item
            item[.protein] = dice.roll(0...40) * 1_000
            return [.edit(from: old, to: item, today: today)].compactMap(\.self)
        case 3: return detail.items.prefix(1).map { .delete($0) }
        case 4:
            meal.tags =
                dice.percent(50)
                ? meal.tags + ["tag\(dice.roll(1...3))"] : Array(meal.tags.dropLast())
        case 5: meal.isConsumed.toggle()
        case 6: meal.localDate = LocalDate(day: day)
        case 7: meal[.protein] = dice.roll(0...90) * 1_000
        default: meal[.energy] = dice.roll(1...1_500) * 1_000
        }
        return [.edit(from: detail.meal, to: meal, today: today)].compactMap(\.self)
    }

    private static func newMeal(_ id: Identifier, _ day: Day, _ dice: inout Dice) -> Meal {
        Meal(
            id: id, on: LocalDate(day: day), dishName: "Dish \(dice.roll(1...99))",
            slot: dice.pick(["breakfast", "lunch", "dinner", "snack"]),
            isConsumed: dice.percent(80),
            nutrients: Nutrients(
                energy: dice.roll(50...1_199) * 1_000, protein: dice.roll(0...799) * 100))
    }

    private static func grams(_ dice: inout Dice) -> Int64 { dice.roll(60_000...90_000) }
}
