import MacrologEvents

/// How much of a food or a recipe an amount is, and what an item is after its amount was corrected.
struct AmountShare {
    /// The amount, in the unit of ``whole``.
    let part: Int64
    /// What the nutrients are stated for; positive.
    let whole: Int64
    /// The amount with its mass, where that is known.
    let weighed: Amount
}

extension MealItem {
    /// The item with another amount, and its own nutrients in proportion: as its food or recipe
    /// converts the two amounts, else as these compare by themselves. Without an amount before, the
    /// nutrients are those of the new one.
    ///
    /// - Throws: ``PortionError`` for two amounts that nothing compares.
    package func rescaled(
        to amount: Amount, food: ServingSizes? = nil, recipe: RecipeContents? = nil
    ) throws(PortionError) -> MealItem {
        func share(_ amount: Amount) -> AmountShare? {
            food.flatMap { $0.share(of: amount) } ?? recipe.flatMap { $0.share(of: amount) }
        }
        let new = share(amount)
        var item = self
        item.amount = new?.weighed ?? amount
        guard let old = self.amount, !nutrients.isEmpty else { return item }
        var converted: Fraction?
        let before = share(old)
        if let recipe, let then = old.milligrams, then > 0, before?.weighed.milligrams != then,
            (try? recipe.nutrients(of: old).0) != nutrients, let now = item.amount?.milligrams
        {
            // The old amount weighs and holds something else by now, as after another number of
            // servings: the nutrients are of what was weighed then. Where it only weighs something
            // else, the dish was weighed later.
            converted = Fraction(Int128(now), over: Int128(then))
        } else if let new, let before {
            converted = Fraction(
                Int128(new.part) * Int128(before.whole),
                over: Int128(new.whole) * Int128(before.part))
        }
        guard let ratio = converted ?? MealItem.ratio(amount, to: old) else {
            throw PortionError(unit: amount.unit, known: [old.unit.string], candidates: [])
        }
        item.nutrients = nutrients.scaled(part: ratio.numerator, whole: ratio.denominator)
        return item
    }

    /// The ratio of two amounts by their masses, else by their unit; `nil` when they share neither.
    private static func ratio(_ new: Amount, to old: Amount) -> Fraction? {
        if let part = ServingSizes.mass(of: new), let whole = ServingSizes.mass(of: old) {
            return Fraction(Int128(part), over: Int128(whole))
        }
        guard ServingSizes.isAlike(new.unit, old.unit) else { return nil }
        return Fraction(Int128(new.milli), over: Int128(old.milli))
    }
}
