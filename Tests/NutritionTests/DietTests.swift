import MacrologEvents
import MacrologNutrition
import Testing

/// Goal: a score is what its definition says, with its reasons, and never more sure than it may be.
@Suite struct DietTests {
    /// Protein, carbohydrate, fat and fibre in grams.
    struct Plate: Sendable, CustomTestStringConvertible {
        let name: String
        let protein: Double
        let carbs: Double
        let fat: Double
        let fiber: Double?
        var scores: [DietType: Int]
        var testDescription: String { name }

        init(
            _ name: String, _ protein: Double, _ carbs: Double, _ fat: Double, _ fiber: Double?,
            _ scores: [DietType: Int]
        ) {
            self.name = name
            (self.protein, self.carbs, self.fat) = (protein, carbs, fat)
            self.fiber = fiber
            self.scores = scores
        }

        var facts: DietFacts {
            var nutrients = Nutrients(
                protein: Int64(protein * 1_000), carbs: Int64(carbs * 1_000),
                fat: Int64(fat * 1_000))
            nutrients[.fiber] = fiber.map { Int64($0 * 1_000) }
            return DietFacts(
                totals: NutrientTotals(own: nutrients, items: []),
                parts: [DietFacts.Part(name: name)])
        }
    }

    static let plates = [
        Plate("salmon salad", 35, 8, 30, 3, [.keto: 91, .lowCarb: 100, .balanced: 30]),
        Plate("pancakes", 9, 93, 19, nil, [.keto: 9, .balanced: 94]),
        Plate("avocado", 3, 12.8, 22, 10, [.keto: 93]),
        Plate("chicken and rice", 45, 60, 8, 1, [.keto: 10, .lowCarb: 30, .balanced: 90]),
        Plate("tofu stir-fry", 20, 25, 15, 5, [.keto: 33, .custom: 71]),
    ]

    @Test(arguments: plates)
    func `macros give the golden scores`(plate: Plate) throws {
        let shares = try #require(MacroShares(protein: 4_000, carbs: 3_000, fat: 3_000))
        for (diet, score) in plate.scores {
            let found = DietScore.score(plate.facts, for: diet, shares: shares)
            #expect(found.score == score, "\(diet)")
            #expect(!found.explanation.isEmpty)
        }
    }

    @Test(arguments: [
        (100, DietScore.Band.green), (80, .green), (79, .yellow), (60, .yellow), (59, .red),
        (0, .red),
    ])
    func `bands are green from 80 and yellow from 60`(score: Int, band: DietScore.Band) {
        #expect(DietScore.Band(score) == band)
    }

    static func named(_ parts: String..., ingredients: String? = nil) -> DietFacts {
        DietFacts(
            totals: NutrientTotals(),
            parts: parts.map { DietFacts.Part(name: $0, ingredients: ingredients) })
    }

    @Test func `an ingredient of animals is quoted, and the score is zero for vegans`() {
        let score = DietScore.score(Self.named("Lentil soup", "Parmesan"), for: .vegan)
        #expect(score.score == 0)
        #expect(score.explanation == ["contains \"parmesan\""])
        #expect(score.band == .red)
        let vegetarian = DietScore.score(Self.named("Parmesan"), for: .vegetarian)
        #expect(vegetarian.score == 100)
        let chicken = DietScore.score(Self.named("Chicken soup", "Bacon"), for: .vegetarian)
        #expect(chicken.score == 10)
        #expect(DietScore.score(Self.named("Gelatin dessert"), for: .vegetarian).score == 20)
    }

    @Test func `without ingredient data there is no score`() {
        for diet in [DietType.vegan, .vegetarian, .paleo] {
            let unknown = DietScore.score(Self.named("Grandma's special"), for: diet)
            #expect(unknown.score == nil)
            #expect(unknown.band == nil)
            #expect(unknown.explanation == ["no ingredient data"])
            #expect(DietScore.score(DietFacts(totals: NutrientTotals()), for: diet).score == nil)
        }
    }

