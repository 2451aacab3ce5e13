public import MacrologEvents

/// A meal and its parts, to be logged once more: on another day, in another slot, or a share of it.
public struct MealCopy: Hashable, Sendable {
    /// The new meal.
    public let meal: Meal
    /// The parts of the new meal, each with an id of its own.
    public let items: [MealItem]

    /// Copies a meal.
    ///
    /// What was eaten is copied. What belongs to the one occasion is not: note, photos, analysis,
    /// reported total, names in other systems, and the time of eating. Each item is a snapshot of
    /// the original item, not of today's food.
    ///
    /// - Parameters:
    ///   - meal: The meal to copy.
    ///   - items: Its parts that are not deleted.
    ///   - localDate: The day of the copy, with its instant and zone.
    ///   - slot: The meal slot; that of the original, when not given.
    ///   - shareBasisPoints: The part of the pot that is eaten this time, 0 to 100,000; that of the
    ///     original, when not given.
    ///   - isConsumed: Whether the copy has been eaten; otherwise it is planned.
    ///   - newID: A fresh id for each thing copied.
    public init(
        of meal: Meal, items: [MealItem], on localDate: LocalDate, slot: UTF8Text? = nil,
        shareBasisPoints: Int64? = nil, isConsumed: Bool = true, newID: () -> Identifier
    ) {
        self.init(
            of: meal, items: items, on: localDate, slot: slot, shareBasisPoints: shareBasisPoints,
            isConsumed: isConsumed, id: newID(), itemID: { _ in newID() })
    }

    /// Copies a meal to another day, under ids that follow from those of the original and its parts and from the day:
    /// a day that two devices copy before they sync is copied once. Copies of different parts are two meals.
    ///
    /// An id that the log knows, deleted or not, belongs to an earlier copy: add no meal under it, but take the next
    /// ordinal, or leave that copy as it is.
    ///
    /// - Parameters:
    ///   - meal: The meal to copy.
    ///   - items: Its parts that are not deleted.
    ///   - localDate: The day of the copy, with its instant and zone.
    ///   - ordinal: The number of the copy, from 0.
    ///   - isConsumed: Whether the copy has been eaten; otherwise it is planned.
    public init(
        of meal: Meal, items: [MealItem], to localDate: LocalDate, ordinal: Int, isConsumed: Bool
    ) {
        let id = Identities.mealCopy(
            of: meal.id, items.map { $0.id }, on: localDate.day, ordinal)
        self.init(
            of: meal, items: items, on: localDate, slot: nil, shareBasisPoints: nil,
            isConsumed: isConsumed, id: id, itemID: { Identities.copiedItem($0, to: id) })
    }

    private init(
        of meal: Meal, items: [MealItem], on localDate: LocalDate, slot: UTF8Text?,
        shareBasisPoints: Int64?, isConsumed: Bool, id: Identifier,
        itemID: (Identifier) -> Identifier
    ) {
        var copy = Meal(
            id: id, on: localDate, dishName: meal.dishName, slot: slot ?? meal.slot,
            isConsumed: isConsumed, nutrients: meal.nutrients)
        copy.tags = meal.tags
        copy.isEstimated = meal.isEstimated
        if let share = shareBasisPoints {
            copy.consumedShareBasisPoints = share
        } else if meal.consumedShareBasisPoints != 10_000 {
            copy.consumedShareBasisPoints = meal.consumedShareBasisPoints
        }
        self.meal = copy
        self.items = items.map { item in
            var part = TemplateItem(item).item(id: itemID(item.id), of: copy.id)
            part.position = item.position
            part.brand = item.brand
            part.isEditedByUser = item.isEditedByUser
            if item.name == nil { part.fields["name"] = nil }
            return part
        }
    }
}
