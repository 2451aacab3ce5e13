public import MacrologEvents
public import MacrologNutrition
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels

/// Planned meals, and making meals from them.
extension Diary {
    /// The plan of some days, by day and time.
    package func plan(on days: ClosedRange<Day>) throws(DiaryError) -> [PlanEntry] {
        try entities(PlanEntry.self, on: days)
    }

    /// Makes the meal of a plan, and stores in the plan which meal it is: one action, and only one
    /// meal, however often and on however many devices, since its id and those of its parts follow
    /// from the plan's.
    ///
    /// The meal holds what the recipe, food or template holds now. A recipe or food without an
    /// amount counts as one serving; a plan that is only a name becomes a meal of that name.
    ///
    /// - Parameters:
    ///   - id: The plan's id.
    ///   - localDate: When it was eaten; the plan's day, when not given.
    ///   - isConsumed: Whether it has been eaten.
    /// - Returns: The meal, and whether it existed already, made here or on another device.
    /// - Throws: ``EntryError`` when the plan, or what it names, is deleted or does not exist;
    ///   ``PortionError`` when its amount cannot be converted.
    public mutating func perform(
        _ id: Identifier, on localDate: LocalDate? = nil, isConsumed: Bool = true
    ) throws(DiaryError) -> (meal: Identifier, wasDone: Bool) {
        let entry = try require(PlanEntry.self, id)
        let mealID = Identities.plannedMeal(of: id)
        if let made = try entity(Meal.self, mealID) {
            // Another device made the meal and does not know yet that this one shows the plan as
            // open.
            var done = entry
            done.doneMealID = mealID
            try save(done)
            if isConsumed, !made.isConsumed { try markConsumed(mealID) }
            return (mealID, wasDone: true)
        }
        let date = localDate ?? entry.localDate
        let (name, items) = try parts(of: entry, meal: mealID)
        var meal = Meal(
            id: mealID, on: date, dishName: name, slot: entry.slot, isConsumed: isConsumed)
        if isConsumed { meal.consumedAt = date.occurredAt }
        meal.source = .plan
        var done = entry
        done.doneMealID = mealID
        let today = try today()
        // The meal may have been made before, and deleted or undone: then it comes back as the plan
        // has it now.
        let deleted = try entity(Meal.self, mealID, includingDeleted: true)
        var deletedItems: [MealItem] = []
        for item in items {
            guard let old = try entity(MealItem.self, item.id, includingDeleted: true) else {
                continue
            }
            deletedItems.append(old)
        }
        let made = Draft.add(
            meal, items: items, replacing: deleted, deletedItems: deletedItems, today: today)
        let edit = Draft.edit(from: entry, to: done, today: today)
        // Restoring the meal also restores what was added to it by hand, and what the plan had when it had more.
        let ids = Set(items.map { $0.id })
        let surplus = try withStore { store throws(LogError) in
            try store.items(ofMeal: mealID)
        }.filter { !ids.contains($0.id) }.map { Draft.delete($0) }
        try record([made] + surplus + [edit].compactMap { $0 })
        return (mealID, wasDone: false)
    }

    /// The name and the parts of the meal that a plan becomes.
    private func parts(
        of entry: PlanEntry, meal: Identifier
    ) throws(DiaryError) -> (name: String?, items: [MealItem]) {
        func id(_ index: Int) -> Identifier { Identities.plannedItem(of: entry.id, index) }
        if let recipeID = entry.recipeID {
            guard let detail = try recipe(recipeID) else {
                _ = try require(Recipe.self, recipeID)
                throw .refused(.notFound(.recipe))
            }
            do throws(PortionError) {
                let item = try detail.item(id(0), of: meal, entry.amount)
                return (detail.recipe.name, [item])
            } catch {
                throw .portion(error)
            }
        }
        if let food = entry.foodID {
            guard let servingSizes = try servingSizes(of: food) else {
                _ = try require(Food.self, food)
                throw .refused(.notFound(.food))
            }
            do throws(PortionError) {
                let item = try servingSizes.item(id(0), of: meal, entry.amount)
                return (servingSizes.food.name, [item])
            } catch {
                throw .portion(error)
            }
        }
        if let template = entry.templateID {
            let kept = try require(MealTemplate.self, template)
            let items = kept.items.enumerated().map { $1.item(id: id($0), of: meal) }
            return (kept.name, items)
        }
        return (entry.name, [])
    }

    /// Copies the plans of some days to later days: each entry as it is, not done.
    ///
    /// Ids follow from those of the originals and the day, so copying twice plans nothing twice,
    /// here or on another device. An existing copy stays as it is.
    ///
    /// - Returns: The copies that were made.
    public mutating func copyPlan(_ days: ClosedRange<Day>, to first: Day) throws(DiaryError)
        -> [PlanEntry]
    {
        let shift = days.lowerBound.distance(to: first)
        let today = try today()
        var copies: [PlanEntry] = []
        var actions: [Draft] = []
        for entry in try plan(on: days) {
            let day = entry.localDate.day.advanced(by: shift)
            let id = Identities.planCopy(of: entry.id, on: day)
            if try entity(PlanEntry.self, id) != nil { continue }
            var copy = PlanEntry(id: id, on: LocalDate(day: day), slot: entry.slot)
            copy.name = entry.name
            copy.recipeID = entry.recipeID
            copy.foodID = entry.foodID
            copy.templateID = entry.templateID
            copy.amount = entry.amount
            actions.append(
                .add(
                    copy, replacing: try entity(PlanEntry.self, id, includingDeleted: true),
                    today: today))
            copies.append(copy)
        }
        if !actions.isEmpty { try record(actions) }
        return copies
    }
}

extension RecipeDetail {
    /// An amount of the recipe, as a part of a meal; one serving without an amount.
    ///
    /// - Throws: ``PortionError`` for an amount that is neither servings nor a mass, and for a mass
    ///   of a dish of unknown weight.
    public func item(
        _ id: Identifier, of meal: Identifier, _ amount: Amount? = nil
    ) throws(PortionError) -> MealItem {
        let (nutrients, weighed) = try contents.nutrients(
            of: amount ?? Amount(milli: 1_000, unit: "serving"))
        var item = MealItem(
            id: id, of: meal, name: recipe.name, amount: weighed, nutrients: nutrients)
        item.recipeID = recipe.id
        return item
    }
}

extension ServingSizes {
    /// An amount of the food, as a part of a meal; one serving without an amount.
    fileprivate func item(
        _ id: Identifier, of meal: Identifier, _ amount: Amount?
    ) throws(PortionError) -> MealItem {
        let amount = if let amount { amount } else { try self.amount(milli: 1_000) }
        let (nutrients, weighed) = try nutrients(of: amount)
        var item = MealItem(
            id: id, of: meal, name: food.name, amount: weighed, nutrients: nutrients)
        item.foodID = food.id
        return item
    }
}
