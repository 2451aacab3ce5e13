import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `food add`: adds a food and its nutrients.
enum FoodAdd {
    static let name = Parameter.argument("name", .text, "The name.")

    static let command = Verb(
        "food add", "Add a food and its nutrients.",
        example: "food add Oats --kcal 372 --p 13.5 --c 58.7 --f 7 --fiber 10",
        "food add Bread --kcal 240 --serving-size '1 slice=28g'",
        explanation: """
            The nutrients are per 100 g unless --per says otherwise. If a food with the same barcode
            exists, it is changed instead.
            """, run: run
    ) {
        name
        FoodOptions.all
        NutrientOptions.all
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let barcode = arguments[FoodOptions.barcode]
        let id = try home.foodID(of: barcode)
        var food =
            try home.replica.read { try $0.entity(Food.self, id) }
            ?? Food(id: id, name: arguments[name])
        food.name = arguments[name]
        food.source = .user
        if food.isArchived == true { food.isArchived = false }
        try FoodOptions.apply(to: &food, arguments, &home)
        let others = try home.read { try LoggedFood.all(named: food.name, $0) }
            .filter { $0.id != food.id }
        home.warn(try home.replica.write { try $0.put(food) })
        if let other = others.first {
            let (old, new) = (try home.shortID(.food, other.id), try home.shortID(.food, food.id))
            home.warn(
                "another food is called \(other.fullName): macrolog food edit \(old) changes it, "
                    + "and add --food \(new) logs this one")
        }
        try home.tell("Stored", food)
    }
}

extension Home {
    /// The food that has the barcode, or a new one.
    mutating func foodID(of barcode: Barcode?) throws -> Identifier {
        guard let barcode else { return try replica.newID() }
        return try replica.read { try $0.foodID(of: barcode) }
    }

    /// Reports a food.
    mutating func tell(_ verb: String, _ food: Food) throws {
        try show(food.json) { try $0.sayTold(verb, food) }
    }

    /// Reports a food, in words.
    mutating func sayTold(_ verb: String, _ food: Food) throws {
        let shown = Shown(preferences: try preferences)
        let short = try shortID(.food, food.id)
        var parts = [style.paint(printable(food.fullName), .bold)]
        if let energy = food[.energy] { parts.append(shown.energyWithUnit(energy)) }
        say(
            "\(verb) \(parts.joined(separator: ", ")) "
                + "\((food.basis ?? .per100Grams).formatted)  \(short)")
    }
}
