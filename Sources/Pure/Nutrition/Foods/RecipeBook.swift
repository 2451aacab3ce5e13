public import MacrologEvents

/// What recipes hold, computed from their ingredients: foods, other recipes, and names with nutrients.
///
/// A recipe that contains itself, however far down, is refused when it is written. Two devices may
/// still write the two halves of a circle; then the ingredient that closes it is left out and said.
public struct RecipeBook {
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

        /// The ingredient.
        package var item: Identifier {
            switch self {
            case .cycle(let id), .tooDeep(let id), .missing(let id), .unmeasured(let id): id
            }
        }
    }

    /// The nutrients and the mass of a recipe.
    public struct Contents: Hashable, Sendable {
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

        /// The nutrients of `part` milligrams of the dish; `nil` when its mass is unknown.
        public func mass(_ part: Int64) -> Nutrients? {
            guard let milligrams, milligrams > 0 else { return nil }
            return self.part(part, of: milligrams)
        }

        /// The nutrients of an amount of the dish, and the amount with its mass if that is known.
        ///
        /// - Throws: ``PortionError`` for an amount that is neither servings nor a mass, and for a
        ///   mass of a dish whose mass is unknown.
        package func nutrients(of amount: Amount) throws(PortionError) -> (Nutrients, Amount) {
            var weighed = amount
            if ServingSizes.isServing(amount.unit) {
                weighed.milligrams = milligrams.map {
                    Rounding.scaled($0, by: amount.milli, over: servingsMilli)
                }
                return (servings(amount.milli), weighed)
            }
            weighed.milligrams = ServingSizes.mass(of: amount)
            guard let part = weighed.milligrams, let nutrients = mass(part) else {
                throw PortionError(
                    unit: amount.unit, known: milligrams == nil ? ["serving"] : ["serving", "g"],
                    candidates: [])
            }
            return (nutrients, weighed)
        }

        /// The mass of one serving, in milligrams, half to even; `nil` when the mass is unknown.
        public var servingMilligrams: Int64? {
            milligrams.map { Rounding.scaled($0, by: 1_000, over: servingsMilli) }
        }

        private func part(_ part: Int64, of whole: Int64) -> Nutrients {
            var nutrients = Nutrients()
            for entry in totals.entries { nutrients[entry.nutrient] = entry.amount }
            return nutrients.scaled(part: part, whole: whole)
        }
    }

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
    package func contents(of id: Identifier) -> Contents? {
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

    private func contents(of id: Identifier, path: [Identifier]) -> Contents? {
        guard let recipe = recipe(id) else { return nil }
        let path = path + [id]
        var parts: [Nutrients] = []
        var problems: [IngredientFinding] = []
        var mass: Int64? = 0
        // Sorted, so that every replica lists the same problems in the same order.
        for item in items(id).sorted(by: { $0.id < $1.id }) {
            guard let part = part(item, path, &problems) else { continue }
            parts.append(part.nutrients)
            mass = mass.flatMap { sum in part.milligrams.map { Rounding.sum(sum, $0) } }
        }
        var totals = NutrientTotals()
        for part in parts { totals.add(part) }
        return Contents(
            totals: totals, milligrams: recipe.cookedMilligrams ?? mass,
            isRawMass: recipe.cookedMilligrams == nil,
            servingsMilli: max(recipe.servingsMilli ?? 1_000, 1), problems: problems)
    }

    private func part(
        _ item: RecipeItem, _ path: [Identifier], _ problems: inout [IngredientFinding]
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
            return use(amount, of: inner) ?? unmeasured(item, &problems)
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
        _ amount: Amount, of inner: Contents
    ) -> (nutrients: Nutrients, milligrams: Int64?)? {
        (try? inner.nutrients(of: amount)).map { ($0.0, $0.1.milligrams) }
    }

    private func unmeasured(
        _ item: RecipeItem, _ problems: inout [IngredientFinding]
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
