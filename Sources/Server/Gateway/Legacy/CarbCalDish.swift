/// A dish as CarbCal shows it: whole numbers, and a total that they add up to.
import MacrologJSON
import MacrologNutrition

struct CarbCalDish {
    /// Each ingredient with its name and amounts.
    let ingredients: JSON
    /// What the ingredients come to.
    let total: [JSON.Member]
    /// The energy of the total, in kilocalories.
    let calories: Int64

    /// CarbCal's amounts, in its order.
    private static let shown: [(name: String, nutrient: Nutrient)] = [
        ("calories", .energy), ("carbs", .carbs), ("protein", .protein), ("fats", .fat),
    ]

    /// - Parameters:
    ///   - parts: What the dish consists of, with the nutrients of each whole part.
    ///   - share: How much of it was eaten, in basis points.
    init(_ parts: [(name: String, nutrients: Nutrients)], share: Int64 = 10_000) {
        let columns = Self.shown.map { shown in
            Self.whole(parts.map { $0.nutrients[shown.nutrient] ?? 0 }, share: share)
        }
        ingredients = .array(
            parts.indices.map { index in
                .object(
                    [JSON.Member("name", .string(parts[index].name))]
                        + zip(Self.shown, columns).map { shown, column in
                            JSON.Member(shown.name, .integer(column.parts[index]))
                        })
            })
        total = zip(Self.shown, columns).map { shown, column in
            JSON.Member(shown.name, .integer(column.total))
        }
        calories = columns[0].total
    }

    /// A meal, as much of it as was eaten. What it has besides its items is one ingredient more.
    init(_ detail: MealDetail) {
        let (meal, items) = (detail.meal, detail.items)
        let hasOwn = Self.shown.contains { meal.nutrients[$0.nutrient] != nil }
        let own = hasOwn ? [(meal.dishName ?? "", meal.nutrients)] : []
        self.init(
            own + items.map { ($0.name ?? "", $0.nutrients) },
            share: meal.consumedShareBasisPoints)
    }

    /// Thousandths as whole numbers: the total half up, and each part cut, except those that were cut most,
    /// which are rounded up until they add up to the total; the earlier of equals first.
    private static func whole(
        _ thousandths: [Int64], share: Int64
    ) -> (parts: [Int64], total: Int64) {
        let one: Int128 = 1_000 * 10_000
        func cut(_ amount: Int128) -> Int128 { (amount - modulo(amount)) / one }
        func modulo(_ amount: Int128) -> Int128 {
            let rest = amount % one
            return rest < 0 ? rest + one : rest
        }
        let exact = thousandths.map { Int128($0) * Int128(share) }
        let total = cut(exact.reduce(one / 2, +))
        var parts = exact.map(cut)
        let order = exact.indices.sorted {
            let (left, right) = (modulo(exact[$0]), modulo(exact[$1]))
            return left == right ? $0 < $1 : left > right
        }
        for index in order.prefix(Int(total - parts.reduce(0, +))) { parts[index] += 1 }
        return (parts.map { Int64(clamping: $0) }, Int64(clamping: total))
    }
}
