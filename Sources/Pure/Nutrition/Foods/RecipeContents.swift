public import MacrologEvents

/// The nutrients and the mass of a recipe.
public struct RecipeContents: Hashable, Sendable {
    /// Something about an ingredient that keeps its recipe's numbers from being whole.
    public enum IngredientFinding: Hashable, Sendable {
        /// The ingredient would put a recipe into itself. It is left out.
        case cycle(Identifier)
        /// Recipes within recipes, more than eight deep. It is left out.
        case tooDeep(Identifier)
        /// The food or recipe is not there any more. Nothing is known of the ingredient.
        case missing(Identifier)
        /// Its unit does not determine the amount, so the ingredient's nutrients are unknown.
        case unmeasured(Identifier)
        /// It is some grams of a recipe whose mass is unknown, so the ingredient's nutrients are, too.
        case unweighed(Identifier, recipe: Identifier)

        /// The ingredient.
        package var item: Identifier {
            switch self {
            case .cycle(let id), .tooDeep(let id), .missing(let id), .unmeasured(let id),
                .unweighed(let id, _):
                id
            }
        }
    }

    /// The whole dish: sums with their coverage.
    public let totals: NutrientTotals
    /// What it weighs when done, in milligrams: as weighed, else the sum of its ingredients; `nil`
    /// when one of them has no mass.
    public let milligrams: Int64?
    /// Whether ``milligrams`` is the mass before cooking.
    public let isRawMass: Bool
    /// How many servings it yields, in thousandths.
    public let servingsMilli: Int64
    /// Why the sums are incomplete.
    public let problems: [IngredientFinding]

    /// The nutrients of `milli` thousandths of a serving, each rounded once, half to even.
    public func servings(_ milli: Int64) -> Nutrients {
        part(milli, of: servingsMilli)
    }

    /// The nutrients of an amount of the dish, and the amount with its mass if that is known.
    ///
    /// - Throws: ``PortionError`` for an amount that is neither servings nor a mass, and for a
    ///   mass of a dish whose mass is unknown.
    package func nutrients(of amount: Amount) throws(PortionError) -> (Nutrients, Amount) {
        guard let share = share(of: amount) else {
            throw PortionError(
                unit: amount.unit, known: milligrams == nil ? ["serving"] : ["serving", "g"],
                candidates: [])
        }
        return (part(share.part, of: share.whole), share.weighed)
    }

    /// How much of the dish an amount is; `nil` when its unit does not determine it.
    func share(of amount: Amount) -> AmountShare? {
        var weighed = amount
        if ServingSizes.isServing(amount.unit) {
            weighed.milligrams = milligrams.map {
                Rounding.scaled($0, by: amount.milli, over: servingsMilli)
            }
            return AmountShare(part: amount.milli, whole: servingsMilli, weighed: weighed)
        }
        weighed.milligrams = ServingSizes.mass(of: amount)
        guard let part = weighed.milligrams, let milligrams, milligrams > 0 else { return nil }
        return AmountShare(part: part, whole: milligrams, weighed: weighed)
    }

    private func part(_ part: Int64, of whole: Int64) -> Nutrients {
        var nutrients = Nutrients()
        for entry in totals.entries { nutrients[entry.nutrient] = entry.amount }
        return nutrients.scaled(part: part, whole: whole)
    }
}
