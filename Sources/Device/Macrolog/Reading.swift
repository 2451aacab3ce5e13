import MacrologDiary
package import MacrologEvents
package import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels

/// Reading one thing, for the programs and tests of this package; an app calls ``Replica/read(at:_:)``.
extension Replica {
    /// One day: its sums by meal slot, its goal and its progress.
    package func summary(of day: Day) throws -> DaySummary {
        try withDiary { try $0.summary(of: day) }
    }

    /// Everything that is shown of one day, from one state of the log.
    ///
    /// - Parameters:
    ///   - day: The day to show.
    ///   - instant: Milliseconds since 1970 UTC; now, when not given. Its day is today.
    package func dayReport(of day: Day, at instant: Int64? = nil) throws -> DayReport {
        try withDiary { try $0.dayReport(of: day, at: instant) }
    }

    /// The meals of a day, by time.
    package func meals(on day: Day) throws -> [MealDetail] {
        try withDiary { try $0.meals(on: day) }
    }

    /// The meals of some days, by day and time.
    package func meals(on days: ClosedRange<Day>) throws -> [MealDetail] {
        try withDiary { try $0.meals(on: days) }
    }

    /// A meal with its items; `nil` when it does not exist or is deleted.
    package func meal(_ id: Identifier) throws -> MealDetail? {
        try withDiary { try $0.meal(id) }
    }

    /// An entity of any kind; `nil` when it does not exist or is deleted.
    package func entity<E: Entity>(_ type: E.Type, _ id: Identifier) throws -> E? {
        try withDiary { try $0.entity(type, id) }
    }

    /// The entries of a kind on some days, by day and time: water, ketones, fasts.
    ///
    ///     let drunk = try replica.read { try $0.entities(Water.self, on: today...today) }
    package func entities<E: DayEntry>(_ type: E.Type, on days: ClosedRange<Day>) throws -> [E] {
        try withDiary { try $0.entities(type, on: days) }
    }

    /// All entities of a kind that belong to no day, such as reminders, oldest first.
    package func entities<E: ListedEntity>(_ type: E.Type) throws -> [E] {
        try withDiary { try $0.entities(type) }
    }

    /// The person.
    package func profile() throws -> Profile {
        try withDiary { try $0.profile() }
    }

    /// How the person wants things shown.
    package func preferences() throws -> Preferences {
        try withDiary { try $0.preferences() }
    }

    /// The foods that match a typed text, best first: by how well the name fits, how often and how
    /// recently each was logged, favourites first; all foods for an empty text. Each word may be a
    /// prefix, accents and letter case do not matter, and the digits of a barcode find the food
    /// that has it.
    ///
    /// - Parameters:
    ///   - typed: What was typed so far.
    ///   - limit: The maximum number of foods.
    ///   - forgiving: Whether a word that no food has matches similar words, so that `brocoli` finds
    ///     broccoli.
    package func foods(
        matching typed: String = "", limit: Int = 20, forgiving: Bool = true
    ) throws -> [Food] {
        try withDiary { try $0.foods(matching: typed, limit: limit, forgiving: forgiving) }
    }
}
