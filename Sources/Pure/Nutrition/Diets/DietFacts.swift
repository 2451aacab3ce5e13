/// The input of a score: a meal's sums, and the names and ingredient lists of its items.
package struct DietFacts: Hashable, Sendable {
    /// One part of a meal.
    public struct Part: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// Its ingredients as printed; `nil` when only the name is known.
        public let ingredients: String?

        /// A part of a meal.
        public init(name: String, ingredients: String? = nil) {
            self.name = name
            self.ingredients = ingredients
        }
    }

    /// The meal's sums.
    public let totals: NutrientTotals
    /// Whether carbohydrate includes fibre.
    public let carbBasis: CarbBasis
    /// The meal's parts.
    public let parts: [Part]

    /// A meal's sums and parts.
    public init(totals: NutrientTotals, carbBasis: CarbBasis = .total, parts: [Part] = []) {
        self.totals = totals
        self.carbBasis = carbBasis
        self.parts = parts
    }

    /// The sums as nutrients; those that no part knows are unknown.
    var nutrients: Nutrients {
        var nutrients = Nutrients()
        for entry in totals.entries { nutrients[entry.nutrient] = entry.amount }
        return nutrients
    }

    /// The findings of the lexicon in all items, and how much of the meal it understood.
    func ingredients() -> (matches: [Lexicon.Match], understanding: Understanding) {
        var matches: [Lexicon.Match] = []
        var (listed, named, silent) = (0, 0, 0)
        for part in parts {
            var found = Lexicon.ingredients(in: part.name)
            if let text = part.ingredients, !text.isEmpty {
                found += Lexicon.ingredients(in: text)
                listed += 1
            } else if found.isEmpty {
                silent += 1
            } else {
                named += 1
            }
            for match in found where !matches.contains(match) { matches.append(match) }
        }
        if listed + named == 0 { return (matches, .nothing) }
        if silent > 0 { return (matches, .partly) }
        return (matches, named > 0 ? .names : .lists)
    }

    /// How much of a meal's contents is known.
    enum Understanding {
        case lists, names, partly, nothing
    }
}
