import MacrologEvents
import MacrologLog
public import MacrologNutrition
import MacrologReadModels

extension Replica {
    /// The explanation of each known total of a day, in the order of nutrients.
    public func explain(_ day: Day) throws -> [Explanation] {
        let today = localDay()
        return try withStore { store in
            let totals = try store.summary(of: day, today: today).totals
            let meals = try store.meals(on: day...day).filter(\.meal.isConsumed)
            return try totals.entries.map { entry in
                let nutrient = entry.nutrient
                let parts = try meals.compactMap { meal -> Explanation.Part? in
                    guard let amount = meal.totals[nutrient] else { return nil }
                    let events = try meal.events(thatSet: nutrient, in: &store)
                    return Explanation.Part(meal: meal, amount: amount, events: events)
                }
                return Explanation(nutrient: nutrient, total: entry.amount, parts: parts)
            }
        }
    }
}

extension MealDetail {
    fileprivate func events(
        thatSet nutrient: Nutrient, in store: inout Store
    ) throws -> [LoggedEvent] {
        var stamps: Set<Dot> = []
        func collect(_ entity: EntityKey, _ fields: [Text]) throws {
            guard let state = try store.state(of: entity) else { return }
            for field in fields {
                guard let cell = state.cell(.field(field)), !cell.winner.value.isNull else {
                    continue
                }
                stamps.insert(cell.winner.stamp.dot)
            }
        }
        try collect(
            EntityKey(Kind.meal.name, meal.id),
            [nutrient.key, "local_date", "consumed", "consumed_share_bp"])
        for item in items where item[nutrient] != nil {
            try collect(EntityKey(Kind.mealItem.name, item.id), [nutrient.key])
        }
        let log = store.log
        let events = try stamps.compactMap { dot in
            try log.entry(dot, in: &store.db)?.logged(in: &store)
        }
        return events.sorted(by: LoggedEvent.precedes)
    }
}