    @Test func `a list of ingredients is trusted more than a name, and half a meal less`() {
        #expect(DietScore.score(Self.named("Lentil soup"), for: .vegan).confidence == .medium)
        #expect(
            DietScore.score(
                Self.named("Soup", ingredients: "lentils, water, salt"), for: .vegan
            ).confidence == .high)
        let partly = DietScore.score(Self.named("Lentil soup", "Special"), for: .vegan)
        #expect(partly.score == 100)
        #expect(partly.confidence == .low)
    }

    @Test func `paleo forbids grain, legumes, dairy and sugar, and frowns at syrup and seed oil`() {
        #expect(DietScore.score(Self.named("Salmon", "Spinach"), for: .paleo).score == 100)
        for word in ["White bread", "Lentils", "Cheddar", "Brown sugar"] {
            #expect(DietScore.score(Self.named(word), for: .paleo).score == 20, "\(word)")
        }
        let frowned = DietScore.score(
            Self.named("Salmon", ingredients: "salmon, maple syrup, canola oil"), for: .paleo)
        #expect(frowned.score == 80)
        #expect(frowned.explanation.contains("less 10 for \"maple syrup\""))
        var sweet = Nutrients(energy: 1)
        sweet[.addedSugars] = 1_000
        let sugared = DietFacts(
            totals: NutrientTotals(own: sweet, items: []), parts: [DietFacts.Part(name: "Banana")])
        #expect(DietScore.score(sugared, for: .paleo).score == 90)
    }

    @Test func `a mediterranean plate counts energy, saturated fat, fibre and ingredients`() {
        var nutrients = Nutrients(protein: 25_000, carbs: 60_000, fat: 22_000)
        nutrients[.saturatedFat] = 4_000
        nutrients[.fiber] = 9_000
        let totals = NutrientTotals(own: nutrients, items: [])
        let good = DietFacts(
            totals: totals,
            parts: ["Salmon", "Lentils", "Tomato salad with olive oil"].map {
                DietFacts.Part(name: $0)
            })
        #expect(DietScore.score(good, for: .mediterranean).score == 100)
        let heavy = DietFacts(
            totals: totals,
            parts: ["Bacon", "Steak", "Butter"].map { DietFacts.Part(name: $0) })
        let score = DietScore.score(heavy, for: .mediterranean)
        #expect(score.score == 75)
        #expect(score.explanation.last == "also steak, bacon, butter")
        nutrients[.saturatedFat] = nil
        let unknown = DietScore.score(
            DietFacts(totals: NutrientTotals(own: nutrients, items: []), parts: good.parts),
            for: .mediterranean)
        #expect(unknown.score == 100, "what is unknown takes and gives nothing")
        #expect(unknown.confidence == .medium)
    }

    @Test func `no macros, no score; alcohol is reported and left out`() {
        let water = NutrientTotals(own: Nutrients(protein: 0, carbs: 0, fat: 0), items: [])
        #expect(DietScore.score(DietFacts(totals: water), for: .keto).explanation == ["no macros"])
        #expect(DietScore.score(DietFacts(totals: NutrientTotals()), for: .keto).score == nil)
        var wine = Nutrients(protein: 100, carbs: 3_800, fat: 0)
        wine[.alcohol] = 15_000
        let score = DietScore.score(
            DietFacts(totals: NutrientTotals(own: wine, items: [])), for: .balanced)
        #expect(score.score != nil)
        #expect(score.explanation.contains("15.0 g of alcohol left out"))
        #expect(DietScore.score(Self.plates[0].facts, for: .custom).score == nil)
    }

    @Test func `what part of a meal does not know lowers confidence`() {
        var totals = NutrientTotals()
        totals.add(Nutrients(protein: 30_000, carbs: 20_000, fat: 10_000))
        totals.add(Nutrients(protein: 5_000))
        let score = DietScore.score(DietFacts(totals: totals), for: .balanced)
        #expect(score.confidence == .low)
        #expect(score.explanation.contains("carbs known for 1 of 2 parts"))
        #expect(DietScore.score(Self.plates[1].facts, for: .keto).confidence == .medium)
        #expect(DietScore.score(Self.plates[0].facts, for: .keto).confidence == .high)
    }

    @Test func `available carbohydrate is net already, and total with its fibre`() {
        let nutrients = {
            var nutrients = Nutrients(protein: 35_000, carbs: 5_000, fat: 30_000)
            nutrients[.fiber] = 3_000
            return NutrientTotals(own: nutrients, items: [])
        }()
        let facts = DietFacts(totals: nutrients, carbBasis: .available)
        #expect(DietScore.score(facts, for: .keto).score == 91)
        #expect(DietScore.score(facts, for: .balanced).score == 30)
    }

    @Test func `every diet gives every plate a score from 0 to 100 or none`() {
        let shares = MacroShares(protein: 3_000, carbs: 4_000, fat: 3_000)
        for protein in stride(from: Int64(0), through: 200_000, by: 25_000) {
            for carbs in stride(from: Int64(0), through: 200_000, by: 25_000) {
                for fat in stride(from: Int64(0), through: 200_000, by: 25_000) {
                    var nutrients = Nutrients(protein: protein, carbs: carbs, fat: fat)
                    nutrients[.saturatedFat] = fat
                    nutrients[.fiber] = carbs
                    let facts = DietFacts(
                        totals: NutrientTotals(own: nutrients, items: []),
                        parts: [DietFacts.Part(name: "Olive oil")])
                    for diet in DietType.allCases {
                        let score = DietScore.score(facts, for: diet, shares: shares).score
                        #expect((0...100).contains(score ?? 0))
                    }
                }
            }
        }
    }
}

