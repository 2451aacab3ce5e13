package import MacrologEvents

/// What recipes hold, computed from their ingredients: foods, other recipes, and names with nutrients.
///
/// A recipe that contains itself, however far down, is refused when it is written. Two devices may
/// still write the two halves of a circle; then the ingredient that closes it is left out and said.
package struct RecipeBook {
    /// Recipes within recipes, at most.
    package static let depthMax = 8

    private let recipe: (Identifier) -> Recipe?
    private let items: (Identifier) -> [RecipeItem]
    private let servingSizes: (Identifier) -> ServingSizes?

    /// Reads recipes as they are asked for.
    ///
    /// - Parameters:
    ///   - recipe: A recipe that is not deleted.
    ///   - items: A recipe's ingredients that are not deleted, in any order.
    ///   - food: A food that is not deleted, with its portions.
    package init(
        recipe: @escaping (Identifier) -> Recipe?, items: @escaping (Identifier) -> [RecipeItem],
        food: @escaping (Identifier) -> ServingSizes?
    ) {
        self.recipe = recipe
        self.items = items
        servingSizes = food
    }

    /// The nutrients and the mass of a recipe; `nil` if it does not exist.
    package func contents(of id: Identifier) -> RecipeContents? {
        contents(of: id, path: [])
    }

    /// Whether a recipe would contain itself if another became its ingredient.
    package func wouldCycle(adding other: Identifier, to id: Identifier) -> Bool {
        var seen: [Identifier] = []
        var open = [other]
        while let next = open.popLast() {
            if next == id { return true }
            guard !seen.contains(next) else { continue }
            seen.append(next)
            open += items(next).compactMap { $0.subRecipeID }
        }
        return false
    }

    private func contents(of id: Identifier, path: [Identifier]) -> RecipeContents? {
        guard let recipe = recipe(id) else { return nil }
        let path = path + [id]
        var parts: [Nutrients] = []
        var problems: [RecipeContents.IngredientFinding] = []
        var mass: Int64? = 0
        // Sorted, so that every replica lists the same problems in the same order.
        for item in items(id).sorted(by: { $0.id < $1.id }) {
            guard let part = part(item, path, &problems) else { continue }
            parts.append(part.nutrients)
            mass = mass.flatMap { sum in part.milligrams.map { Rounding.sum(sum, $0) } }
        }
        var totals = NutrientTotals()
        for part in parts { totals.add(part) }
        return RecipeContents(
            totals: totals, milligrams: recipe.cookedMilligrams ?? mass,
            isRawMass: recipe.cookedMilligrams == nil,
            servingsMilli: max(recipe.servingsMilli ?? 1_000, 1), problems: problems)
    }

    private func part(
        _ item: RecipeItem, _ path: [Identifier],
        _ problems: inout [RecipeContents.IngredientFinding]
    ) -> (nutrients: Nutrients, milligrams: Int64?)? {
        if let sub = item.subRecipeID {
            if path.contains(sub) {
                problems.append(.cycle(item.id))
                return nil
            }
            guard path.count < RecipeBook.depthMax else {
                problems.append(.tooDeep(item.id))
                return nil
            }
            guard let inner = contents(of: sub, path: path) else {
                problems.append(.missing(item.id))
                return (Nutrients(), nil)
            }
            problems += inner.problems
            let amount = item.amount ?? Amount(milli: 1_000, unit: "serving")
            if let used = use(amount, of: inner) { return used }
            // What is lacking is a mass of the recipe, if the ingredient has one.
            guard ServingSizes.mass(of: amount) != nil else { return unmeasured(item, &problems) }
            problems.append(.unweighed(item.id, recipe: sub))
            return (Nutrients(), nil)
        }
        guard let food = item.foodID else {
            return (item.nutrients, item.amount.flatMap { ServingSizes.mass(of: $0) })
        }
        guard let servingSizes = servingSizes(food) else {
            problems.append(.missing(item.id))
            return (Nutrients(), item.amount.flatMap { ServingSizes.mass(of: $0) })
        }
        let amount = item.amount ?? Amount(milli: 1_000, unit: "serving")
        do throws(PortionError) {
            let (nutrients, weighed) = try servingSizes.nutrients(of: amount)
            return (nutrients, weighed.milligrams)
        } catch {
            return unmeasured(item, &problems)
        }
    }

    private func use(
        _ amount: Amount, of inner: RecipeContents
    ) -> (nutrients: Nutrients, milligrams: Int64?)? {
        (try? inner.nutrients(of: amount)).map { ($0.0, $0.1.milligrams) }
    }

    private func unmeasured(
        _ item: RecipeItem, _ problems: inout [RecipeContents.IngredientFinding]
    ) -> (nutrients: Nutrients, milligrams: Int64?) {
        problems.append(.unmeasured(item.id))
        return (Nutrients(), nil)
    }
}

extension ServingSizes {
    /// The mass that an amount states by itself, in milligrams; `nil` when its unit is no mass.
    static func mass(of amount: Amount) -> Int64? {
        if let known = amount.milligrams { return known }
        guard let measure = Measure.named(amount.unit.string), measure.dimension == .mass else {
            return nil
        }
        return Rounding.clamped(measure.scaled(Int128(amount.milli), over: 1_000, to: .milligram))
    }
}
