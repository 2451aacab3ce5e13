public import MacrologDiary
public import MacrologEvents
public import MacrologNutrition
import MacrologReadModels

/// Planned meals, and making meals from them.
extension Replica {
    /// The plan of some days, by day and time.
    public func plan(on days: ClosedRange<Day>) throws -> [PlanEntry] {
        try withDiary { try $0.plan(on: days) }
    }

    /// Makes the meal of a plan, and stores in the plan which meal it is: one action, and only one
    /// meal, however often and on however many devices, since its id and those of its parts follow
    /// from the plan's.
    ///
    /// The meal holds what the recipe, food or template holds now. A recipe or food without an
    /// amount counts as one serving; a plan that is only a name becomes a meal of that name.
    ///
    /// - Parameters:
    ///   - localDate: When it was eaten; the plan's day, when not given.
    ///   - isConsumed: Whether it has been eaten.
    /// - Throws: ``ReplicaError`` when the plan, or what it names, no longer exists;
    ///   ``PortionError`` when its amount cannot be converted.
    public func perform(
        _ id: Identifier, on localDate: LocalDate? = nil, isConsumed: Bool = true
    ) throws -> PlannedMeal {
        try withDiary { try $0.perform(id, on: localDate, isConsumed: isConsumed) }
    }

    /// Copies the plans of some days to later days: each entry as it is, not done.
    ///
    /// Ids follow from those of the originals and the day, so copying twice plans nothing twice,
    /// here or on another device. An existing copy stays as it is.
    ///
    /// - Returns: The copies that were made.
    public func copyPlan(_ days: ClosedRange<Day>, to first: Day) throws -> [PlanEntry] {
        try withDiary { try $0.copyPlan(days, to: first) }
    }
}
