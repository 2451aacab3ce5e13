import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `food portion add`, `list`, `delete`: the household measures of a food.
enum FoodPortions {
    static let label = Parameter.argument(
        "measure", .text, "The name of the measure: slice, 'cup, chopped'.")
    static let mass = Parameter.argument("mass", .portion, "The weight of one: 28g, 1oz.")

    static let add = Verb(
        "food portion add", "Define a household measure of a food.",
        example: "food portion add Bread slice 28g", "food portion add Oats cup 90g",
        explanation: """
            Then `--amount '2 slices'` works wherever an amount is typed. An existing measure of that
            name is changed; meals keep their nutrients. A unit such as ml or oz is no name for a measure.
            """,
        run: { arguments, home in
            try refuseUnit(arguments)
            let food = try home.read {
                try FoodNames.require(arguments[FoodShow.food], FoodShow.food, arguments, $0)
            }
            let typed = "\"\(printable(arguments[mass].text))\""
            if let first = try missingWeight(of: food, &home) {
                throw arguments.usageError(
                    of: mass,
                    "\(typed) does not fit: a measure is a mass, and it is unknown what a serving "
                        + "of \(printable(food.name)) weighs",
                    instead: "\(food.example) where you log it, or first: \(first)")
            }
            let mark = try home.preferences.decimalMark ?? .auto
            guard
                let milligrams = try? NumberReader(decimalMark: mark).read(arguments[mass].text)?
                    .whole(.milligram, unitless: .gram), milligrams > 0
            else {
                throw arguments.usageError(of: mass, "\(typed) is not a mass", instead: "28g")
            }
            let portion = FoodPortion(of: food.id, label: arguments[label], milligrams: milligrams)
            home.warn(try home.replica.write { try $0.put(portion) })
            try home.show(portion.json) { home in
                let shown = try home.shown
                home.say(
                    "Stored \(printable(portion.label)) of \(printable(food.fullName)): "
                        + shown.amount(Amount(milligrams: portion.milligrams)))
            }
        }
    ) {
        FoodShow.food
        label
        mass
    }

    static let list = Verb(
        "food portion list", "List the measures of a food.", example: "food portion list Bread",
        run: { arguments, home in
            let food = try home.read {
                try FoodNames.require(arguments[FoodShow.food], FoodShow.food, arguments, $0)
            }
            let sizes = try home.replica.read { try $0.servingSizes(of: food.id) }
            let portions = sizes?.portions ?? []
            try home.show(.array(portions.map(\.json))) { home in
                guard !portions.isEmpty else {
                    let next =
                        try missingWeight(of: food, &home).map {
                            "First the weight of a serving: \($0)"
                        } ?? "macrolog food portion add \(food.name.quoted) cup 90g"
                    return home.say("No measures yet. \(next)")
                }
                let shown = try home.shown
                var table = Table(
                    Table.Column("measure"), Table.Column("mass", .right),
                    Table.Column(shown.energySymbol, .right))
                for portion in portions {
                    let amount = Amount(
                        milli: 1_000, unit: "portion", milligrams: portion.milligrams)
                    let energy = (try? sizes?.nutrients(of: amount))?.0[.energy]
                    table.add(
                        Table.Cell(portion.label),
                        Table.Cell(shown.amount(Amount(milligrams: portion.milligrams))),
                        Table.Cell(shown.amount(energy, of: .energy)))
                }
                home.say(table.lines(style: home.style, width: home.terminalWidth))
            }
        }
    ) { FoodShow.food }

    static let delete = Verb(
        "food portion delete", "Delete a measure of a food; meals keep their nutrients.",
        example: "food portion delete Bread slice",
        run: { arguments, home in
            let food = try home.read {
                try FoodNames.require(arguments[FoodShow.food], FoodShow.food, arguments, $0)
            }
            let alike = try all(of: food, &home).filter {
                SearchText.isSame($0.label, arguments[label])
            }
            guard let portion = alike.first(where: { $0.label == arguments[label] }) ?? alike.first
            else {
                throw CommandError(
                    .noInput,
                    "\(arguments.command): \(printable(food.name)) has no measure "
                        + "\"\(printable(arguments[label]))\"; see: macrolog food portion list")
            }
            try EntryKind.of(FoodPortion.kind).delete([portion.id], &home)
        }
    ) {
        FoodShow.food
        label
    }

    /// Refuses a name that is a unit: an amount in it is always that mass or volume, and never the measure.
    private static func refuseUnit(_ arguments: ParsedArguments) throws {
        let name = arguments[label]
        guard let unit = Measure.named(name) else { return }
        let isMass = unit.dimension == .mass
        guard isMass || unit.dimension == .volume else { return }
        throw arguments.usageError(
            of: label,
            "\"\(printable(name))\" is a unit of \(isMass ? "mass" : "volume"), and --amount reads it "
                + "as one",
            instead: "a name such as slice, cup or piece")
    }

    /// What to type before a measure, which is a mass, says how much of the food it is; `nil` where
    /// it does already.
    private static func missingWeight(of food: Food, _ home: inout Home) throws -> String? {
        let sizes = try home.replica.read { try $0.servingSizes(of: food.id) }
        guard sizes?.takesMasses == false else { return nil }
        let size = food.basis == .per100Milliliters ? "250ml=…g" : "…g"
        return "macrolog food edit \(food.name.quoted) --serving-size \(size)"
    }

    /// By name.
    static func all(of food: Food, _ home: inout Home) throws -> [FoodPortion] {
        try home.replica.read { try $0.servingSizes(of: food.id) }?.portions ?? []
    }
}

extension String {
    /// Quoted for a command line if necessary.
    var quoted: String {
        let isPlain = utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        return isPlain && !isEmpty ? self : "'\(printable(self).replacing("'", with: "'\\''"))'"
    }
}
