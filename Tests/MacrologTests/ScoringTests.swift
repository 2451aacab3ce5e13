import Foundation
import Macrolog
import MacrologTestSupport
import Testing

/// Goal: a score rests on what is really in a meal: its foods' ingredients, its recipes' foods, one way
/// of counting fibre; and what is eaten most is counted thing by thing.
/// Method: one replica in a folder of its own.
@Suite struct ScoringTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private func withReplica(_ body: (Replica) throws -> Void) throws {
        let folder = ScratchFolder()
        try body(try Replica.open(at: folder.file("log.db")))
    }

    /// A meal of items, each a name, a food or a recipe, and what it holds in grams.
    @discardableResult
    private func eat(
        _ items: [(name: String, food: Identifier?, recipe: Identifier?, nutrients: Nutrients)],
        consumed: Bool = true, share: Int64 = 10_000, in replica: Replica
    ) throws -> Identifier {
        var meal = Meal(
            id: replica.newID(), on: LocalDate(day: day), slot: "lunch", isConsumed: consumed)
        meal.consumedShareBasisPoints = share
        try replica.add(
            meal,
            items: items.map { item in
                var part = MealItem(id: replica.newID(), of: meal.id, name: item.name)
                part.foodID = item.food
                part.recipeID = item.recipe
                part.nutrients = item.nutrients
                return part
            })
        return meal.id
    }

    private func grams(_ protein: Int64, _ carbs: Int64, _ fat: Int64, _ fiber: Int64) -> Nutrients
    {
        var nutrients = Nutrients(
            energy: 1_000 * (4 * protein + 4 * carbs + 9 * fat), protein: protein * 1_000,
            carbs: carbs * 1_000, fat: fat * 1_000)
        nutrients[.fiber] = fiber * 1_000
        return nutrients
    }

    @Test func `labels that leave fibre out of carbohydrate score like those that don't`() throws {
        try withReplica { replica in
            var american = Food(id: replica.newID(), name: "Avocado, US label")
            american.carbBasis = .total
            var swiss = Food(id: replica.newID(), name: "Avocado, Swiss label")
            swiss.carbBasis = .available
            for food in [american, swiss] { try replica.add(food) }
            let one = try eat(
                [("Avocado", american.id, nil, grams(3, 13, 22, 10))], in: replica)
            let other = try eat([("Avocado", swiss.id, nil, grams(3, 3, 22, 10))], in: replica)
            let scores = try replica.read { diary in
                try [one, other].map { try diary.dietScore(ofMeal: $0, for: .keto)?.score.score }
            }
            #expect(scores[0] != nil && scores[0] == scores[1])
            let mixed = try eat(
                [
                    ("Avocado", american.id, nil, grams(3, 13, 22, 10)),
                    ("Avocado", swiss.id, nil, grams(3, 3, 22, 10)),
                ], in: replica)
            #expect(
                try replica.read { try $0.dietScore(ofMeal: mixed, for: .keto) }?.score.score
                    == scores[0])
            let meal = try #require(try replica.meal(mixed))
            let net = try replica.read { try $0.netCarbs(of: meal) }
            #expect(net.milligrams == 6_000 && net.coverage.isComplete && !net.isUpperBound)
            // A day is the sum of its meals.
            let (report, each) = try replica.read { diary in
                let report = try diary.dayReport(of: day)
                return (report, try report.meals.map { try diary.netCarbs(of: $0) })
            }
            var sum = NetCarbs()
            for net in each { sum.add(net) }
            #expect(report.netCarbs == sum && each.count == 3)
        }
    }

    @Test func `what is in a food or a recipe counts, whatever the part is called`() throws {
        try withReplica { replica in
            var bar = Food(id: replica.newID(), name: "Bar")
            bar.ingredients = "dates, whey powder, salt"
            try replica.add(bar)
            let beef = Food(id: replica.newID(), name: "Minced beef")
            try replica.add(beef)
            let sauce = Recipe(id: replica.newID(), name: "Sauce", servingsMilli: 4_000)
            let dish = Recipe(id: replica.newID(), name: "Grandma's", servingsMilli: 4_000)
            for recipe in [sauce, dish] { try replica.add(recipe) }
            try replica.write {
                try $0.addIngredient(
                    RecipeItem(id: replica.newID(), of: sauce.id, foodID: beef.id))
            }
            try replica.write {
                try $0.addIngredient(
                    RecipeItem(id: replica.newID(), of: dish.id, subRecipeID: sauce.id))
            }
            let snack = try eat([("Bar", bar.id, nil, grams(10, 20, 5, 2))], in: replica)
            let lunch = try eat([("Grandma's", nil, dish.id, grams(30, 20, 20, 5))], in: replica)
            let first = try #require(
                try replica.read { try $0.dietScore(ofMeal: snack, for: .vegan) }
            ).score
            #expect(first.score == 0 && first.explanation == ["contains \"whey\""])
            #expect(first.confidence == .high)
            let second = try #require(
                try replica.read { try $0.dietScore(ofMeal: lunch, for: .vegan) }
            ).score
            #expect(second.score == 0 && second.explanation == ["contains \"beef\""])
            // A food that was deleted since was eaten nevertheless.
            try replica.delete(Food.self, bar.id)
            #expect(
                try replica.read { try $0.dietScore(ofMeal: snack, for: .vegan) }?.score == first)
        }
    }

    @Test func `only what was eaten is scored and counted, and of a share the share`() throws {
        try withReplica { replica in
            let oats = Food(id: replica.newID(), name: "Oats")
            try replica.add(oats)
            try eat([("Oats", oats.id, nil, grams(10, 60, 7, 10))], in: replica)
            try eat([("My oats", oats.id, nil, grams(10, 60, 7, 10))], share: 5_000, in: replica)
            try eat([("Cake", nil, nil, grams(5, 80, 30, 1))], consumed: false, in: replica)
            #expect(
                try replica.read { try $0.dietScores(on: day...day, for: .balanced) }.count == 2)
            let tallies = try replica.read { try $0.foodTallies(on: day...day) }
            #expect(tallies.count == 1)
            #expect(tallies.first?.times == 2 && tallies.first?.days == 1)
            #expect(tallies.first?.totals[.protein] == 15_000)
            #expect(
                try replica.read { try $0.dietScore(ofMeal: replica.newID(), for: .keto) } == nil)
        }
    }
}
