import MacrologEvents
import MacrologLog
public import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels

extension Diary {
    /// The explanation of each known total of a day, in the order of nutrients.
    public func explain(_ day: Day) throws(DiaryError) -> [Explanation] {
        let today = try today()
        return try withStore { store throws(LogError) in
            let totals = try store.summary(of: day, today: today).totals
            let meals = try store.meals(on: day...day).filter { $0.meal.isConsumed }
            // Most events set several nutrients, and a clock takes a search for each device.
            var known: [Dot: LoggedEvent] = [:]
            return try totals.entries.map { entry throws(LogError) in
                var parts: [Explanation.Part] = []
                for meal in meals {
                    guard let amount = meal.totals[entry.nutrient] else { continue }
                    let events = try meal.events(
                        thatSet: entry.nutrient, in: &store, &known)
                    parts.append(Explanation.Part(meal: meal, amount: amount, events: events))
                }
                return Explanation(nutrient: entry.nutrient, total: entry.amount, parts: parts)
            }
        }
    }
}

extension MealDetail {
    fileprivate func events(
        thatSet nutrient: Nutrient, in store: inout Store, _ known: inout [Dot: LoggedEvent]
    ) throws(LogError) -> [LoggedEvent] {
        var stamps: Set<Dot> = []
        func collect(_ entity: EntityKey, _ fields: [UTF8Text]) throws(LogError) {
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
        var events: [LoggedEvent] = []
        for dot in stamps {
            if let event = known[dot] {
                events.append(event)
            } else if let entry = try log.entry(dot, in: &store.db) {
                let event = try entry.logged(in: &store)
                known[dot] = event
                events.append(event)
            }
        }
        return events.sorted(by: LoggedEvent.precedes)
    }
}