@Suite struct DietTrendTests {
    static let end = Day("2026-11-20") ?? .earliest

    static func meal(_ number: UInt64, _ score: Int, daysAgo: Int) -> ScoredMeal {
        let meal = Meal(
            id: Identifier(high: 0, low: number),
            on: LocalDate(day: end.advanced(by: -daysAgo)))
        return ScoredMeal(
            meal: MealDetail(
                meal: meal, items: [], totals: NutrientTotals(), hasConflict: false,
                isEditedByNewerVersion: false),
            score: DietScore(.keto, score, [], .high))
    }

    @Test func `days have means, and the ends are named without overlap`() {
        let meals = [
            Self.meal(1, 40, daysAgo: 3), Self.meal(2, 61, daysAgo: 3),
            Self.meal(3, 90, daysAgo: 1),
            Self.meal(4, 90, daysAgo: 0), Self.meal(5, 10, daysAgo: 9),
        ]
        for list in [meals, meals.reversed()] {
            let trend = DietTrend(list, during: Self.end.lastDays(7), limit: 2)
            #expect(trend.days.map(\.hundredths) == [5_050, 9_000, 9_000])
            #expect(trend.days.map(\.meals) == [2, 1, 1])
            #expect(trend.meanHundredths == 7_025)
            #expect(trend.changeHundredths == 3_950, "the later day against the earlier")
            #expect(trend.best.map(\.meal.meal.id.low) == [4, 3])
            #expect(trend.worst.map(\.meal.meal.id.low) == [1, 2])
        }
        let one = DietTrend([Self.meal(1, 60, daysAgo: 0)], during: Self.end.lastDays(7))
        #expect(one.best.count == 1 && one.worst.isEmpty)
        #expect(one.changeHundredths == nil)
        #expect(DietTrend([], during: Self.end.lastDays(7)).meanHundredths == nil)
    }

    @Test func `a red score is never among the best, however few meals there are`() {
        let meals = [Self.meal(1, 59, daysAgo: 0), Self.meal(2, 3, daysAgo: 1)]
        for count in 1...2 {
            let trend = DietTrend(
                Array(meals.prefix(count)), during: Self.end.lastDays(7), limit: 2)
            #expect(trend.best.isEmpty)
            #expect(trend.worst.map(\.meal.meal.id.low) == (count == 1 ? [1] : [2, 1]))
        }
    }
}
