import MacrologArgumentParsing
import MacrologTerminal
import MacrologFormats
import Macrolog
import MacrologFaces

/// `food import usda`, `swiss`, `off`: imports foods from official tables and Open Food Facts.
enum FoodImports {
    static let file = Parameter.argument("file", .file, "The file; - for standard input.")
    static let portions = Parameter.option(
        "portions", .file, "The table of household measures for the file.")
    static let dryRun = Parameter.flag(
        "dry-run", "Show the result for every row without importing.")

    private static let always = """
        Every row becomes one food, or is refused with its line number. Importing a file again \
        changes nothing, on this device or another; an empty cell is unknown; your own foods and \
        your changes to imported foods stay as they are, and what you deleted stays deleted. A file \
        may be compressed with gzip. One `undo` undoes the whole import.
        """

    static let usda = Verb(
        "food import usda", "Bring in the foods of USDA SR28.",
        example: "food import usda foods.csv --portions portions.csv",
        "food import usda foods.csv --dry-run",
        explanation: """
            A CSV file with ndb_no, name, energy_kcal, protein_g, carbs_g, fat_g … per 100 g; its
            carbohydrate includes fibre. With --portions, household measures are imported too: columns
            ndb_no, amount, measure and grams.
            """ + "\n" + always,
        run: { arguments, home in
            try run(.usda, portions: arguments[portions], arguments: arguments, home: &home)
        }
    ) {
        file
        portions
        dryRun
    }

    static let swiss = Verb(
        "food import swiss", "Bring in the foods of the Swiss Food Composition Database.",
        example: "food import swiss data.csv",
        explanation: """
            A CSV file with name, energy, proteins, carbohydrates, fats … per 100 g; its carbohydrate
            excludes fibre. Each language is a table of its own: import one.
            """ + "\n" + always,
        run: { arguments, home in try run(.swiss, arguments: arguments, home: &home) }
    ) {
        file
        dryRun
    }

    static let off = Verb(
        "food import off", "Bring in products of Open Food Facts.",
        example: "food import off product.json", "food import off products.jsonl --dry-run",
        explanation: """
            JSON: a product, an answer to a search, or one product on each line. Products are identified by
            their barcodes; salt becomes sodium, and energy that is stated in kJ alone becomes kcal.
            Carbohydrate excludes fibre, except for products sold only in the USA and Canada.
            """ + "\n" + always,
        run: { arguments, home in try run(.openFoodFacts, arguments: arguments, home: &home) }
    ) {
        file
        dryRun
    }

    /// How many foods that stay deleted are named.
    private static let deletedMax = 5

    private static func run(
        _ kind: FoodImport.File, portions: String? = nil, arguments: ParsedArguments,
        home: inout Home
    ) throws {
        let foods = try InputPieces(arguments[file], arguments)
        let measures = try portions.map { try InputPieces($0, arguments) }
        let replica = try home.replica
        let source = FoodImport(kind)
        var (lines, others) = (ImportLines(), ImportLines())
        var bar = ProgressLine(arguments[dryRun] ? "Reading" : "Importing", home)
        let total = foods.count.map { $0 + (measures?.count ?? 0) }
        var (deleted, deletedCount): ([Food], Int64) = ([], 0)
        let each = { (row: ImportRow, isPortion: Bool) in
            if row.outcome == .deleted, case .food(let food)? = row.content {
                deletedCount += 1
                if deleted.count < deletedMax { deleted.append(food) }
            }
            if isPortion { others.add(row) } else { lines.add(row) }
        }
        let show = { (bytes: Int) in bar.show(Int64(bytes), total) }
        let next: FoodImport.Pieces? = measures.map { file in { try file.next() } }
        let result: FoodImport.Result
        do {
            result =
                arguments[dryRun]
                ? try source.plan(
                    foods.next, portions: next, in: replica, each: each, progress: show)
                : try source.run(
                    foods.next, portions: next, in: replica, each: each, progress: show)
        } catch  where !arguments[dryRun] && lines.taken > 0 {
            guard error is ImportError || error is CommandError else { throw error }
            bar.end()
            let name = "\(arguments.command): "
            let problem = error is CommandError ? "\(error)" : name + "\(error)"
            throw CommandError(
                .dataErr,
                "\(problem)\n\(name)\(counted(Int64(lines.taken), "food")) before it came in; "
                    + "correct the file and import it again, or: macrolog undo")
        }
        bar.end()
        try tell(result, lines, others, isDry: arguments[dryRun], &home)
        for food in deleted {
            let short = try home.shortID(.food, food.id)
            home.warn("\(food.fullName) stays deleted: macrolog food restore \(short) restores it")
        }
        if deletedCount > deleted.count {
            home.warn("and \(deletedCount - Int64(deleted.count)) more")
        }
        let summaries = [result.foods] + [result.portions].compactMap(\.self)
        let rejected = summaries.reduce(0) { $0 + $1.rejected }
        if rejected > 0 {
            let all = summaries.reduce(0) { $0 + $1.total }
            throw CommandError(
                .dataErr,
                "\(arguments.command): \(rejected) of \(all) rows were refused"
                    + (arguments[dryRun] ? "" : "; all others are imported"))
        }
    }

    private static func tell(
        _ result: FoodImport.Result, _ foods: ImportLines, _ portions: ImportLines, isDry: Bool,
        _ home: inout Home
    ) throws {
        let json = foods.face(result.foods, isDry: isDry).json(
            portions: result.portions.map { portions.face($0, isDry: isDry) })
        try home.show(json) { home in
            home.say(foods.lines(result.foods, isDry: isDry, noun: "foods"))
            if let summary = result.portions {
                home.say(portions.lines(summary, isDry: isDry, noun: "portions"))
            }
            if !isDry, result.group != nil { home.say(ImportLines.farewell) }
        }
        for notice in result.foods.notices + (result.portions?.notices ?? []) { home.warn(notice) }
        if home.isJSON || home.isQuiet { return }
        let warnings = foods.warnings + portions.warnings
        for warning in warnings.prefix(20) { home.warn(warning) }
        if warnings.count > 20 { home.warn("and \(warnings.count - 20) more") }
        for problem in foods.problems + portions.problems {
            Terminal.complain(printable(problem.description))
        }
    }
}
