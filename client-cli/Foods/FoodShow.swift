import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `food show`: one food with all its data.
enum FoodShow {
    static let food = Parameter.argument(
        "food", .text, "The food, by the last digits of its id or by its name.")

    static let command = Verb(
        "food show", "Show a food and its nutrients.",
        example: "food show Oats", "food show 7be4", run: run
    ) { food }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        try show(
            try home.read { try FoodNames.require(arguments[food], food, arguments, $0) }, &home)
    }

    static func show(_ food: Food, _ home: inout Home) throws {
        let newer = try home.replica.read { try $0.newerParts(of: Food.self, food.id) }
        try home.show(food.json(newer: newer)) { home in
            let shown = try home.shown
            let short = try home.shortID(.food, food.id)
            home.say(
                home.style.paint(printable(food.fullName), .bold) + "  "
                    + home.style.paint(short, .dim))
            var rows = [("Numbers", (food.basis ?? .per100Grams).formatted)]
            if let serving = food.serving { rows.append(("Serving", shown.amount(serving))) }
            if let barcode = food.gtin { rows.append(("Barcode", barcode)) }
            let portions = try FoodPortions.all(of: food, &home)
            if !portions.isEmpty {
                let arguments = portions.prefix(6).map {
                    "\($0.label) \(shown.amount(Amount(milligrams: $0.milligrams)))"
                }
                let more = portions.count > 6 ? ", …" : ""
                rows.append(("Measures", arguments.joined(separator: ", ") + more))
            }
            if let last = try home.replica.read({ try $0.lastPortion(of: food.id) }) {
                rows.append(("Last eaten", shown.amount(last)))
            }
            if food.carbBasis == .available { rows.append(("Carbs", "without fibre")) }
            if newer != nil { rows.append(("Marks", NewerVersion.sentence)) }
            for (name, text) in rows { home.say(padded(name, to: 20) + printable(text)) }
            home.say("")
            for nutrient in food.nutrients.known {
                guard let amount = food.nutrients[nutrient] else { continue }
                home.say(
                    padded(shown.name(of: nutrient).capitalised, to: 20)
                        + shown.amountWithUnit(amount, of: nutrient))
            }
        }
    }
}
