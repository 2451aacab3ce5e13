import MacrologEvents
import MacrologNutrition
import MacrologTestSupport

/// The common workload: `meal(i)`, the same on every machine and in every language.
struct SampleMeal {
    let id: Identifier
    let name: String
    let day: Int64
    /// When it is recorded: one each millisecond.
    let wall: Int64
    /// Thousandths of a kilocalorie, 50 to 1,199 kcal.
    let energy: Int64
    /// Milligrams, 0 to 79.9 g.
    let protein: Int64
    /// Milligrams, 0 to 149.9 g.
    let carbs: Int64
    /// Milligrams, 0 to 69.9 g.
    let fat: Int64

    init(_ index: Int) {
        var random = Dice(
            seed: 0x6D65_616C_3130_3030 ^ (UInt64(index + 1) &* 0xD134_2543_DE82_EF95))
        day = 10_000 + Int64(index / Self.mealsPerDay)
        wall = 1_800_000_000_000 + Int64(index)
        id = Identifier.v7(milliseconds: wall, random: &random)
        let adjective = Self.adjectives[Int(random.next() % 16)]
        let dish = Self.dishes[Int(random.next() % 32)]
        name = "\(adjective) \(dish) \(random.next() % 1_000)"
        energy = Int64(50 + random.next() % 1_150) * 1_000
        protein = Int64(random.next() % 800) * 100
        carbs = Int64(random.next() % 1_500) * 100
        fat = Int64(random.next() % 700) * 100
    }

    /// Spaced so that a million meals end before the year 2200.
    private static let mealsPerDay = 20

    private static let adjectives = [
        "Baked", "Big", "Cold", "Crisp", "Fresh", "Fried", "Green", "Hot", "Light", "Mild",
        "Raw", "Red", "Rich", "Spicy", "Sweet", "Warm",
    ]
    private static let dishes = [
        "bagel", "beans", "bowl", "bread", "broth", "burger", "cake", "chili", "curry", "dal",
        "eggs", "fish", "fruit", "kebab", "lentils", "muesli", "noodles", "oats", "omelette",
        "pancake", "pasta", "pie", "pizza", "ramen", "rice", "roast", "salad", "soup", "stew",
        "taco", "toast", "tofu",
    ]

    /// The one change of the one event: six fields.
    var change: Change {
        Change(
            EntityKey("meal", id),
            [
                .set([
                    "local_date": LocalDate(day: Day(number: day) ?? .earliest).value,
                    "dish_name": .text(UTF8Text(name)), "energy": .int(energy),
                    "protein": .int(protein), "carbs": .int(carbs), "fat": .int(fat),
                ])
            ])
    }

    var draft: Draft { Draft("meal.added", [change]) }

    /// The event that device `device` records with number `seq`, before its first sync.
    func event(device: Identifier, seq: Int64) -> Event {
        Event(
            dot: Dot(device: device, seq: seq), base: .none, wall: wall,
            type: "meal.added", changes: [change])
    }
}
