import MacrologArgumentParsing
import MacrologFaces
import MacrologLabels
import MacrologScanning
import MacrologTerminal
import Macrolog

/// `food label`: reads the nutrition label in a picture, and stores it as a food once it is confirmed.
enum FoodLabel {
    static let name = Parameter.option("name", .text, "The name of the food to store.")
    static let yes = Parameter.flag("yes", "Store the food; without it nothing is recorded.")

    static let command = Verb(
        "food label", "Read the nutrition label in a picture.",
        example: "food label oats.jpg", "food label oats.jpg --name Oats --f 7 --yes",
        explanation: """
            Reads the English table of nutrients of a package, on this device, and shows what it read for
            you to compare. With --name and --yes it becomes a food; a number that you type takes the
            place of the one that was read, and those that are in doubt have to be typed: n/a for
            unknown. Needs liblept5 and tesseract-ocr with tesseract-ocr-eng.
            """, run: run
    ) {
        FoodScan.file
        name
        FoodOptions.all
        NutrientOptions.all
        yes
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let picture = try FoodScan.picture(arguments)
        let file = printable(arguments[FoodScan.file])
        let label: NutritionLabel
        do throws(ScanError) {
            var reader = try TextReader()
            label = try reader.label(in: picture)
        } catch {
            throw CommandError(error, file, arguments)
        }
        guard label.isFound else {
            throw CommandError(
                .dataErr,
                "\(arguments.command): there is no nutrition label in \(file) that can be read\n"
                    + "take it closer, level and in more light, or type its numbers: "
                    + "macrolog food add NAME --kcal … --p … --c … --f …")
        }
        guard arguments[yes] else {
            return try home.show(label.face.json(stored: nil)) { home in
                try show(label, &home)
                home.say("")
                home.say(
                    "Nothing is recorded. Compare it with the package; then add: --name NAME --yes, "
                        + "and what is wrong as it is printed, such as --f 7")
            }
        }
        guard let title = arguments[name] else {
            throw arguments.usageError(
                of: name, "is missing", instead: "the name of the food: --name Oats")
        }
        let open = try openDoubts(label, arguments, &home)
        guard open.isEmpty else {
            throw CommandError(
                .dataErr,
                "\(arguments.command): nothing is recorded, because this is in doubt:\n"
                    + open.map { "  \(printable($0.words))" }.joined(separator: "\n")
                    + "\ntype it as the package says: --kcal, --p, --c, --f, --fiber, --nutrient "
                    + "sugars=5g, or n/a; the amount with --per and --serving-size")
        }
        let food = try food(label, called: title, arguments, &home)
        home.warn(try home.replica.write { try $0.put(food) })
        try home.show(label.face.json(stored: food)) { try $0.sayTold("Stored", food) }
    }

    /// The doubts that no typed number settles.
    private static func openDoubts(
        _ label: NutritionLabel, _ arguments: ParsedArguments, _ home: inout Home
    ) throws -> [LabelDoubt] {
        let typed = try home.read { try NutrientOptions.read(arguments, $0, &$1) }.map(\.nutrient)
        let hasBasis = arguments.has(FoodOptions.basis)
        return label.doubts.filter { doubt in
            switch doubt {
            case .basis: !hasBasis
            case .unknownLine: false
            default: doubt.nutrient.map { !typed.contains($0) } ?? true
            }
        }
    }

    private static func food(
        _ label: NutritionLabel, called name: String, _ arguments: ParsedArguments,
        _ home: inout Home
    ) throws -> Food {
        let barcode = arguments[FoodOptions.barcode]
        let id = try home.foodID(of: barcode)
        var food =
            try home.replica.read { try $0.entity(Food.self, id) } ?? Food(id: id, name: name)
        let typed = arguments[FoodOptions.basis]
        let column = label.columns.first { $0.basis == typed } ?? label.main
        food.name = name
        food.source = .user
        food.basis = column?.basis
        food.serving = label.serving
        food.carbBasis = label.carbBasis
        food.nutrients = column?.nutrients ?? Nutrients()
        try FoodOptions.apply(to: &food, arguments, &home)
        return food
    }

    private static func show(_ label: NutritionLabel, _ home: inout Home) throws {
        let shown = try home.shown
        var headings = label.columns.map(\.basis.formatted)
        if let serving = label.serving {
            headings = zip(label.columns, headings).map {
                $0.basis == .perServing ? "\($1) (\(shown.amount(serving)))" : $1
            }
        }
        let width = max(headings.map(\.count).max() ?? 0, 14) + 2
        home.say(padded("", to: 20) + headings.map { padded($0, to: width) }.joined())
        let doubtful = label.doubts.compactMap(\.nutrient)
        for nutrient in Nutrient.known {
            guard label.columns.contains(where: { $0.nutrients[nutrient] != nil }) else { continue }
            let cells = label.columns.map { column in
                column.nutrients[nutrient].map { shown.amountWithUnit($0, of: nutrient) } ?? "?"
            }
            let mark = doubtful.contains(nutrient) ? "?" : ""
            home.say(
                padded(shown.name(of: nutrient).capitalised, to: 20)
                    + cells.map { padded($0, to: width) }.joined() + mark)
        }
        if label.doubts.isEmpty { return }
        home.say("")
        home.say("In doubt:")
        for doubt in label.doubts { home.say("  \(printable(doubt.words))") }
    }
}

extension NutritionLabel {
    fileprivate var face: LabelFace {
        LabelFace(
            columns: columns.map { ($0.basis, $0.nutrients) }, serving: serving,
            carbBasis: carbBasis, doubts: doubts.map(\.words))
    }
}
