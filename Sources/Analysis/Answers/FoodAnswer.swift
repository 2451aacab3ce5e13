/// What a model says that a meal holds, checked: it is a proposal, and never an instruction.
import MacrologJSON
public import MacrologNutrition

/// A proposal of a model for a meal. Its numbers are within bounds, and its sums are of its items.
public struct FoodAnswer: Hashable, Sendable {
    /// What the model saw.
    public enum Found: String, Hashable, Sendable {
        /// Food.
        case food
        /// No food.
        case noFood = "no_food"
        /// It could not tell.
        case unclear
    }

    /// What the model saw.
    public let found: Found
    /// The name of the dish, up to 200 bytes; `nil` if it has none, or is no food.
    public let dish: String?
    /// What it consists of, with the nutrients of each whole item: at most 100.
    public let items: [TemplateItem]
    /// The total that the model stated, which is shown and never used; nothing where it found no food.
    public let reportedTotal: Nutrients
    /// How healthy the model finds the food, 0 to 10.
    public let healthScore: Int64?
    /// How sure the model is, in basis points from 0 to 10,000.
    public let confidenceBasisPoints: Int64
    /// The model that answered, up to 80 bytes.
    public let model: String
    /// How much the provider counted for question and answer, in its tokens.
    public let tokens: Int64

    /// Reads an answer.
    ///
    /// - Parameter model: The model that was asked.
    /// - Throws: ``AnalysisError`` for another form, and for numbers that no meal has.
    init(_ reply: ModelReply, model: String) throws(AnalysisError) {
        let answer = Members(reply.json)
        guard let found = Found(rawValue: try answer.text("found")) else {
            throw .otherForm("found is not food, no_food or unclear")
        }
        let dish = Words.clean(try answer.text("dish"), bytesMax: 200)
        let items = try Self.items(answer)
        guard !items.isEmpty || found != .food else { throw .otherForm("items is empty") }
        let total = try Self.nutrients(
            try answer.object("total"), energyMax: Self.energyMax * 100, massMax: Self.massMax * 100
        )
        let score = try answer.optionalNumber("health_score", places: 0, max: 10)
        // What is said of a meal that is none is dropped.
        let isFood = found == .food
        self.found = found
        self.dish = isFood && !dish.isEmpty ? dish : nil
        self.items = isFood ? items : []
        reportedTotal = isFood ? total : Nutrients()
        healthScore = isFood ? score : nil
        confidenceBasisPoints = try answer.number("confidence", places: 4, max: 10_000)
        self.model = Words.clean(reply.model ?? model, bytesMax: 80)
        tokens = reply.tokens
    }

    /// More than the largest pot: 5,000 kcal, 1 kg of a macronutrient, 10 kg.
    private static let (energyMax, massMax, gramsMax): (Int64, Int64, Int64) = (
        5_000_000, 1_000_000, 10_000_000
    )

    private static func items(_ answer: Members) throws(AnalysisError) -> [TemplateItem] {
        let list = try answer.list("items", countMax: TemplateItem.countMax)
        var items: [TemplateItem] = []
        for part in list {
            let name = Words.clean(try part.text("name"), bytesMax: 200)
            let grams = try part.optionalNumber("grams", places: 3, max: gramsMax)
            var nutrients = try nutrients(part, energyMax: energyMax, massMax: massMax)
            nutrients[.fiber] = try part.optionalNumber("fiber", places: 3, max: massMax)
            items.append(
                TemplateItem(
                    name: name.isEmpty ? "Item \(items.count + 1)" : name,
                    amount: grams.map { Amount(milligrams: $0) }, nutrients: nutrients))
        }
        return items
    }

    private static func nutrients(
        _ part: Members, energyMax: Int64, massMax: Int64
    ) throws(AnalysisError) -> Nutrients {
        Nutrients(
            energy: try part.number("calories", places: 3, max: energyMax),
            protein: try part.number("protein", places: 3, max: massMax),
            carbs: try part.number("carbs", places: 3, max: massMax),
            fat: try part.number("fat", places: 3, max: massMax))
    }
}

// MARK: What is to be doubted

extension FoodAnswer {
    /// The sum of the items.
    public var totals: Nutrients { items.map(\.nutrients).sum }

    /// Whether the stated total differs from the sum of the items by more than rounding: 5 kcal, or 1 g.
    public var hasTotalMismatch: Bool {
        let totals = totals
        return !items.isEmpty
            && reportedTotal.entries.contains { entry in
                let limit: Int64 = entry.nutrient == .energy ? 5_000 : 1_000
                return abs(entry.amount - (totals[entry.nutrient] ?? 0)) > limit
            }
    }

    /// Whether the numbers contradict each other: the energy differs from 4 P + 4 C + 9 F by more than 15 %
    /// and 20 kcal, or an item holds more than it weighs.
    public var isInconsistent: Bool {
        totals.contradictsEnergy
            || items.contains { item in
                guard let mass = item.amount?.milligrams else { return false }
                let held = [Nutrient.protein, .carbs, .fat].reduce(Int64(0)) {
                    $0 + (item.nutrients[$1] ?? 0)
                }
                return held > mass / 20 * 21 + 1_000
            }
    }

    /// Whether the model is less sure than not.
    public var isUnsure: Bool { confidenceBasisPoints < 5_000 }
}

extension [Nutrients] {
    /// What all of them hold together; unknown where none says.
    var sum: Nutrients {
        var sum = Nutrients()
        for entry in flatMap(\.entries) {
            sum[entry.nutrient] = Rounding.sum(sum[entry.nutrient] ?? 0, entry.amount)
        }
        return sum
    }
}

extension Nutrients {
    /// Whether the energy is far from what the macronutrients give, with fibre as carbohydrate or with
    /// fibre at 2 kcal/g.
    fileprivate var contradictsEnergy: Bool {
        guard let energy = self[.energy] else { return false }
        let (protein, carbs, fat) = (self[.protein] ?? 0, self[.carbs] ?? 0, self[.fat] ?? 0)
        let tolerance = Swift.max(20_000, energy / 100 * 15)
        let plain = Atwater.energy(protein: protein, carbs: carbs, fat: fat)
        let fibrous = Atwater.energy(
            protein: protein, carbs: carbs, fat: fat, fiber: self[.fiber] ?? 0, carbBasis: .total)
        return abs(energy - plain) > tolerance && abs(energy - fibrous) > tolerance
    }
}
